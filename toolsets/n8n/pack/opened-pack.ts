import type { Log } from '@millrace/kernel';
import { buildCatalogue } from '../catalogue/build.ts';
import { type InstanceLogin, instanceCatalogue } from '../catalogue/instance-types.ts';
import { loadParameterRules, type ParameterRules } from '../catalogue/parameter-rules.ts';
import { PLAIN_RULES } from '../catalogue/plain-rules.ts';
import { TypeStore } from '../catalogue/type-store.ts';
import type { Availability } from '../ports.ts';
import { PINNED_VERSION } from './places.ts';
import { type InstalledPack, installedPack, packStatus } from './status.ts';

/** A pack in use: an installed one, or only the catalogue of an instance. */
export class OpenedPack {
  readonly version: string;
  readonly folder: string;
  readonly types: TypeStore;
  /** Whether n8n's own code is there, to run workflows and to judge parameters. */
  readonly runs: boolean;
  #rules: ParameterRules | undefined;

  constructor(pack: { version: string; folder: string; runs: boolean }, types: TypeStore) {
    this.version = pack.version;
    this.folder = pack.folder;
    this.runs = pack.runs;
    this.types = types;
  }

  get rules(): ParameterRules {
    this.#rules ??= this.runs ? loadParameterRules(this.folder) : PLAIN_RULES;
    return this.#rules;
  }
}

export interface ReaderOptions {
  home: string;
  version?: string | undefined;
  /** Whose nodes are used where no pack is installed. */
  instance?: InstanceLogin | undefined;
  log: Log;
}

/** Finds and opens the pack of a home, and looks again when it was not there: it may have been installed meanwhile. */
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

  async availability(): Promise<Availability> {
    const pack = await this.open();
    return pack ? { available: true, version: pack.version } : this.#missing();
  }

  /** As above, but an instance's catalogue is not enough. */
  async engineAvailability(): Promise<Availability> {
    const pack = await this.open();
    return pack?.runs ? { available: true, version: pack.version } : this.#missing();
  }

  #missing(): Availability {
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
    const { home, instance, log } = this.#options;
    if (!instance) return undefined;
    const folder = await instanceCatalogue(home, instance, new Date(), log);
    return new OpenedPack({ version: 'instance', folder, runs: false }, await TypeStore.open(folder));
  }

  /** The version asked for; else the pinned one; else the newest there is. */
  async #installed(): Promise<InstalledPack | undefined> {
    const { home, version } = this.#options;
    if (version) return installedPack(home, version);
    return (await installedPack(home, PINNED_VERSION)) ?? (await packStatus(home)).installed[0];
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
