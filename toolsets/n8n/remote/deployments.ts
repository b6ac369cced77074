import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, isRecord } from '@millrace/kernel';
import type { Validator } from '../catalogue/validation/validator.ts';
import type { LoadedWorkflow } from '../document/files/listing.ts';
import type { Workflows } from '../document/files/workflows.ts';
import { requireSound } from '../document/workflow/connections.ts';
import type { Finding, Workflow } from '../document/workflow/model.ts';
import type { InstanceClient, RemoteWorkflow } from './client.ts';
import { ignoreFailures, notConfigured } from './instance.ts';
import { driftInWords, hasDrifted, type Link, type Links, refuseDrift } from './links.ts';
import { contentHash, diffOf, fileContent, payloadOf, type WorkflowPayload, withNewWebhookIds, withWebhookIds } from './payload.ts';

export interface DeployRequest {
  workflowId: string;
  dryRun: boolean;
  force: boolean;
  /** Undefined leaves the workflow on the instance as active as it is. */
  activate: boolean | undefined;
}

export interface Deployed {
  remoteId: string | null;
  url: string | null;
  diff: string[];
  warnings: string[];
}

export interface DeploymentsOptions {
  workflows: Workflows;
  links: Links;
  validator: Validator;
  client: InstanceClient | undefined;
}

/** What a deployment is about, once everything has been looked up. */
interface Plan {
  loaded: LoadedWorkflow;
  link: Link | undefined;
  remote: RemoteWorkflow | undefined;
  payload: WorkflowPayload;
  warnings: string[];
}

const ACTIVATION_CHECKS = 10;
const ACTIVATION_WAIT_MS = 200;

/** Brings workflow files to an instance and back. The instance is never left half changed. */
export class Deployments {
  readonly #workflows: Workflows;
  readonly #links: Links;
  readonly #validator: Validator;
  readonly #client: InstanceClient | undefined;

  constructor({ workflows, links, validator, client }: DeploymentsOptions) {
    this.#workflows = workflows;
    this.#links = links;
    this.#validator = validator;
    this.#client = client;
  }

  get isConfigured(): boolean {
    return this.#client !== undefined;
  }

  async isDeployed(loaded: LoadedWorkflow, signal: AbortSignal): Promise<boolean> {
    return (await this.#remoteIdOf(loaded, signal)) !== undefined;
  }

  /** Throws when no instance is configured. */
  get client(): InstanceClient {
    if (!this.#client) throw notConfigured();
    return this.#client;
  }

  /** One deployment of a file at a time: two at once would make two workflows of it. */
  async deploy(request: DeployRequest, signal: AbortSignal): Promise<Deployed> {
    const { path } = await this.#workflows.listing.find(request.workflowId);
    if (!this.isConfigured) throw notConfigured();
    return this.#workflows.alone(`${path}.deploy`, () => this.#deploy(request, signal));
  }

  async #deploy(request: DeployRequest, signal: AbortSignal): Promise<Deployed> {
    const { client } = this;
    const plan = await this.#plan(request, signal);
    const diff = diffOf(plan.remote, plan.payload);
    const urlOf = (id: string) => `${client.url}/workflow/${encodeURIComponent(id)}`;
    if (request.dryRun) {
      const id = plan.remote?.id ?? null;
      return { remoteId: id, url: id && urlOf(id), diff, warnings: plan.warnings };
    }
    const isUnchanged = plan.remote !== undefined && diff.length === 0;
    const written = isUnchanged && plan.remote ? plan.remote : await this.#write(plan, signal);
    await this.#links.remember({ path: plan.loaded.path, remoteId: written.id, remoteHash: contentHash(written) }, client.url);
    if (request.activate !== undefined) await this.#activate(plan, written.id, request.activate, signal);
    return { remoteId: written.id, url: urlOf(written.id), diff, warnings: plan.warnings };
  }

  async setActive(workflowId: string, active: boolean, signal: AbortSignal): Promise<{ remoteId: string; active: boolean }> {
    const { remoteId } = await this.#linkOf(workflowId, signal);
    await this.#switch(remoteId, active, signal);
    return { remoteId, active };
  }

  /** Brings a workflow of the instance into its file, or into a new one. */
  async pull(remoteId: string, signal: AbortSignal): Promise<LoadedWorkflow & { changed: boolean; created: boolean }> {
    const { client } = this;
    const remote = await client.workflow(remoteId, signal);
    if (!remote)
      throw new Failure('not_found', `The n8n instance at ${client.url} has no workflow ${JSON.stringify(remoteId.slice(0, 100))}`);
    const pulled = await this.#writePulled(remote);
    await this.#links.remember({ path: pulled.path, remoteId: remote.id, remoteHash: contentHash(remote) }, client.url);
    return pulled;
  }

  async executions(workflowId: string, limit: number, includeData: boolean, signal: AbortSignal) {
    const { remoteId } = await this.#linkOf(workflowId, signal);
    return { remoteId, executions: await this.client.executions(remoteId, limit, includeData, signal) };
  }

  async #plan(request: DeployRequest, signal: AbortSignal): Promise<Plan> {
    const loaded = await this.#workflows.load(request.workflowId);
    requireSound(loaded.workflow, loaded.workflowId);
    const warnings = await this.#findings(loaded.workflow, request);
    const link = await this.#links.ofFile(loaded.path, this.client.url);
    const remote = await this.#remoteOf(loaded, link, signal, warnings);
    if (remote && !request.force && !request.dryRun) refuseDrift(remote, link);
    if (remote && hasDrifted(remote, link)) warnings.push(driftInWords(link));
    if (!remote) await this.#warnOfNamesake(loaded.workflow, signal, warnings);
    const { payload, left } = payloadOf(loaded.workflow);
    warnings.push(...left.map((what) => `The API does not take ${what}; it is left out`), ...credentialsUsed(loaded.workflow));
    return { loaded, link, remote, payload: remote ? withWebhookIds(payload, remote) : payload, warnings };
  }

