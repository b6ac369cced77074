import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, type Context, type Log, nearest } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import { type ContextDefinition, type ContextIssue, fromPublished } from '../flow/context.ts';
import type { ContextTables } from '../migrations.ts';
import type { ComposedStore } from './composed-store.ts';
import { contextFilesBelow, type ParsedFile, ParsedFiles } from './context-files.ts';

export interface RegistryOptions {
  /** Folders of a person's own contexts; when two define the same URI, the earlier folder wins. */
  folders: readonly string[];
  /** The built-in library's folder; undefined leaves it out. */
  library: string | undefined;
  /** What the enabled toolsets publish. */
  published: () => Promise<Context[]>;
  /** Contexts that were composed but not saved: only their user sees them. */
  composed?: Pick<ComposedStore, 'get' | 'all'>;
  store: Store<ContextTables>;
  clock: Clock;
  log: Log;
  /** Of the product: what another version has stored is not used. */
  version?: string;
  /** Watches the folders; on by default. */
  watch?: boolean;
}

/** What is wrong with a file, for people. */
export interface FileIssue extends ContextIssue {
  file: string;
}

/** What the rest of FlowMind asks about contexts. */
export type ContextRegistry = Pick<Registry, 'get' | 'all' | 'nearest' | 'onChange' | 'refresh'>;

const SETTLED_MS = 100;
const RESCAN_MS = 10_000;

