import type { Failure, Log } from '@millrace/kernel';
import { type Availability, engineMissing } from '../../document/workflow/model.ts';
import { buildCatalogue } from '../types/build.ts';
import { OpenedPack } from '../types/opened-pack.ts';
import { TypeStore } from '../types/type-store.ts';
import { type InstalledPack, installedPack, installedPacks, PINNED_VERSION } from './installed.ts';

export interface ReaderOptions {
  home: string;
  version?: string | undefined;
  /** The folder with the catalogue of an instance, which serves where no pack is installed. */
  instanceCatalogue?: (() => Promise<string>) | undefined;
  log: Log;
}

/** Finds and opens the pack of a home, and looks again when it was missing: it may have been installed since. */
export class PackReader {
  readonly #options: ReaderOptions;
  #opened: OpenedPack | undefined;
  #opening: Promise<OpenedPack | undefined> | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** What is open now, without looking. */
  get current(): OpenedPack | undefined {
    return this.#opened;
  }

  async open(): Promise<OpenedPack | undefined> {
    if (this.#opened) return this.#opened;
    this.#opening ??= this.#find().finally(() => {
      this.#opening = undefined;
    });
    this.#opened = await this.#opening;
    return this.#opened;
  }

  /** For running workflows, an instance's catalogue is not enough. */
  async availability({ toRun = false } = {}): Promise<Availability> {
    const pack = await this.open();
    return pack && (pack.runs || !toRun) ? { available: true, version: pack.version } : this.#missing();
  }

  /** What to say when something needs the pack and it is not there. */
  missing(what: string): Failure {
    return engineMissing(what, this.#missing());
  }

  #missing(): Extract<Availability, { available: false }> {
    const { version } = this.#options;
    return { available: false, reason: version ? `n8n ${version} is not installed` : 'it is not installed' };
  }

  close(): void {
    this.#opened?.types.close();
    this.#opened = undefined;
  }

  async #find(): Promise<OpenedPack | undefined> {
    const installed = await this.#installed();
    if (installed) return new OpenedPack({ ...installed, runs: true }, await openTypes(installed, this.#options.log));
    const folder = await this.#options.instanceCatalogue?.();
    if (folder === undefined) return undefined;
    return new OpenedPack({ version: 'instance', folder, runs: false }, await TypeStore.open(folder));
  }

  /** The version asked for; else the pinned one; else the newest there is. */
  async #installed(): Promise<InstalledPack | undefined> {
    const { home, version } = this.#options;
    if (version) return installedPack(home, version);
    return (await installedPack(home, PINNED_VERSION)) ?? (await installedPacks(home))[0];
  }
}

/** A pack that an older Millrace installed has no index, or one of an older format: a new one is built from its packages. */
async function openTypes(installed: InstalledPack, log: Log): Promise<TypeStore> {
  try {
    return await TypeStore.open(installed.folder);
  } catch (error) {
    log.info({ err: error, version: installed.version }, "the index of the engine pack's nodes is built again");
    await buildCatalogue(installed.folder, installed.version);
    return TypeStore.open(installed.folder);
  }
}
