import type { Check } from '@millrace/kernel';
import type { Registry } from './contexts/registry.ts';

/** How many contexts can be found, and which files could not be read. */
export async function flowmindChecks(registry: Registry): Promise<Check[]> {
  const name = 'FlowMind contexts';
  const contexts = (await registry.shared()).length;
  const files = [...new Set((await registry.issues()).filter(({ severity }) => severity === 'error').map(({ file }) => file))];
  if (files.length === 0) return [{ name, state: 'ok', detail: `${contexts} to choose from` }];
  return [
    {
      name,
      state: 'broken',
      detail: `${files.length === 1 ? '1 file has' : `${files.length} files have`} errors: ${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''}`,
      fix: { instruction: 'See what is wrong', command: `context lint ${files[0]}` },
    },
  ];
}
