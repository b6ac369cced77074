import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DisplayOptions, Property, TypeDescription } from './description.ts';

export type Parameters = Record<string, unknown>;

/** The part of a node that the rules look at. */
export interface RuledNode {
  name: string;
  type: string;
  typeVersion: number;
  parameters: Parameters;
  disabled?: boolean;
  [key: string]: unknown;
}

export interface ParameterIssues {
  parameters?: Record<string, string[]>;
  [kind: string]: unknown;
}

/** n8n's own rules about parameters, as n8n-workflow has them. */
export interface ParameterRules {
  getNodeParameters(
    properties: Property[],
    values: Parameters,
    returnDefaults: boolean,
    returnNoneDisplayed: boolean,
    node: RuledNode | null,
    description: TypeDescription | null,
  ): Parameters | null;
  getNodeParametersIssues(properties: Property[], node: RuledNode, description: TypeDescription | null): ParameterIssues | null;
  displayParameter(
    values: Parameters,
    parameter: { displayOptions?: DisplayOptions },
    node: RuledNode | null,
    description: TypeDescription | null,
    root?: Parameters,
  ): boolean;
}

/** Loads the rules out of a pack; costs a tenth of a second, once. */
export function loadParameterRules(packFolder: string): ParameterRules {
  return createRequire(join(packFolder, 'package.json'))('n8n-workflow/dist/cjs/node-helpers.js') as ParameterRules;
}
