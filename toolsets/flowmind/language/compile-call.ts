import type { FlowCompiler } from './compile.ts';
import { agentUri, baseOf, type Parsed, storeOf, valuesOf } from './compile-parts.ts';
import type { Path } from './document.ts';
import type { CallNode, FlowNode } from './flow.ts';

const DEFAULT_DEPTH = 10;

/** `call` reaches a tool, a function of the same file, the flow itself, or another context. */
export function compileCall(compiler: FlowCompiler, data: Parsed<'call'>, path: Path): FlowNode {
  const shared = { ...baseOf(compiler, data, path), with: valuesOf(compiler, data.with, [...path, 'with']), store: storeOf(data) };
  if (/^(workflow|pattern|agent):\/\//.test(data.call)) {
    const uri = data.call.startsWith('agent:') ? agentUri(data.call) : data.call;
    return { kind: 'workflow', ...shared, uri: compiler.template(uri, [...path, 'call']) };
  }
  if (toolName(data.call) === 'execute_workflow') {
    compiler.document.error([...path, 'call'], 'Run another context with {workflow: uri}: it keeps to the limits of this session');
  }
  return { kind: 'call', ...shared, target: target(compiler, data) };
}

function target(compiler: FlowCompiler, data: Parsed<'call'>): CallNode['target'] {
  if (data.call === 'self') return { kind: 'self', maxDepth: data.max_depth ?? DEFAULT_DEPTH };
  const local = data.call.replace(/^functions?\./, '');
  if (compiler.functions.has(local)) return { kind: 'function', name: local };
  return { kind: 'tool', name: toolName(data.call) };
}

/** `tool://todo/create-todo` names the tool create_todo. */
export function toolName(written: string): string {
  const uri = /^tool:\/\/(?:[^/]+\/)*([^/]+)$/.exec(written);
  return uri ? (uri[1] as string).replaceAll('-', '_') : written.trim();
}
