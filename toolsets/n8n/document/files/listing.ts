import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { absent, Failure, nearest, recordOf } from '@millrace/kernel';
import { parseDocument } from '../workflow/document.ts';
import { idText, STICKY_NOTE, type Workflow } from '../workflow/model.ts';
import { quoted } from '../workflow/nodes.ts';
import { readPlace, type Stamp, sameStamp, stampOf } from './disk.ts';
import { isInside, type Place, type Roots, shownBelow } from './roots.ts';

/** What lists and discovery need to know of a workflow, so that files need not be kept in memory. */
interface Summary {
  id: string | undefined;
  name: string | undefined;
  description: string;
  nodeCount: number;
  /** Distinct types, in the order of the file. */
  types: string[];
}

/** A workflow file as it was read. */
export interface LoadedWorkflow {
  /** What other calls name it by: its id, or its path where it has none. */
  workflowId: string;
  /** The real, absolute path. */
  path: string;
  workflow: Workflow;
}

/** A workflow file as the listing knows it. */
export interface ListedFile {
  place: Place;
  stamp: Stamp;
  summary: Summary;
}

export function modifiedAt({ stamp }: ListedFile): Date {
  return new Date(Math.round(Number(stamp.mtimeNs / 1000n) / 1000));
}

export interface SkippedFile {
  place: Place;
  reason: string;
}

type Known = { place: Place; stamp: Stamp } & ({ summary: Summary } | { skipped: string | undefined });

const AT_ONCE = 32;
const SNAPSHOT = '.test.json';

/** What workflow files there are, found by what callers name them. Files are read once and again only when they change; folders are looked through each time. */
export class Listing {
  readonly #roots: Roots;
  #known = new Map<string, Known>();
  #byId = new Map<string | undefined, ListedFile[]>();
  #byName = new Map<string, ListedFile[]>();
  #refreshing: Promise<void> | undefined;

  constructor(roots: Roots) {
    this.#roots = roots;
  }

