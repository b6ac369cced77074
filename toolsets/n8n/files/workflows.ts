import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { absent, Failure, nearest } from '@millrace/kernel';
import { type HeldLock, withFileLock } from '@millrace/storage';
import type { LoadedWorkflow } from '../services.ts';
import { equal } from '../text/equal.ts';
import { changedDocument, newDocument, notAWorkflow, parseDocument } from '../workflow/document.ts';
import { slugOf } from '../workflow/identity.ts';
import type { Workflow } from '../workflow/model.ts';
import { createFile, type ReadFile, readPlace, replaceFile } from './disk.ts';
import { type History, NO_FILE } from './history.ts';
import { type ListedFile, Listing, modifiedAt, nameOf } from './listing.ts';
import { isInside, type Place, type Roots } from './roots.ts';
import { idText } from './summary.ts';
import { Undoing, type Undone } from './undoing.ts';

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

export interface WorkflowPage {
  workflows: { id: string; name: string; path: string; lastModified: string }[];
  total: number;
  skipped: { path: string; reason: string }[];
}

const ATTEMPTS = 5;
const MAX_SKIPPED = 20;
/** Longer than the lock of a process that was killed on another machine stands. */
const PATIENCE_MS = 35_000;

/** The workflow files: found by id, name or path, changed one edit at a time, every edit recorded. */
export class Workflows {
  readonly roots: Roots;
  readonly listing: Listing;
  readonly #history: History;
  readonly #exclusive: Exclusive;
  readonly #undoing: Undoing;

