import { REMOVED_TYPES } from '../../document/workflow/repair.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import { typingErrors } from '../types/search-index.ts';
import { type NodeType, packageOf } from '../types/type-store.ts';
import { type Findings, listed, quoted } from './findings.ts';
import type { PlacedNode } from './shape.ts';

/** n8n takes nodes from packages of such names alone, and from its folder of custom nodes. */
const COMMUNITY_PACKAGE = /^(@[^/]+\/)?n8n-nodes-|^CUSTOM$/;

const MOST_TYPING_ERRORS = 2;

/** Finds a node's type, or says why there is none. */
export function checkType(pack: OpenedPack, { node, path }: PlacedNode, findings: Findings): NodeType | undefined {
  const entry = pack.types.find(node.type);
  if (!entry) {
    unknownType(pack, { node, path }, findings);
    return undefined;
  }
  const version: unknown = node.typeVersion;
  if (version !== undefined && typeof version !== 'number') return undefined;
  const type = pack.types.get(node.type, version);
  if (type) return type;
  const message = `${node.type} has no version ${quoted(node.typeVersion)} in n8n ${pack.version}; it has ${listed(entry.versions)}`;
  const at = findings.at(node.name, `${path}.typeVersion`);
  at[node.disabled === true ? 'warn' : 'error']('unknown_version', message, `Set typeVersion to ${entry.newest}`);
  return undefined;
}

function unknownType(pack: OpenedPack, { node, path }: PlacedNode, findings: Findings): void {
  const at = findings.at(node.name, `${path}.type`);
  const misspelled = misspelledPackage(pack, node.type);
  if (!misspelled && isCommunityType(pack, node.type)) {
    const message = `${quoted(node.type)} is not one of n8n's own nodes: it runs only where its package is installed, and is not checked here`;
    at.warn('community_node', message, `Install the package ${quoted(packageOf(node.type))} on the n8n that runs this workflow`);
    return;
  }
  const meant = REMOVED_TYPES[node.type] ?? misspelled;
  const close = meant ? [meant] : pack.names.nearest(node.type, 3);
  const repaired = REMOVED_TYPES[node.type] ? '; workflow_repair does so' : '';
  const fix = close.length > 0 ? `Use ${close.join(' or ')}${repaired}` : 'Find the right type with node_search';
  at[node.disabled === true ? 'warn' : 'error']('unknown_type', `n8n ${pack.version} has no node type ${quoted(node.type)}`, fix);
}

function isCommunityType(pack: OpenedPack, type: string): boolean {
  const name = packageOf(type);
  return !pack.types.packages.has(name) && COMMUNITY_PACKAGE.test(name);
}

/** The type of one of n8n's own packages whose name was written almost right. */
function misspelledPackage(pack: OpenedPack, type: string): string | undefined {
  const written = packageOf(type);
  if (pack.types.packages.has(written)) return undefined;
  for (const known of pack.types.packages) {
    const meant = `${known}${type.slice(type.lastIndexOf('.'))}`;
    if (typingErrors(written, known, MOST_TYPING_ERRORS) <= MOST_TYPING_ERRORS && pack.types.find(meant)) return meant;
  }
  return undefined;
}
