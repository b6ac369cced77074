import { Failure } from '@millrace/kernel';
import type { CallableWorkflows, CalledName } from '../ports.ts';
import type { LoadedWorkflow } from '../services.ts';
import type { Workflow } from '../workflow/model.ts';

export interface CallableFilesOptions {
  /** Loads a workflow by id, name or path. */
  load(named: string): Promise<LoadedWorkflow>;
  /** The file that was deployed to the instance under this id, or pulled from there. */
  deployedAs(remoteId: string): Promise<string | undefined>;
}

/** The workflow files as what other workflows call: an id may be the file's own, or the one that it has on the instance. */
export class CallableFiles implements CallableWorkflows {
  readonly #options: CallableFilesOptions;

  constructor(options: CallableFilesOptions) {
    this.#options = options;
  }

  async find({ id, name, path }: CalledName): Promise<Workflow> {
    const deployed = id === undefined ? undefined : await this.#options.deployedAs(id);
    let missing: unknown;
    for (const named of [path, id, deployed, name]) {
      if (named === undefined) continue;
      try {
        return (await this.#options.load(named)).workflow;
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'not_found')) throw error;
        missing ??= error;
      }
    }
    throw missing ?? new Failure('not_found', 'The node does not say which workflow it calls');
  }
}
