import { recordOf } from '@millrace/kernel';
import { equal } from '../document/text/json.ts';
import { edgeInWords, edgesOf } from '../document/workflow/connections.ts';
import type { Workflow } from '../document/workflow/model.ts';
import { payloadOf, type WorkflowPayload } from './payload.ts';

const MAX_LINES = 200;

/** What a deployment changes on the instance, line by line: `+` is new, `-` goes, `~` changes. */
export function diffOf(remote: Workflow | undefined, local: WorkflowPayload): string[] {
  if (!remote) return bounded([`+ workflow ${JSON.stringify(local.name)}`, ...local.nodes.map((node) => `+ node ${nameOf(node)}`)]);
  const { payload } = payloadOf(remote);
  return bounded([
    ...(payload.name === local.name ? [] : [`~ name: ${JSON.stringify(payload.name)} becomes ${JSON.stringify(local.name)}`]),
    ...nodeLines(payload.nodes, local.nodes),
    ...edgeLines(payload, local),
    // What the instance adds to the settings by itself does not count.
    ...Object.keys(local.settings)
      .filter((key) => !equal(local.settings[key], payload.settings[key]))
      .map((key) => `~ settings.${key}`),
    ...(local.pinData === undefined || equal(payload.pinData, local.pinData) ? [] : ['~ pinData']),
  ]);
}

function nameOf(node: Record<string, unknown>): string {
  return typeof node['name'] === 'string' ? node['name'] : '';
}

function nodeLines(remote: readonly Record<string, unknown>[], local: readonly Record<string, unknown>[]): string[] {
  const before = new Map(remote.map((node) => [nameOf(node), node]));
  const after = new Map(local.map((node) => [nameOf(node), node]));
  return [
    ...[...after.keys()].filter((name) => !before.has(name)).map((name) => `+ node ${name}`),
    ...[...before.keys()].filter((name) => !after.has(name)).map((name) => `- node ${name}`),
    ...[...after].flatMap(([name, node]) => {
      const old = before.get(name);
      return old ? changedKeys(old, node).map((key) => `~ node ${name}: ${key}`) : [];
    }),
  ];
}

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => key !== 'parameters' && !equal(before[key], after[key]),
  );
  const [old, now] = [recordOf(before['parameters']), recordOf(after['parameters'])];
  const parameters = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => !equal(old[key], now[key]));
  return [...keys, ...parameters.map((key) => `parameters.${key}`)];
}

function edgeLines(remote: WorkflowPayload, local: WorkflowPayload): string[] {
  const words = (payload: WorkflowPayload) => new Set(edgesOf(payload).map((edge) => edgeInWords(edge)));
  const [before, after] = [words(remote), words(local)];
  return [
    ...[...after].filter((edge) => !before.has(edge)).map((edge) => `+ connection ${edge}`),
    ...[...before].filter((edge) => !after.has(edge)).map((edge) => `- connection ${edge}`),
  ];
}

function bounded(lines: string[]): string[] {
  return lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `and ${lines.length - MAX_LINES} more`];
}
