import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '@millrace/kernel';
import { z } from 'zod';
import { PROVIDERS } from '../../packages/models/src/providers.ts';
import { version } from './manifest.ts';

const root = join(import.meta.dirname, '../..');

interface EnvironmentVariable {
  name: string;
  description: string;
  format?: 'string' | 'number' | 'boolean';
  default?: string;
  choices?: string[];
  isSecret?: boolean;
}

interface ValueSchema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  properties?: Record<string, ValueSchema>;
}

/** server.json with its version and the environment variables of all settings; the rest of it is written by hand. */
export function serverJson(settings: readonly Settings[]): object {
  const written = JSON.parse(readFileSync(join(root, 'server.json'), 'utf8')) as { packages: [{ environmentVariables?: unknown }] };
  const { environmentVariables: _before, ...npmPackage } = written.packages[0];
  const environmentVariables = [HOME, ...settings.flatMap(variablesOf), ...modelVariables()];
  return { ...written, version, packages: [{ ...npmPackage, version, environmentVariables }] };
}

const HOME: EnvironmentVariable = {
  name: 'MILLRACE_HOME',
  description: 'Folder for data, keys and installed engines; ~/.millrace when unset',
};

function variablesOf({ schema, environment, secrets = [] }: Settings): EnvironmentVariable[] {
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ValueSchema;
  return Object.entries(environment).map(([field, name]) => {
    const value = field.split('.').reduce<ValueSchema>((part, key) => part.properties?.[key] ?? {}, described);
    return variable(name, value, secrets.includes(field));
  });
}

function variable(name: string, value: ValueSchema, isSecret: boolean): EnvironmentVariable {
  const format = value.type === 'integer' || value.type === 'number' ? 'number' : value.type === 'boolean' ? 'boolean' : undefined;
  if (!value.description) throw new Error(`the setting behind ${name} has no description`);
  return {
    name,
    description: value.description,
    ...(format && { format }),
    ...(value.default !== undefined && String(value.default) !== '' && { default: String(value.default) }),
    ...(value.enum && { choices: value.enum }),
    ...(isSecret && { isSecret }),
  };
}

function modelVariables(): EnvironmentVariable[] {
  return Object.values(PROVIDERS).flatMap(({ title, required, secrets, baseUrlVariable }) =>
    [...new Set([...required.flat(), ...secrets, baseUrlVariable])].map((name) => {
      const isSecret = secrets.includes(name);
      const purpose = isSecret ? 'Access to' : name === baseUrlVariable ? 'Address of' : 'Region of';
      return {
        name,
        description: `${purpose} ${title.replace(/^The/, 'the')}, when it is the model provider`,
        ...(isSecret && { isSecret }),
      };
    }),
  );
}
