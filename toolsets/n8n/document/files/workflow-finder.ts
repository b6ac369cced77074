import { basename, isAbsolute } from 'node:path';
import { Failure, nearest } from '@millrace/kernel';
import { idText } from '../workflow/identity.ts';
import type { Workflow } from '../workflow/model.ts';
import { quoted } from '../workflow/nodes.ts';
import { type ListedFile, Listing, nameOf } from './listing.ts';
import type { Place, Roots } from './roots.ts';

/** A workflow file as it was read. */
export interface LoadedWorkflow {
  /** What other calls name it by: its id, or its path where it has none. */
  workflowId: string;
  /** The real, absolute path. */
  path: string;
  workflow: Workflow;
}

/** Finds workflow files by what callers name them: id, name or path. */
export class WorkflowFinder {
  readonly listing: Listing;
  readonly #roots: Roots;

  constructor(roots: Roots) {
    this.#roots = roots;
    this.listing = new Listing(roots);
  }

  /** Throws Failure('not_found') with the nearest names. */
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

  /** A workflow is called by its id, unless it has none or shares it with another file. */
  loaded(place: Place, workflow: Workflow): LoadedWorkflow {
    const id = idText(workflow);
    const isShared = this.listing.withId(id).some((file) => file.place.path !== place.path);
    return { workflowId: id === '' || isShared ? place.shown : id, path: place.path, workflow };
  }

  async #byPath(named: string): Promise<{ place?: Place; refused?: Failure }> {
    if (!looksLikePath(named)) return {};
    try {
      const place = await this.#roots.locate(named);
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
}

function looksLikePath(named: string): boolean {
  return named.endsWith('.json') || named.includes('/') || named.includes('\\') || isAbsolute(named);
}
