import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Context, Failure, isSystemError } from '@millrace/kernel';
import type { ComposedStore } from '../contexts/composed-store.ts';
import type { ContextRegistry } from '../contexts/registry.ts';
import { type Check, checksOf } from './checks.ts';
import { type Composition, contextsOf, findComponents } from './components.ts';

export interface ComposerPorts {
  registry: ContextRegistry;
  composed: ComposedStore;
  published(): Promise<Context[]>;
  workspace: string;
}

export interface Composed {
  uri: string;
  definition: string;
  saved_path: string | null;
  checks: Check[];
  next_action: { tool: string; parameters: Record<string, unknown> } | null;
}

/** Makes workflows from contexts: checked first, then stored for the user or saved for everyone. */
export class Composer {
  readonly #ports: ComposerPorts;

  constructor(ports: ComposerPorts) {
    this.#ports = ports;
  }

  async compose(composition: Composition, userId: string): Promise<Composed> {
    const { registry, composed, published } = this.#ports;
    const uri = `workflow://${composition.name}`;
    const contexts = contextsOf(registry, userId);
    const components = await findComponents(composition, contexts, published);
    // The YAML writer is loaded with its first use: a server starts without it.
    const { workflowText } = await import('./workflow-text.ts');
    const definition = workflowText(composition, components);
    const checks = [...(await checksOf(composition, components, contexts)), ...(await mistakesIn(definition, uri))];
    if (checks.some((check) => check.severity === 'error')) return { uri, definition, saved_path: null, checks, next_action: null };
    const path = composition.save ? await this.#save(composition.name, definition) : null;
    if (path) await composed.remove(uri, userId);
    else await composed.put(uri, userId, definition);
    await registry.refresh();
    const variables = Object.fromEntries((composition.variables?.required ?? []).map((name) => [name, `<${name}>`]));
    const parameters = { workflow_uri: uri, ...(Object.keys(variables).length > 0 && { initial_variables: variables }) };
    return { uri, definition, saved_path: path, checks, next_action: { tool: 'execute_workflow', parameters } };
  }

  /** Writes the whole file or nothing, and never overwrites one. */
  async #save(name: string, text: string): Promise<string> {
    const relative = join('contexts', 'workflows', `${name}.yaml`);
    const target = join(this.#ports.workspace, relative);
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
