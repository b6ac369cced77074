import { type Context, slugOf } from '@millrace/kernel';
import { type ListedFile, modifiedAt, nameOf } from './files/listing.ts';
import type { Workflows } from './files/workflows.ts';
import { nameFromType } from './workflow/nodes.ts';
import { isPlainTrigger } from './workflow/ports.ts';

const MAX_TAGS = 12;

/** Every workflow file as something that a request can find and run. */
export async function workflowContexts(workflows: Workflows): Promise<Context[]> {
  await workflows.listing.refresh();
  const taken = new Set<string>();
  return workflows.listing.files().map((file) => contextOf(file, uniqueSlug(slugOf(nameOf(file)) || 'workflow', taken), workflows));
}

function contextOf(file: ListedFile, slug: string, workflows: Workflows): Context {
  const { summary, place } = file;
  const name = nameOf(file);
  const triggers = summary.types.filter(isPlainTrigger).map(wordsOf);
  const steps = summary.types.filter((type) => !isPlainTrigger(type)).map(wordsOf);
  const isShared = summary.id !== undefined && workflows.listing.withId(summary.id).length > 1;
  return {
    uri: `workflow://n8n/${slug}`,
    type: 'workflow',
    name,
    description: [summary.description || `The n8n workflow ${name}.`, said('Starts on', triggers), said('Uses', steps.slice(0, MAX_TAGS))]
      .filter(Boolean)
      .join(' '),
    domain: 'technical',
    tags: [...new Set(['n8n', ...summary.types.map(tagOf)])].slice(0, MAX_TAGS),
    complexity: complexityOf(summary.nodeCount),
    examples: [name, `run ${name}`, ...(steps.length > 0 ? [`${name} with ${steps.slice(0, 3).join(', ')}`] : [])],
    variables: { required: [], optional: ['testData', 'timeout'] },
    updatedAt: modifiedAt(file),
    action: { tool: 'test_workflow', parameters: { workflowId: summary.id === undefined || isShared ? place.shown : summary.id } },
  };
}

function wordsOf(type: string): string {
  return nameFromType(type).toLowerCase();
}

/** `n8n-nodes-base.googleSheets` is google-sheets. */
function tagOf(type: string): string {
  return slugOf(nameFromType(type)) || 'workflow';
}

function said(what: string, names: readonly string[]): string {
  return names.length > 0 ? `${what}: ${names.join(', ')}.` : '';
}

function complexityOf(nodes: number): Context['complexity'] {
  if (nodes <= 5) return 'simple';
  if (nodes <= 15) return 'moderate';
  return nodes <= 40 ? 'complex' : 'expert';
}

function uniqueSlug(slug: string, taken: Set<string>): string {
  let unique = slug;
  for (let number = 2; taken.has(unique); number++) unique = `${slug}-${number}`;
  taken.add(unique);
  return unique;
}