/** Every context that can be found or run: files of the workspace, the built-in library, and what the toolsets publish. */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #parsedFiles: ParsedFiles;
  readonly #published: PublishedContexts;
  readonly #listeners = new Set<(uris: string[]) => void>();
  #fromFiles = new Map<string, ContextDefinition>();
  #issues: FileIssue[] = [];
  #shared: ContextDefinition[] | undefined;
  #byUri = new Map<string, ContextDefinition>();
  #scannedAt = Number.NEGATIVE_INFINITY;
  #scanning: Promise<void> | undefined;
  #watchers: FSWatcher[] = [];
  #settling: NodeJS.Timeout | undefined;
  #watching = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { published: read, clock, log } = options;
    this.#parsedFiles = new ParsedFiles(options);
    this.#published = new PublishedContexts({ read, clock, log, changed: (uris) => this.#changed(uris) });
  }

  /** What every user of the server can see. */
  async shared(): Promise<ContextDefinition[]> {
    await this.#scanned();
    await this.#published.refresh();
    if (!this.#shared) {
      const published = this.#published.contexts;
      this.#byUri = new Map([...published.map((context): [string, ContextDefinition] => [context.uri, context]), ...this.#fromFiles]);
      this.#shared = [...this.#byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
    }
    return this.#shared;
  }

  /** All that this user can see, in a fixed order. */
  async all(userId: string): Promise<ContextDefinition[]> {
    const shared = await this.shared();
    const composed = (await this.#options.composed?.all(userId)) ?? [];
    return composed.length > 0 ? [...shared, ...composed.filter((context) => !this.#byUri.has(context.uri))] : shared;
  }

  /** The context with this URI; a composed but unsaved one only for its user. */
  async get(uri: string, userId: string): Promise<ContextDefinition | undefined> {
    await this.shared();
    const known = this.#byUri.get(uri) ?? (await this.#options.composed?.get(uri, userId));
    if (known) return known;
    await Promise.all([this.refresh(), this.#published.readAgain()]);
    await this.shared();
    return this.#byUri.get(uri);
  }

  /** URIs closest to one that names nothing, the best first. */
  async nearest(uri: string, userId: string): Promise<string[]> {
    const bySlug = new Map<string, string[]>();
    for (const context of await this.all(userId)) {
      const slug = context.uri.slice(context.uri.indexOf('://') + 3);
      bySlug.set(slug, [...(bySlug.get(slug) ?? []), context.uri]);
    }
    const slug = uri.replace(/^[a-z]*:\/*/i, '');
    return nearest(slug, bySlug.keys(), 5).flatMap((close) => bySlug.get(close) ?? []);
  }

  /** Called when contexts were added, changed or removed; the returned function ends it. */
  onChange(listener: (uris: string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What was found wrong with files: of severity error where one could not be loaded. */
  async issues(): Promise<FileIssue[]> {
    await this.#scanned();
    return this.#issues;
  }

  /** Reads the files again now. A scan that has begun may have missed what was written since: the next one waits for it. */
  async refresh(): Promise<void> {
    await this.#scanning;
    await this.#scanOnce();
  }

  #scanOnce(): Promise<void> {
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers = [];
    clearTimeout(this.#settling);
    this.#listeners.clear();
  }

  /** The first call waits for the files; later, an old scan is repeated in the background, for folders that cannot be watched. */
  async #scanned(): Promise<void> {
    if (this.#scannedAt === Number.NEGATIVE_INFINITY) {
      if (this.#options.watch !== false) this.#watch();
      await this.#scanOnce();
    } else if (this.#options.clock.now().getTime() - this.#scannedAt > RESCAN_MS) void this.#scanOnce();
  }

  async #scan(): Promise<void> {
    const found = new Map<string, ContextDefinition>();
    const issues: FileIssue[] = [];
    const sources = this.#options.folders.map((folder) => ({ folder, kind: 'workspace' as const }));
    const library = this.#options.library === undefined ? [] : [{ folder: this.#options.library, kind: 'builtin' as const }];
    for (const { folder, kind } of [...sources, ...library]) {
      for (const parsed of await this.#parsed(folder, kind)) add(parsed, found, issues, kind === 'builtin');
    }
    const changed = differences(this.#fromFiles, found);
    this.#fromFiles = found;
    this.#report(issues);
    this.#scannedAt = this.#options.clock.now().getTime();
    if (changed.length > 0) this.#changed(changed);
  }

  async #parsed(folder: string, kind: 'workspace' | 'builtin'): Promise<ParsedFile[]> {
    try {
      return await this.#parsedFiles.parse(await contextFilesBelow(folder), folder, kind);
    } catch (error) {
      this.#options.log.warn({ err: error, folder }, 'a folder of contexts cannot be read');
      return [];
    }
  }

  /** Each issue is logged once, when it first appears. */
  #report(issues: FileIssue[]): void {
    const old = new Set(this.#issues.map(issueText));
    for (const issue of issues) {
      if (issue.severity !== 'error' || old.has(issueText(issue))) continue;
      this.#options.log.warn(
        { file: issue.file, line: issue.line, column: issue.column },
        `a context could not be loaded: ${issue.message}`,
      );
    }
    this.#issues = issues;
  }

  #changed(uris: string[]): void {
    this.#shared = undefined;
    for (const listener of this.#listeners) listener(uris);
  }

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    for (const folder of this.#options.folders) {
      try {
        const watcher = watch(folder, { recursive: true, persistent: false }, () => this.#settle());
        watcher.on('error', () => watcher.close());
        this.#watchers.push(watcher);
      } catch (error) {
        // A folder that does not exist yet, or cannot be watched, is still scanned now and then.
        this.#options.log.debug({ err: error, folder }, 'a folder of contexts cannot be watched');
      }
    }
  }

  /** An editor writes several times: one scan after the last. */
  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.refresh(), SETTLED_MS);
    this.#settling.unref();
  }
}

function add(parsed: ParsedFile, found: Map<string, ContextDefinition>, issues: FileIssue[], overridable: boolean): void {
  const { path, definition } = parsed;
  issues.push(...parsed.issues.map((issue) => ({ ...issue, file: path })));
  if (!definition) return;
  const earlier = found.get(definition.uri);
  if (!earlier) found.set(definition.uri, definition);
  else if (!overridable) {
    const message = `${definition.uri} is also defined in ${earlier.source.path}, which is used`;
    issues.push({ severity: 'error', message, line: 1, column: 1, path: 'metadata.id', file: path });
  }
}

function differences(old: ReadonlyMap<string, ContextDefinition>, now: ReadonlyMap<string, ContextDefinition>): string[] {
  const uris = new Set([...old.keys(), ...now.keys()]);
  return [...uris].filter((uri) => old.get(uri) !== now.get(uri));
}

function issueText(issue: FileIssue): string {
  return `${issue.file}:${issue.line}:${issue.column}:${issue.message}`;
}

const FRESH_MS = 15_000;
const PATIENCE_MS = 3_000;

interface PublishedContextsOptions {
  read: () => Promise<Context[]>;
  clock: Clock;
  log: Log;
  changed: (uris: string[]) => void;
}

/** What the toolsets publish: read again now and then, never waited for long, and left as it was when a toolset cannot answer. */
class PublishedContexts {
  readonly #options: PublishedContextsOptions;
  #contexts: ContextDefinition[] = [];
  #texts = new Map<string, string>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: PublishedContextsOptions) {
    this.#options = options;
  }

  get contexts(): readonly ContextDefinition[] {
    return this.#contexts;
  }

  /** Waits for the first reading only, and not for long; later ones run in the background. */
  async refresh(): Promise<void> {
    const never = this.#readAt === Number.NEGATIVE_INFINITY;
    if (this.#options.clock.now().getTime() - this.#readAt > FRESH_MS) {
      const reading = this.#readOnce();
      if (never) await Promise.race([reading, sleep(PATIENCE_MS, undefined, { ref: false })]);
    }
  }

  /** Reads again now. What is being read may be too old already: the next reading waits for it. */
  async readAgain(): Promise<void> {
    await this.#reading;
    await this.#readOnce();
  }

  #readOnce(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      const contexts = unique((await this.#options.read()).filter(isForeign)).map(fromPublished);
      const texts = new Map(contexts.map((context) => [context.uri, context.source.text]));
      const uris = [...new Set([...texts.keys(), ...this.#texts.keys()])].filter((uri) => texts.get(uri) !== this.#texts.get(uri));
      this.#contexts = contexts;
      this.#texts = texts;
      this.#readAt = this.#options.clock.now().getTime();
      if (uris.length > 0) this.#options.changed(uris);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the contexts of the toolsets could not be read');
    }
  }
}

/** FlowMind's own tools lead to contexts; they are not contexts themselves. */
function isForeign(context: Context): boolean {
  return !context.uri.startsWith('tool://flowmind/');
}

function unique(contexts: readonly Context[]): Context[] {
  return [...new Map(contexts.map((context) => [context.uri, context])).values()];
}
