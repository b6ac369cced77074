import { isRecord } from '@millrace/kernel';
import type { WorkflowNode } from '../../document/workflow/model.ts';
import type { CredentialDescription } from '../types/description.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import type { Parameters } from '../types/parameter-rules.ts';
import type { NodeType } from '../types/type-store.ts';
import { type Findings, quoted } from './findings.ts';
import type { PlacedNode } from './shape.ts';

/** The credentials that a node cannot run without, given its parameters; empty when it needs none. */
export function neededCredentials(pack: OpenedPack, type: NodeType, node: WorkflowNode, resolved: Parameters): string[] {
  const ruled = { ...node, typeVersion: node.typeVersion ?? type.entry.newest, parameters: resolved };
  const shown = (credential: CredentialDescription) => pack.rules.displayParameter(resolved, credential, ruled, type.description);
  const needed = (type.description.credentials ?? [])
    .filter((credential) => credential.required && shown(credential))
    .map(({ name }) => name);
  for (const chosen of ['nodeCredentialType', 'genericAuthType']) {
    const name = resolved[chosen];
    if (typeof name === 'string' && name !== '' && !name.startsWith('=')) needed.push(name);
  }
  return needed;
}

export function hasCredential(node: WorkflowNode, name: string): boolean {
  const given = node.credentials?.[name];
  return isRecord(given) || (typeof given === 'string' && given !== '');
}

/** Where a node may use one of several credentials, one of them is enough. */
export function checkCredentials(
  pack: OpenedPack,
  type: NodeType,
  { node, path }: PlacedNode,
  resolved: Parameters,
  findings: Findings,
): void {
  if (node.disabled === true) return;
  const needed = neededCredentials(pack, type, node, resolved);
  if (needed.length === 0 || needed.some((name) => hasCredential(node, name))) return;
  const fix = 'Choose one in n8n after the workflow is deployed, or name one of the instance in the file';
  const message = `${quoted(node.name)} needs a credential: ${needed.join(' or ')}`;
  findings.at(node.name, `${path}.credentials`).warn('credentials_missing', message, fix);
}
