import { loadParameterRules, type ParameterRules } from './parameter-rules.ts';
import { PLAIN_RULES } from './plain-rules.ts';
import { TypeNames } from './type-names.ts';
import type { TypeStore } from './type-store.ts';

/** A pack in use: an installed one, or only the catalogue of an instance. */
export class OpenedPack {
  readonly version: string;
  readonly folder: string;
  readonly types: TypeStore;
  /** Whether n8n's own code is there, to run workflows and to judge parameters. */
  readonly runs: boolean;
  #rules: ParameterRules | undefined;
  #names: TypeNames | undefined;

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

  get names(): TypeNames {
    this.#names ??= new TypeNames(this.types);
    return this.#names;
  }
}
