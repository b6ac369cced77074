import { basename } from 'node:path';
import { Failure } from '@millrace/kernel';
import type { HeldLock } from '@millrace/storage';
import { parseDocument } from '../workflow/document.ts';
import { idText } from '../workflow/identity.ts';
import { createFile, readPlace, removeFile, replaceFile } from './disk.ts';
import { type History, NO_FILE, type Reached, writtenOrForgotten } from './history.ts';
import type { Place, Roots } from './roots.ts';
import type { LoadedWorkflow, WorkflowFinder } from './workflow-finder.ts';

/** A workflow after edits were undone or redone. */
export interface Undone extends LoadedWorkflow {
  /** The tools that had made them, the last first. */
  tools: string[];
  /** Its file was made by one of them, and is gone; the workflow is what it was. */
  isRemoved: boolean;
}

/** Work on a file while nothing else may touch it. */
export type Locked = <Result>(path: string, work: (lock: HeldLock) => Promise<Result>) => Promise<Result>;

export class Undoing {
  readonly #roots: Roots;
  readonly #history: History;
  readonly #finder: WorkflowFinder;
  readonly #locked: Locked;

  constructor(roots: Roots, history: History, finder: WorkflowFinder, locked: Locked) {
    this.#roots = roots;
    this.#history = history;
    this.#finder = finder;
    this.#locked = locked;
  }

  async undo(named: string, steps: number): Promise<Undone> {
    const place = await this.#finder.find(named);
    return this.#locked(place.path, async (lock) => {
      const { bytes, stamp } = await readPlace(this.#roots, place);
      const earlier = await this.#history.undo(place.path, place.shown, bytes, steps);
      await this.#reach(place, earlier, lock, () =>
        earlier.isAbsent ? removeFile(this.#roots, place, stamp) : replaceFile(this.#roots, place, earlier.bytes, stamp),
      );
      return this.#undone(place, earlier, earlier.isAbsent ? bytes : earlier.bytes);
    });
  }

  async redo(named: string, steps: number): Promise<Undone> {
    const place = await this.#findUndone(named);
    return this.#locked(place.path, async (lock) => {
      const read = place.exists ? await readPlace(this.#roots, place) : undefined;
      const later = await this.#history.redo(place.path, place.shown, read?.bytes ?? NO_FILE, steps);
      await this.#reach(place, later, lock, () =>
        read ? replaceFile(this.#roots, place, later.bytes, read.stamp) : createFile(this.#roots, place, later.bytes),
      );
      return this.#undone(place, later, later.bytes);
    });
  }

  async #reach(place: Place, reached: Reached, lock: HeldLock, write: () => Promise<boolean>): Promise<void> {
    const forget = await reached.keep();
    if (await writtenOrForgotten(async () => (await lock.isHeld()) && write(), forget)) return reached.settle();
    throw new Failure('conflict', `${place.shown} was changed by something else just now; look at it and try again`, {
      details: { path: place.shown },
    });
  }

  #undone(place: Place, { isAbsent, tools }: Reached, bytes: Buffer): Undone {
    return { ...this.#finder.loaded(place, parseDocument(bytes, place.shown).workflow), tools, isRemoved: isAbsent };
  }

  /** A workflow that is there, or one whose creation was undone. */
  async #findUndone(named: string): Promise<Place> {
    try {
      return await this.#finder.find(named);
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
}

/** Its folder may no longer be one of ours. */
function outsideNow(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}