  /** Looks at every file again; callers at the same time share one look. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#look((place) => this.#examine(place)).finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Looks only for files that came or went: much cheaper, and enough to notice that a name is taken twice. */
  async refreshNames(): Promise<void> {
    if (this.#refreshing) return this.#refreshing;
    await this.#look((place) => this.#known.get(place.path) ?? this.#examine(place));
  }

  files(): ListedFile[] {
    return [...this.#known.values()].filter((known) => 'summary' in known);
  }

  /** JSON files that could not be read as JSON, or are too large; files of other tools are passed over. */
  skipped(): SkippedFile[] {
    return [...this.#known.values()].flatMap((known) =>
      'skipped' in known && known.skipped ? [{ place: known.place, reason: known.skipped }] : [],
    );
  }

  withId(id: string): ListedFile[] {
    return this.#byId.get(id) ?? [];
  }

  async #isCurrent(file: ListedFile): Promise<boolean> {
    const stats = await lstat(file.place.path, { bigint: true }).catch(absent);
    return stats?.isFile() === true && sameStamp(stampOf(stats), file.stamp);
  }

  /** Where the workflow is that a caller names by id, name or path; throws Failure('not_found') with the nearest names. */
  async find(named: string): Promise<Place> {
    const { place, refused } = await this.#byPath(named);
    if (place) return place;
    await this.refreshNames();
    const known = await this.#one(this.#matches(named), named);
    if (known && (await this.#isCurrent(known))) return known.place;
    await this.refresh();
    const file = await this.#one(this.#matches(named), named);
    if (file) return file.place;
    throw refused ?? this.#unknown(named);
  }

  /** A workflow is called by its id, unless it has none or shares it with another file. */
  loaded(place: Place, workflow: Workflow): LoadedWorkflow {
    const id = idText(workflow);
    const isShared = this.withId(id).some((file) => file.place.path !== place.path);
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
    const exact = this.withId(named);
    if (exact.length > 0) return exact;
    const sameName = this.#byName.get(named);
    if (sameName) return sameName;
    const bare = named.replace(/\.json$/, '');
    if (bare !== named && this.withId(bare).length > 0) return this.withId(bare);
    const folded = named.trim().toLowerCase();
    const files = this.files();
    const fileName = files.filter(({ place }) => basename(place.path, '.json').toLowerCase() === folded);
    return fileName.length > 0 ? fileName : files.filter((file) => nameOf(file).trim().toLowerCase() === folded);
  }

  async #one(matches: readonly ListedFile[], named: string): Promise<ListedFile | undefined> {
    if (matches.length <= 1) return matches[0];
    const present: ListedFile[] = [];
    for (const file of matches) if (await this.#isCurrent(file)) present.push(file);
    if (present.length <= 1) return present[0];
    const paths = present.slice(0, 10).map((file) => file.place.shown);
    throw new Failure('conflict', `${present.length} workflows are called ${quoted(named)}: name one by its path`, {
      details: { paths },
      fix: { instruction: 'Use the path of the one you mean', example: paths[0] },
    });
  }

  #unknown(named: string): Failure {
    const close = nearest(named, new Set(this.files().flatMap((file) => [nameOf(file), file.place.shown])));
    return new Failure('not_found', `There is no workflow ${quoted(named)}`, {
      details: { nearest: close },
      fix: { instruction: close.length > 0 ? `Did you mean ${close.join(' or ')}?` : 'workflow_list shows what there is' },
    });
  }

  async #look(examine: (place: Place) => Known | Promise<Known | undefined>): Promise<void> {
    const places = new Map<string, Place>();
    const roots = await this.#roots.real();
    for (const root of roots) await collect(roots, root, { found: places, visited: new Set() });
    const found = [...places.values()];
    const known = new Map<string, Known>();
    for (let start = 0; start < found.length; start += AT_ONCE) {
      const looked = found.slice(start, start + AT_ONCE).map(examine);
      const files = looked.some((file) => file instanceof Promise) ? await Promise.all(looked) : (looked as Known[]);
      for (const file of files) if (file) known.set(file.place.path, file);
    }
    this.#known = known;
    this.#byId = Map.groupBy(this.files(), (file) => file.summary.id);
    this.#byName = Map.groupBy(this.files(), nameOf);
  }

  async #examine(place: Place): Promise<Known | undefined> {
    const stats = await lstat(place.path, { bigint: true }).catch(absent);
    if (!stats?.isFile()) return undefined;
    const stamp = stampOf(stats);
    const before = this.#known.get(place.path);
    if (before && sameStamp(before.stamp, stamp)) return before;
    try {
      const { bytes, stamp: read } = await readPlace(this.#roots, place);
      return { place, stamp: read, summary: summaryOf(parseDocument(bytes, place.shown).workflow) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { place, stamp, skipped: error.details['reason'] === 'foreign' ? undefined : error.message };
    }
  }
}

/** What a person calls a workflow that has no name: its file. */
export function nameOf({ place, summary }: ListedFile): string {
  return summary.name ?? basename(place.path, '.json');
}

function looksLikePath(named: string): boolean {
  return named.endsWith('.json') || named.includes('/') || named.includes('\\') || isAbsolute(named);
}

interface Collected {
  found: Map<string, Place>;
  visited: Set<string>;
}

/** Every workflow file below a folder that is not hidden. What a symlink leads to counts once, and only when it is below a root too. */
async function collect(roots: readonly string[], folder: string, { found, visited }: Collected): Promise<void> {
  if (visited.has(folder)) return;
  visited.add(folder);
  const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const { path, kind } = await resolved(join(folder, entry.name), entry);
    const root = roots.find((candidate) => isInside(candidate, path));
    if (root === undefined) continue;
    if (kind.isDirectory()) await collect(roots, path, { found, visited });
    else if (kind.isFile() && path.endsWith('.json') && !path.endsWith(SNAPSHOT) && !found.has(path))
      found.set(path, { path, root, shown: shownBelow(root, path), exists: true });
  }
}

/** Where an entry of a folder really is; one that leads nowhere is neither a folder nor a file. */
async function resolved(path: string, entry: Dirent): Promise<{ path: string; kind: Dirent | Stats }> {
  const real = entry.isSymbolicLink() ? await realpath(path).catch(absent) : undefined;
  const stats = real === undefined ? undefined : await stat(real).catch(absent);
  return real === undefined || stats === undefined ? { path, kind: entry } : { path: real, kind: stats };
}

const MAX_DESCRIPTION = 500;

function summaryOf(workflow: Workflow): Summary {
  const working = workflow.nodes.filter((node) => node.type !== STICKY_NOTE);
  return {
    id: idText(workflow) || undefined,
    name: typeof workflow.name === 'string' && workflow.name !== '' ? workflow.name : undefined,
    description: descriptionOf(workflow).slice(0, MAX_DESCRIPTION),
    nodeCount: working.length,
    types: [...new Set(working.map((node) => node.type))],
  };
}

/** The workflow's own description, else the text of its first note. */
function descriptionOf(workflow: Workflow): string {
  const meta = recordOf(workflow['meta']);
  for (const text of [workflow.description, meta['description']]) if (typeof text === 'string' && text.trim()) return text.trim();
  const note = workflow.nodes.find((node) => node.type === STICKY_NOTE)?.parameters?.['content'];
  return typeof note === 'string' ? note.replace(/\s+/g, ' ').trim() : '';
}
