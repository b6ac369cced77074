import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { absent, Failure, slugOf } from '@millrace/kernel';
import { type HeldLock, withFileLock } from '@millrace/storage';
import { equal } from '../text/json.ts';
import { changedDocument, newDocument, notAWorkflow, parseDocument } from '../workflow/document.ts';
import { idText, type Workflow } from '../workflow/model.ts';
import { quoted } from '../workflow/nodes.ts';
import { createFile, readPlace, removeFile, replaceFile } from './disk.ts';
import { type History, NO_FILE, type Reached, writtenOrForgotten } from './history.ts';
import { Listing, type LoadedWorkflow, modifiedAt, nameOf } from './listing.ts';
import { isInside, type Place, type Roots } from './roots.ts';

/** A workflow after edits were undone or redone. */
export interface Undone extends LoadedWorkflow {
  /** The tools that had made them, the last first. */
  tools: string[];
  /** Its file was made by one of them, and is gone; the workflow is what it was. */
  isRemoved: boolean;
}

export interface EditedWorkflow<Result> extends LoadedWorkflow {
  result: Result;
  changed: boolean;
}

/** Waits for a lock that reaches further than this machine, where there is one. */
export type Exclusive = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

export interface WorkflowsOptions {
  roots: Roots;
  history: History;
  exclusive?: Exclusive;
}

const ATTEMPTS = 5;
const MAX_SKIPPED = 20;
/** Longer than the lock of a process that was killed on another machine stands. */
const PATIENCE_MS = 35_000;

/** The workflow files: found by id, name or path, changed one edit at a time, every edit recorded. */
export class Workflows {
  readonly listing: Listing;
  readonly #roots: Roots;
  readonly #history: History;
  readonly #exclusive: Exclusive;

  constructor({ roots, history, exclusive = (_name, work) => work() }: WorkflowsOptions) {
    this.#roots = roots;
    this.listing = new Listing(roots);
    this.#history = history;
    this.#exclusive = exclusive;
  }

