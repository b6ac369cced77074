import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// biome-ignore lint/suspicious/noExplicitAny: flows as Flowise's own canvas wrote them
type Any = any;

export interface Template {
  name: string;
  type: 'CHATFLOW' | 'MULTIAGENT' | 'AGENTFLOW';
  flow: { nodes: Any[]; edges: Any[] };
}

const FOLDERS = [
  ['chatflows', 'CHATFLOW'],
  ['agentflows', 'MULTIAGENT'],
  ['agentflowsv2', 'AGENTFLOW'],
] as const;

/** Every flow of the marketplace that an installed Flowise brings along: flows as people have them, of many versions. */
export function templatesOf(flowiseDirectory: string): Template[] {
  return FOLDERS.flatMap(([folder, type]) => {
    const directory = join(flowiseDirectory, 'marketplaces', folder);
    return readdirSync(directory).map((file) => {
      const { nodes, edges } = JSON.parse(readFileSync(join(directory, file), 'utf8'));
      return { name: `${folder}/${file.replace('.json', '')}`, type, flow: { nodes, edges } };
    });
  });
}

/** The flow as an assistant would write it: nodes {id, name, inputs}, edges {source, target}, and the output where there are several. */
export function stripped({ nodes, edges }: Template['flow']): Template['flow'] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    nodes: nodes.map(({ id, data, parentNode }) => ({
      id,
      name: data.name,
      inputs: data.inputs ?? {},
      ...(data.outputs?.output && data.outputs.output !== 'next' && { output: data.outputs.output }),
      ...(parentNode && { parentNode, extent: 'parent' }),
    })),
    edges: edges.map(({ source, target, sourceHandle }) => {
      const output = outputName(sourceHandle, source);
      return { source, target, ...(isBranching(byId.get(source)) && { output }) };
    }),
  };
}

function isBranching(node: Any): boolean {
  const anchors = node?.data.outputAnchors ?? [];
  return anchors.length > 1 || (anchors[0]?.options ?? []).filter((option: Any) => option.isAnchor).length > 1;
}

/** What an edge connects, without the types in its handles, which change with the versions of the nodes. */
export function connectionsOf({ nodes, edges }: Template['flow']): string[] {
  return edges
    .filter(({ source, sourceHandle }) => handlesOf(nodes.find((node) => node.id === source)).includes(sourceHandle))
    .map(({ source, sourceHandle, target, targetHandle }) => {
      const input = /-input-([^-]+)-/.exec(targetHandle)?.[1] ?? '';
      const output = isBranching(nodes.find((node) => node.id === source)) ? outputName(sourceHandle, source) : '';
      return `${source}.${output} → ${target}.${input}`;
    })
    .sort();
}

function handlesOf(node: Any): string[] {
  return (node?.data.outputAnchors ?? []).flatMap((anchor: Any) => [anchor.id, ...(anchor.options ?? []).map((option: Any) => option.id)]);
}

function outputName(handle: string, source: string): string {
  return handle.slice(`${source}-output-`.length).split('-')[0] ?? '';
}

/** The values of a node's inputs that say something, the settings of a chosen model one by one. */
export function valuesOf(inputs: Record<string, unknown> = {}): Record<string, unknown> {
  const entries = Object.entries(inputs).flatMap(([name, value]): [string, unknown][] =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, one])
      : [[name, value]],
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== undefined && value !== null));
}
