import { clip, Failure, recordOf } from '@millrace/kernel';
import type { ChatModelChoice } from '../client/flowise.ts';
import { errorsIn, type Finding, publishedFinding } from '../flow/findings.ts';
import { type Flow, type FlowNode, parseFlow, readNode } from '../flow/flow.ts';
import { completeConfig, modelInputsOf } from '../flow/hydrate.ts';
import type { Definitions } from '../nodes/definition.ts';
import { causeOf } from '../prediction/causes.ts';

/** Faults that filling in values cannot fix. */
const STRUCTURAL = new Set<Finding['code']>([
  'empty_flow',
  'unnamed_node',
  'unknown_node',
  'wrong_flow_type',
  'no_start',
  'several_starts',
  'duplicate_id',
  'dangling_edge',
]);

/** The generated flow, out of an answer that may be a failure although its status is 200. */
export function generatedFlow(reply: unknown): Flow {
  const { nodes, edges, error, rawResponse } = recordOf(reply);
  if (Array.isArray(nodes) && Array.isArray(edges) && nodes.length > 0) {
    try {
      return parseFlow(JSON.stringify({ nodes, edges }));
    } catch (error) {
      throw error instanceof Failure ? unusable('what the model made is not a flow') : error;
    }
  }
  if (error === undefined) throw unusable('the model made no nodes');
  const raw = recordOf(rawResponse)['error'];
  const cause = causeOf(typeof raw === 'string' ? raw : '');
  const known = cause.code.startsWith('provider') || cause.code === 'unreachable' || cause.code === 'context_length';
  throw unusable(known ? cause.message : 'the model did not answer in the form that Flowise wants', known ? cause.fix : undefined);
}

export function demandUsable(findings: readonly Finding[]): void {
  const broken = errorsIn(findings).filter((finding) => STRUCTURAL.has(finding.code));
  if (broken.length === 0) return;
  throw unusable(`the flow that the model made cannot be used: ${broken[0]?.message}`, undefined, broken);
}

function unusable(why: string, fix?: string, findings: readonly Finding[] = []): Failure {
  return new Failure('invalid_input', `No usable agentflow was generated: ${why}`, {
    details: {
      field: 'description',
      value: null,
      constraint: 'usable',
      ...(findings.length > 0 && { findings: findings.map(publishedFinding) }),
    },
    fix: { instruction: fix ?? 'Describe more plainly what the agent should do, step by step, and try again' },
  });
}

/** Gives every node that needs a chat model the chosen one: Flowise's generator leaves them without. */
export function injectModel(flow: Flow, model: ChatModelChoice, definitions: Definitions): Flow {
  return { ...flow, nodes: flow.nodes.map((node) => withModel(node, model, definitions)) };
}

function withModel(node: FlowNode, model: ChatModelChoice, definitions: Definitions): FlowNode {
  const { name, data, inputs } = readNode(node);
  const definition = definitions.get(name);
  if (!definition) return node;
  const filled = { ...inputs };
  for (const input of modelInputsOf(definition, inputs)) {
    if (filled[input.name] && filled[`${input.name}Config`]) continue;
    const written = { ...model.inputs, ...(model.credential && { FLOWISE_CREDENTIAL_ID: model.credential }) };
    filled[input.name] = model.name;
    filled[`${input.name}Config`] = completeConfig(input, model.name, written, definitions.get(model.name));
  }
  return { ...node, data: { ...data, inputs: filled } };
}

const ASKING = /^(please |kindly |can you |could you |would you |i (would like|want|need)( you)?( to)? |let's |help me (to )?)+/i;
const MAKING = /^(create|build|make|generate|design|develop|write|set up|implement|give me|produce|construct)( me| us)? /i;
const ARTICLE = /^(an?|the|some|my|our) /i;
const WHERE_A_NAME_ENDS = /\s+(that|which|who|where|when|to|for|with|using|by|from|in order|so that|and then)\s|[,.;:!?()\n]/i;
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 300;

/** What the description says that the agent is, without the words that ask for it. */
function subjectOf(description: string): string {
  const plain = description.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain.replace(ASKING, '').replace(MAKING, '').replace(ARTICLE, '').trim() || plain;
}

/** A name for a generated flow: "Create a research agent that …" becomes "Research Agent". */
export function suggestedName(description: string): string {
  const subject = subjectOf(description);
  const end = subject.search(WHERE_A_NAME_ENDS);
  const words = (end > 2 ? subject.slice(0, end) : subject).split(' ').filter(Boolean);
  let name = '';
  for (const word of words) {
    if (name.length + word.length + 1 > LONGEST_NAME) break;
    name = `${name} ${capitalised(word)}`.trim();
  }
  return name || subject.slice(0, LONGEST_NAME) || 'Generated agentflow';
}

/** One sentence about the flow, from what was asked for. */
export function suggestedDescription(description: string): string {
  return clip(capitalised(subjectOf(description)), LONGEST_DESCRIPTION - 1);
}

function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}
