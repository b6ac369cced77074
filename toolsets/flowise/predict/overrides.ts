import { Failure } from '@millrace/kernel';
import type { Chatflow } from '../client/chatflow.ts';
import { recordOf, textOf } from '../flow/node.ts';

/** What a flow lets a run override. Flowise drops everything else without a word. */
interface Permitted {
  inputs: string[];
  variables: string[];
}

const MOST_SHOWN = 50;

function permittedOverrides({ settings }: Chatflow): Permitted {
  const config = recordOf(recordOf(parsed(settings.apiConfig))?.['overrideConfig']);
  if (config?.['status'] !== true) return { inputs: [], variables: [] };
  const nodes = Object.values(recordOf(config['nodes']) ?? {});
  return {
    inputs: [...new Set(nodes.flatMap((inputs) => enabledOf(inputs)))].sort(),
    variables: enabledOf(config['variables']).sort(),
  };
}

/** Refuses what Flowise would ignore: a run that is not the one asked for is worse than none. */
export function demandPermitted(overrides: Record<string, unknown>, chatflow: Chatflow): void {
  const permitted = permittedOverrides(chatflow);
  const refused = Object.keys(overrides).flatMap((name) => {
    if (name !== 'vars') return permitted.inputs.includes(name) ? [] : [name];
    return Object.keys(recordOf(overrides['vars']) ?? {}).flatMap((one) => (permitted.variables.includes(one) ? [] : [`vars.${one}`]));
  });
  if (refused.length === 0) return;
  const all = [...permitted.inputs, ...permitted.variables.map((name) => `vars.${name}`)];
  const says = all.length > 0 ? `It permits ${all.slice(0, MOST_SHOWN).join(', ')}` : 'It permits none';
  throw new Failure('invalid_input', `The chatflow does not permit to override ${refused.slice(0, 10).join(', ')}. ${says}`, {
    details: { field: 'overrides', value: refused.slice(0, MOST_SHOWN), constraint: 'permitted', permitted: all.slice(0, MOST_SHOWN) },
    fix: { instruction: 'Permit it in Flowise: the configuration of the chatflow, Security, Override Configuration' },
  });
}

function enabledOf(rows: unknown): string[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row) => (recordOf(row)?.['enabled'] === true ? (textOf(recordOf(row)?.['name']) ?? []) : []));
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
