import { buildCatalogue } from '../catalogue/build.ts';
import { loadParameterRules, type ParameterRules } from '../catalogue/parameter-rules.ts';
import { TypeStore } from '../catalogue/type-store.ts';
import { type Availability, ENGINE_COMMAND } from '../ports.ts';
import { PINNED_VERSION } from './places.ts';
import { type InstalledPack, installedPack, packStatus } from './status.ts';

/** An installed pack in use. */
export class OpenedPack {
  readonly version: string;
  readonly folder: string;
  readonly types: TypeStore;
  #rules: ParameterRules | undefined;

  constructor(installed: InstalledPack, types: TypeStore) {
    this.version = installed.version;
    this.folder = installed.folder;
    this.types = types;
  }

  get rules(): ParameterRules {
    this.#rules ??= loadParameterRules(this.folder);
    return this.#rules;
  }
}

/** Finds and opens the pack of a home, and looks again when it was not there: it may have been installed meanwhile. */
export class PackReader {
  readonly #home: string;
  readonly #version: string | undefined;
  #opened: OpenedPack | undefined;
  #opening: Promise<OpenedPack | undefined> | undefined;

  constructor(home: string, version?: string) {
    this.#home = home;
    this.#version = version;
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
    if (pack) return { available: true, version: pack.version };
    const wanted = this.#version ? `n8n ${this.#version} is not installed` : 'it is not installed';
    return { available: false, reason: wanted, command: ENGINE_COMMAND };
  }

  close(): void {
    this.#opened?.types.close();
    this.#opened = undefined;
  }

  async #find(): Promise<OpenedPack | undefined> {
    const installed = await this.#installed();
    return installed && new OpenedPack(installed, await openTypes(installed));
  }

  /** The version asked for; else the pinned one; else the newest there is. */
  async #installed(): Promise<InstalledPack | undefined> {
    if (this.#version) return installedPack(this.#home, this.#version);
    return (await installedPack(this.#home, PINNED_VERSION)) ?? (await packStatus(this.#home)).installed[0];
  }
}

/** A pack that an older Millrace installed has an index of an older format: a new one is built from its packages. */
async function openTypes(installed: InstalledPack): Promise<TypeStore> {
  try {
    return await TypeStore.open(installed.folder);
  } catch {
    await buildCatalogue(installed.folder, installed.version);
    return TypeStore.open(installed.folder);
  }
}