  async load(named: string): Promise<LoadedWorkflow> {
    const place = await this.listing.find(named);
    const { bytes } = await readPlace(this.#roots, place);
    return this.listing.loaded(place, parseDocument(bytes, place.shown).workflow);
  }

  /** Changes a workflow. `change` gets a copy to work on; when it throws, the file stays as it is. */
  async edit<Result>(named: string, tool: string, change: (workflow: Workflow) => Result): Promise<EditedWorkflow<Result>> {
    const place = await this.listing.find(named);
    return this.alone(place.path, async (lock) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const read = await readPlace(this.#roots, place);
        const document = parseDocument(read.bytes, place.shown);
        const workflow = structuredClone(document.workflow);
        const result = change(workflow);
        const changed = !equal(document.workflow, workflow);
        const loaded = { ...this.listing.loaded(place, workflow), result, changed };
        if (!changed) return loaded;
        const { bytes } = changedDocument(document, workflow);
        const replace = async () => (await lock.isHeld()) && replaceFile(this.#roots, place, bytes, read.stamp);
        if (await this.#recorded(place, tool, read.bytes, bytes, replace)) return loaded;
      }
      throw new Failure('conflict', `${place.shown} is being changed by something else all the time; try again`, {
        details: { path: place.shown },
      });
    });
  }

  /** Writes a whole workflow to a path: into the file that stands there, or as a new one. */
  async save(path: string, tool: string, workflow: Workflow): Promise<{ place: Place; created: boolean }> {
    const problem = notAWorkflow(workflow);
    if (problem)
      throw new Failure('invalid_input', `workflowData is not an n8n workflow: ${problem}`, { details: { field: 'workflowData' } });
    const place = await this.#writable(path);
    if (place.exists) {
      await this.edit(place.path, tool, (current) => overwrite(current, workflow));
      return { place, created: false };
    }
    const created = await this.#create(place, tool, workflow);
    if (created) return { place, created };
    if ((await this.#roots.locate(path)).exists) return this.save(path, tool, workflow);
    throw new Failure('conflict', `${place.shown} cannot be made: something else stands there`, { details: { path: place.shown } });
  }

  /** Other files whose workflow has the same id. */
  async othersWithId(id: string, path: string): Promise<string[]> {
    await this.listing.refreshNames();
    return this.listing
      .withId(id)
      .filter(({ place }) => place.path !== path)
      .map(({ place }) => place.shown);
  }

  /** Writes a new workflow to a file named after it, in the first root. */
  async create(name: string, workflow: Workflow): Promise<LoadedWorkflow> {
    const slug = slugOf(name) || 'workflow';
    for (let number = 1; ; number++) {
      const file = number === 1 ? `${slug}.json` : `${slug}-${number}.json`;
      const place = await this.#roots.locate(join(this.#roots.folders[0] ?? '', file));
      if (place.exists) continue;
      if (await this.#create(place, 'workflow_create', workflow)) return this.listing.loaded(place, workflow);
    }
  }

  /** One page of the workflows below a folder, and what stands there that could not be read. */
  async list(folder: string | undefined, limit: number, offset: number) {
    const below = folder === undefined ? undefined : await this.#folder(folder);
    await this.listing.refresh();
    const isWanted = (path: string) => below === undefined || isInside(below.path, path);
    const files = this.listing.files().filter((file) => isWanted(file.place.path));
    const skipped = this.listing.skipped().filter(({ place }) => isWanted(place.path));
    return {
      workflows: files.slice(offset, offset + limit).map((file) => ({
        id: file.summary.id ?? file.place.shown,
        name: nameOf(file),
        path: file.place.path,
        lastModified: modifiedAt(file).toISOString(),
      })),
      total: files.length,
      skipped: skipped.slice(0, MAX_SKIPPED).map(({ place, reason }) => ({ path: place.path, reason })),
    };
  }

  async #folder(written: string): Promise<Place> {
    const place = await this.#roots.locate(written);
    const stats = await stat(place.path).catch(absent);
    if (stats?.isDirectory() || place.path === place.root) return place;
    throw new Failure('not_found', `There is no folder ${quoted(written)}`, { details: { path: place.shown } });
  }

  /** Brings back the file as it was before the last edits; the making of a file is one of them. */
  async undo(named: string, steps: number): Promise<Undone> {
    const place = await this.listing.find(named);
    return this.alone(place.path, async (lock) => {
      const { bytes, stamp } = await readPlace(this.#roots, place);
      const earlier = await this.#history.undo(place.path, place.shown, bytes, steps);
      await reach(place, earlier, lock, () =>
        earlier.isAbsent ? removeFile(this.#roots, place, stamp) : replaceFile(this.#roots, place, earlier.bytes, stamp),
      );
      return this.#undone(place, earlier, earlier.isAbsent ? bytes : earlier.bytes);
    });
  }

  /** Brings back what the last undo took, a file that it removed too. */
  async redo(named: string, steps: number): Promise<Undone> {
    const place = await this.#findUndone(named);
    return this.alone(place.path, async (lock) => {
      const read = place.exists ? await readPlace(this.#roots, place) : undefined;
      const later = await this.#history.redo(place.path, place.shown, read?.bytes ?? NO_FILE, steps);
      await reach(place, later, lock, () =>
        read ? replaceFile(this.#roots, place, later.bytes, read.stamp) : createFile(this.#roots, place, later.bytes),
      );
      return this.#undone(place, later, later.bytes);
    });
  }

  #undone(place: Place, { isAbsent, tools }: Reached, bytes: Buffer): Undone {
    return { ...this.listing.loaded(place, parseDocument(bytes, place.shown).workflow), tools, isRemoved: isAbsent };
  }

  /** A workflow that is there, or one whose creation was undone. */
  async #findUndone(named: string): Promise<Place> {
    try {
      return await this.listing.find(named);
    } catch (error) {
      for (const { path, bytes } of await this.#history.removedFiles()) {
        const place = await this.#roots.locate(path).catch(outsideNow);
        if (!place || place.exists) continue;
        const { workflow } = parseDocument(bytes, place.shown);
        const names = [place.path, place.shown, basename(place.path), basename(place.path, '.json'), idText(workflow), workflow.name];
        if (names.includes(named)) return place;
      }
      throw error;
    }
  }

  #create(place: Place, tool: string, workflow: Workflow): Promise<boolean> {
    const { bytes } = newDocument(workflow);
    return this.alone(place.path, () => this.#recorded(place, tool, NO_FILE, bytes, () => createFile(this.#roots, place, bytes)));
  }

  /** An edit is recorded before it is written, and forgotten when it could not be. */
  async #recorded(place: Place, tool: string, before: Buffer, after: Buffer, write: () => Promise<boolean>): Promise<boolean> {
    const forget = await this.#history.record(place.path, tool, before, after);
    const written = await writtenOrForgotten(write, forget);
    if (written) await this.#history.forgetUndone(place.path);
    return written;
  }

  /** Work that must not happen twice at the same time, in whichever process. */
  alone<Result>(path: string, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
    return this.#exclusive(`n8n ${path}`, () => withFileLock(lockOf(path), { patience: patienceFor(path) }, work));
  }

  async #writable(path: string): Promise<Place> {
    if (!path.endsWith('.json')) throw new Failure('invalid_input', 'filePath must end in .json', { details: { field: 'filePath' } });
    const place = await this.#roots.locate(path);
    if (place.shown.split('/').some((part) => part.startsWith('.'))) {
      throw new Failure('invalid_input', 'filePath must not lead into a hidden folder or file', { details: { field: 'filePath' } });
    }
    return place;
  }
}

function lockOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.lock`);
}

function patienceFor(path: string) {
  const details = { lock: basename(lockOf(path)) };
  return { ms: PATIENCE_MS, over: () => new Failure('conflict', 'Another process is editing this workflow; try again', { details }) };
}

/** Keeps the way back, then writes. */
async function reach(place: Place, reached: Reached, lock: HeldLock, write: () => Promise<boolean>): Promise<void> {
  const forget = await reached.keep();
  if (await writtenOrForgotten(async () => (await lock.isHeld()) && write(), forget)) return reached.settle();
  throw new Failure('conflict', `${place.shown} was changed by something else just now; look at it and try again`, {
    details: { path: place.shown },
  });
}

/** Its folder may no longer be one of ours. */
function outsideNow(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** Makes one object say what another says, in place. */
function overwrite(target: Workflow, source: Workflow): void {
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) delete target[key];
  for (const [key, value] of Object.entries(source))
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
