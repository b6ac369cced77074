import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { type Check, checksOf } from '../composition/checks.ts';
import { contextsOf, findComponents } from '../composition/components.ts';
import { composeInput, composeResult } from '../schema.ts';
import { tool } from '../tool.ts';

export const composeWorkflow = tool({
  name: 'compose_workflow',
  description: `Compose a custom workflow from multiple contexts. Use for complex multi-domain scenarios.
Run it with next_action.`,
  said: ['combine these workflows into one', 'build a workflow out of several contexts', 'chain the review and the release workflow'],
  access: 'write',
  annotations: { title: 'Compose a workflow', readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: composeInput,
  output: composeResult,
  level: 'advanced',

  /** Checked first, then stored for the user or saved for everyone. */
  async run(composition, { services: { registry, composed, catalog, workspace }, user }) {
    const uri = `workflow://${composition.name}`;
    const contexts = contextsOf(registry, user.id);
    const components = await findComponents(composition, contexts, () => catalog().contexts());
    // The YAML writer is loaded with its first use: a server starts without it.
    const { workflowText } = await import('../composition/workflow-text.ts');
    const definition = workflowText(composition, components);
    const checks = [...(await checksOf(composition, components, contexts)), ...(await mistakesIn(definition, uri))];
    if (checks.some((check) => check.severity === 'error')) return { uri, definition, saved_path: null, checks, next_action: null };
    const path = composition.save ? await saved(composition.name, definition, workspace) : null;
    if (path) await composed.remove(uri, user.id);
    else await composed.put(uri, user.id, definition);
    await registry.refresh();
    const variables = Object.fromEntries((composition.variables?.required ?? []).map((name) => [name, `<${name}>`]));
    const parameters = { workflow_uri: uri, ...(Object.keys(variables).length > 0 && { initial_variables: variables }) };
    return { uri, definition, saved_path: path, checks, next_action: { tool: 'execute_workflow', parameters } };
  },
});

/** Writes the whole file or nothing, and never overwrites one. */
async function saved(name: string, text: string, workspace: string): Promise<string> {
  const relative = join('contexts', 'workflows', `${name}.yaml`);
  const target = join(workspace, relative);
  const draft = join(dirname(target), `.${name}.${randomUUID()}.tmp`);
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(draft, text, { flag: 'wx' });
  } catch (error) {
    throw isSystemError(error) ? unwritable(relative, error) : error;
  }
  try {
    await link(draft, target);
    return relative;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw error.code === 'EEXIST' ? alreadyThere(relative, error) : unwritable(relative, error);
  } finally {
    await rm(draft, { force: true });
  }
}

async function mistakesIn(text: string, uri: string): Promise<Check[]> {
  const { parseContext } = await import('../contexts/parse.ts');
  return parseContext(text, { kind: 'composed', uri })
    .issues.filter((issue) => issue.severity === 'error')
    .map((issue) => ({ severity: 'error', message: `${issue.message} (line ${issue.line})`, component: null }));
}

function alreadyThere(path: string, cause: unknown): Failure {
  return new Failure('conflict', `${path} exists already`, {
    details: { code: 'COMPOSITION_REFUSED' },
    fix: { instruction: 'Choose another name', example: { name: 'another-name' }, why: 'A file of the workspace is never overwritten' },
    cause,
  });
}

function unwritable(path: string, cause: unknown): Failure {
  return new Failure('unavailable', `${path} cannot be written`, {
    fix: {
      instruction: 'Check that the workspace exists, belongs to the server and has room; or compose with save: false',
      example: { save: false },
      why: 'Saved workflows are files of the workspace',
    },
    cause,
  });
}