  constructor({ roots, history, exclusive }: WorkflowsOptions) {
    this.roots = roots;
    this.listing = new Listing(roots);
    this.#history = history;
    this.#exclusive = exclusive ?? ((_name, work) => work());
    this.#undoing = new Undoing(roots, history, {
      find: (named) => this.find(named),
      alone: (place, work) => this.#locked(place, work),
      loaded: (place, workflow) => this.#loaded(place, workflow),
    });
  }

  /** By id, name or path; throws Failure('not_found') with the nearest names. */
  async load(named: string): Promise<LoadedWorkflow> {
    const place = await this.find(named);
    const { bytes } = await readPlace(this.roots, place);
    return this.#loaded(place, parseDocument(bytes, place.shown).workflow);
  }

  /** Where the workflow is that a caller names by id, name or path. */
  async find(named: string): Promise<Place> {
    const { place, refused } = await this.#byPath(named);
    if (place) return place;
    await this.listing.refreshNames();
    const known = await this.#one(this.#matches(named), named);
    if (known && (await this.listing.isCurrent(known))) return known.place;
    await this.listing.refresh();
    const file = await this.#one(this.#matches(named), named);
    if (file) return file.place;
    throw refused ?? this.#unknown(named);
  }

  /** Changes a workflow. `change` gets a copy to work on; when it throws, the file stays as it is. */
  async edit<Result>(named: string, tool: string, change: (workflow: Workflow) => Result): Promise<EditedWorkflow<Result>> {
    const place = await this.find(named);
    return this.#locked(place, async (lock) => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const read = await readPlace(this.roots, place);
        const document = parseDocument(read.bytes, place.shown);
        const workflow = structuredClone(document.workflow);
        const result = change(workflow);
        const changed = !equal(document.workflow, workflow);
        const loaded = { ...this.#loaded(place, workflow), result, changed };
        if (!changed) return loaded;
        if (await this.#write(place, tool, read, changedDocument(document, workflow).bytes, lock)) return loaded;
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
      await this.edit(place.path, tool, (current) => become(current, workflow));
      return { place, created: false };
    }
    const created = await this.#create(place, tool, workflow);
    if (created) return { place, created };
    if ((await this.roots.locate(path)).exists) return this.save(path, tool, workflow);
    throw new Failure('conflict', `${place.shown} cannot be made: something else stands there`, { details: { path: place.shown } });
  }

  /** Other files whose workflow goes by the same id. */
  async othersWithId(id: string, path: string): Promise<string[]> {
    await this.listing.refreshNames();
    return this.listing
      .withId(id)
      .filter(({ place }) => place.path !== path)
      .map(({ place }) => place.shown);
  }

  /** Writes a new workflow to a file named after it, in the first root. */
  async create(name: string, workflow: Workflow): Promise<LoadedWorkflow> {
    const slug = slugOf(name);
    for (let number = 1; ; number++) {
      const file = number === 1 ? `${slug}.json` : `${slug}-${number}.json`;
      const place = await this.roots.locate(join(this.roots.folders[0] as string, file));
      if (place.exists) continue;
      if (await this.#create(place, 'workflow_create', workflow)) return this.#loaded(place, workflow);
    }
  }

  /** One page of the workflows below a folder, and what stands there that could not be read. */
  async list(folder: string | undefined, limit: number, offset: number): Promise<WorkflowPage> {
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
    const place = await this.roots.locate(written);
    const stats = await stat(place.path).catch(absent);
    if (stats?.isDirectory() || place.path === place.root) return place;
    throw new Failure('not_found', `There is no folder ${quoted(written)}`, { details: { path: place.shown } });
  }

  /** Brings back the file as it was before the last edits; the making of a file is one of them. */
  undo(named: string, steps: number): Promise<Undone> {
    return this.#undoing.undo(named, steps);
  }

  /** Brings back what the last undo took, a file that it removed too. */
  redo(named: string, steps: number): Promise<Undone> {
    return this.#undoing.redo(named, steps);
  }

  #create(place: Place, tool: string, workflow: Workflow): Promise<boolean> {
    const { bytes } = newDocument(workflow);
    return this.#locked(place, async () => {
      const forget = await this.#history.record(place.path, tool, NO_FILE, bytes);
      let created = false;
      try {
        created = await createFile(this.roots, place, bytes);
        if (created) await this.#history.forgetUndone(place.path);
        return created;
      } finally {
        if (!created) await forget();
      }
    });
  }

  async #write(place: Place, tool: string, read: ReadFile, bytes: Buffer, lock: HeldLock): Promise<boolean> {
    const forget = await this.#history.record(place.path, tool, read.bytes, bytes);
    let written = false;
    try {
      written = (await lock.isHeld()) && (await replaceFile(this.roots, place, bytes, read.stamp));
      if (written) await this.#history.forgetUndone(place.path);
      return written;
    } finally {
      if (!written) await forget();
    }
  }

  /** Work that must not happen twice at the same time, in whichever process. */
  alone<Result>(path: string, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
    const file = join(dirname(path), `.${basename(path)}.lock`);
    const patience = { ms: PATIENCE_MS, over: () => inUse(file) };
    return this.#exclusive(`n8n ${path}`, () => withFileLock(file, { patience }, work));
  }

  #locked<Result>(place: Place, work: (lock: HeldLock) => Promise<Result>): Promise<Result> {
    return this.alone(place.path, work);
  }

  /** A workflow is called by its id, unless it has none or shares it with another file. */
  #loaded(place: Place, workflow: Workflow): LoadedWorkflow {
    const id = idText(workflow);
    const isShared = this.listing.withId(id).some((file) => file.place.path !== place.path);
    return { workflowId: id === '' || isShared ? place.shown : id, path: place.path, workflow };
  }

  async #byPath(named: string): Promise<{ place?: Place; refused?: Failure }> {
    if (!looksLikePath(named)) return {};
    try {
      const place = await this.roots.locate(named);
      return place.exists && place.path.endsWith('.json') ? { place } : {};
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { refused: error };
    }
  }

  #matches(named: string): ListedFile[] {
    const exact = this.listing.withId(named);
    if (exact.length > 0) return exact;
    const sameName = this.listing.withName(named);
    if (sameName.length > 0) return sameName;
    const bare = named.replace(/\.json$/, '');
    if (bare !== named && this.listing.withId(bare).length > 0) return this.listing.withId(bare);
    const folded = named.trim().toLowerCase();
    const files = this.listing.files();
    const fileName = files.filter(({ place }) => basename(place.path, '.json').toLowerCase() === folded);
    return fileName.length > 0 ? fileName : files.filter((file) => nameOf(file).trim().toLowerCase() === folded);
  }

  async #one(matches: readonly ListedFile[], named: string): Promise<ListedFile | undefined> {
    if (matches.length <= 1) return matches[0];
    const present: ListedFile[] = [];
    for (const file of matches) if (await this.listing.isCurrent(file)) present.push(file);
    if (present.length <= 1) return present[0];
    const paths = present.slice(0, 10).map((file) => file.place.shown);
    throw new Failure('conflict', `${present.length} workflows are called ${quoted(named)}: name one by its path`, {
      details: { paths },
      fix: { instruction: 'Use the path of the one you mean', example: paths[0] },
    });
  }

  #unknown(named: string): Failure {
    const close = nearest(named, new Set(this.listing.files().flatMap((file) => [nameOf(file), file.place.shown])));
    return new Failure('not_found', `There is no workflow ${quoted(named)}`, {
      details: { nearest: close },
      fix: { instruction: close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'workflow_list shows what there is' },
    });
  }

  async #writable(path: string): Promise<Place> {
    if (!path.endsWith('.json')) throw new Failure('invalid_input', 'filePath must end in .json', { details: { field: 'filePath' } });
    const place = await this.roots.locate(path);
    if (place.shown.split('/').some((part) => part.startsWith('.'))) {
      throw new Failure('invalid_input', 'filePath must not lead into a hidden folder or file', { details: { field: 'filePath' } });
    }
    return place;
  }
}

function inUse(lock: string): Failure {
  return new Failure('conflict', 'Another process is editing this workflow; try again', { details: { lock: basename(lock) } });
}

function looksLikePath(named: string): boolean {
  return named.endsWith('.json') || named.includes('/') || named.includes('\\') || isAbsolute(named);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}

/** Makes one object say what another says, in place. */
function become(target: Workflow, source: Workflow): void {
  for (const key of Object.keys(target)) if (!Object.hasOwn(source, key)) delete target[key];
  for (const [key, value] of Object.entries(source))
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