  /** The workflow that was deployed before, else one with the file's own id. */
  async #remoteOf(
    loaded: LoadedWorkflow,
    link: Link | undefined,
    signal: AbortSignal,
    warnings: string[],
  ): Promise<RemoteWorkflow | undefined> {
    const id = link?.remoteId ?? (typeof loaded.workflow.id === 'string' && loaded.workflow.id ? loaded.workflow.id : undefined);
    const remote = id === undefined ? undefined : await this.client.workflow(id, signal);
    if (link && !remote) warnings.push(`The workflow ${link.remoteId} is gone from the instance; a new one is made`);
    return remote;
  }

  async #warnOfNamesake(workflow: Workflow, signal: AbortSignal, warnings: string[]): Promise<void> {
    const namesakes = await this.client.named(workflow.name ?? '', signal);
    if (namesakes.length > 0) warnings.push(`The instance has another workflow of this name: ${namesakes.map(({ id }) => id).join(', ')}`);
  }

  /** Faults that validation finds are remarks, but a workflow that would fail is not switched on. */
  async #findings(workflow: Workflow, { activate, force, dryRun }: DeployRequest): Promise<string[]> {
    const errors = await this.#errorsOf(workflow);
    if (!errors) return ['The workflow was not validated: the n8n engine pack is not installed'];
    if (errors.length > 0 && activate === true && !force && !dryRun) {
      throw new Failure('conflict', `The workflow would fail and is not activated: ${errors[0]?.message ?? ''}`, {
        details: { errors: errors.slice(0, 20) },
        fix: { instruction: 'Fix what workflow_validate finds, or deploy with force: true' },
      });
    }
    return errors.map((error) => `${error.node ?? 'workflow'}: ${error.message}`);
  }

  async #errorsOf(workflow: Workflow): Promise<Finding[] | undefined> {
    try {
      return (await this.#validator.validate(workflow)).errors;
    } catch (error) {
      if (error instanceof Failure && error.code === 'unavailable') return undefined;
      throw error;
    }
  }

  async #write(plan: Plan, signal: AbortSignal): Promise<RemoteWorkflow> {
    const { client } = this;
    const { remote } = plan;
    const send = (payload: WorkflowPayload) =>
      remote ? client.update(remote.id, withWebhookIds(payload, remote), signal) : client.create(withNewWebhookIds(payload), signal);
    try {
      return await send(plan.payload);
    } catch (error) {
      if (!isTooNew(error)) throw error;
      const { payload, left } = payloadOf(plan.loaded.workflow, true);
      plan.warnings.push(...left.map((what) => `This version of n8n does not take ${what}; it is left out`));
      return send(payload);
    }
  }

  /** When it cannot be switched on, the instance gets back what it had. */
  async #activate(plan: Plan, remoteId: string, active: boolean, signal: AbortSignal): Promise<void> {
    try {
      await this.#switch(remoteId, active, signal);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const restored = await this.#restore(plan, remoteId);
      throw new Failure(
        error.code,
        `${error.message}. ${restored ? 'The instance has back what it had' : 'The instance could not be given back what it had'}`,
        { details: { ...error.details, rolledBack: restored, remoteId }, ...(error.fix && { fix: error.fix }), cause: error },
      );
    }
  }

  async #restore({ remote, loaded: { path } }: Plan, remoteId: string): Promise<boolean> {
    // The caller's signal may be what ended the call; putting things right must not end with it.
    const signal = AbortSignal.timeout(10_000);
    try {
      if (!remote) {
        await this.client.delete(remoteId, signal);
        await this.#links.forget(path, this.client.url);
      } else {
        const restored = await this.client.update(remoteId, payloadOf(remote).payload, signal);
        await this.#links.remember({ path, remoteId, remoteHash: contentHash(restored) }, this.client.url);
        await this.client.setActive(remoteId, remote.active === true, signal).catch(ignoreFailures(signal));
      }
      return true;
    } catch (error) {
      return ignoreFailures(signal)(error) ?? false;
    }
  }

  /** n8n answers before it is done, so its state is checked until it has changed. */
  async #switch(remoteId: string, active: boolean, signal: AbortSignal): Promise<void> {
    await this.client.setActive(remoteId, active, signal);
    for (let check = 0; check < ACTIVATION_CHECKS; check++) {
      const remote = await this.client.workflow(remoteId, signal);
      if (remote?.active === active) return;
      await sleep(ACTIVATION_WAIT_MS, undefined, { signal });
    }
    throw new Failure('upstream', `The n8n instance at ${this.client.url} did not ${active ? 'activate' : 'deactivate'} the workflow`, {
      details: { remoteId },
    });
  }

  async #linkOf(workflowId: string, signal: AbortSignal): Promise<{ remoteId: string }> {
    const remoteId = await this.#remoteIdOf(await this.#workflows.load(workflowId), signal);
    if (remoteId !== undefined) return { remoteId };
    throw new Failure('not_found', `The workflow is not on the n8n instance at ${this.client.url} yet`, {
      fix: { instruction: 'Run workflow_deploy first', example: { workflowId } },
    });
  }

  /** What the file is on the instance: as it was deployed or pulled, else the workflow with the file's own id. */
  async #remoteIdOf({ path, workflow }: LoadedWorkflow, signal: AbortSignal): Promise<string | undefined> {
    const link = await this.#links.ofFile(path, this.client.url);
    if (link) return link.remoteId;
    return typeof workflow.id === 'string' && workflow.id ? (await this.client.workflow(workflow.id, signal))?.id : undefined;
  }

  async #writePulled(remote: RemoteWorkflow): Promise<LoadedWorkflow & { changed: boolean; created: boolean }> {
    const workflow = fileContent(remote);
    const link = await this.#links.ofRemote(remote.id, this.client.url);
    await this.#workflows.listing.refresh();
    const [same] = this.#workflows.listing.withId(remote.id);
    const known = this.#workflows.listing.files().find((file) => file.place.path === link?.path) ?? same;
    if (!known) return { ...(await this.#workflows.create(workflow.name ?? remote.id, workflow)), changed: true, created: true };
    const edited = await this.#workflows.edit(known.place.path, 'workflow_pull', (current) => {
      const id = current.id ?? workflow.id;
      Object.assign(current, workflow, id === undefined ? {} : { id });
    });
    return { workflowId: edited.workflowId, path: edited.path, workflow: edited.workflow, changed: edited.changed, created: false };
  }
}

/** The instance knows less than we send: it names what it does not want. */
function isTooNew(error: unknown): boolean {
  return error instanceof Failure && error.details['status'] === 400 && /additional propert|unrecognized key/i.test(error.message);
}

function credentialsUsed(workflow: Workflow): string[] {
  return workflow.nodes.flatMap((node) =>
    Object.entries(node.credentials ?? {}).map(([type, credential]) => {
      const name = isRecord(credential) ? credential['name'] : undefined;
      return `${node.name} uses the credential ${typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : type}, which must exist on the instance`;
    }),
  );
}
