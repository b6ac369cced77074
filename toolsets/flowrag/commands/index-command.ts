import type { Command, Terminal } from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';
import { flowragIndex } from '../tools/flowrag-index.ts';
import { JSON_OPTION, PLACES, reporting, runTool } from './tool-command.ts';

const BAR = 24;

export const indexCommand: Command<FlowragServices> = {
  name: 'index',
  summary: 'Bring the index up to date with the docs folder',
  usage: '[--force] [--dry-run] [--watch]',
  options: {
    ...PLACES,
    ...JSON_OPTION,
    force: { type: 'boolean', description: 'Process all documents again' },
    'dry-run': { type: 'boolean', description: 'Only say what would change' },
    watch: { type: 'boolean', description: 'Stay and index again whenever documents change' },
  },
  async run({ values }, terminal, services) {
    return reporting(terminal, async () => {
      let unfinished = false;
      const index = async (force: boolean) => {
        unfinished = true;
        const parameters = { force, dryRun: values['dry-run'] === true };
        const { data: report, words } = await runTool(flowragIndex, parameters, services, terminal.signal, (done, total, message) =>
          terminal.status(progressBar(done, total, message, terminal)),
        );
        terminal.status('');
        terminal.out(values.json ? JSON.stringify(report, null, 2) : words);
        unfinished = false;
      };
      const { docs, data } = services.configuration;
      if (values.watch !== true || docs === undefined) {
        await index(values.force === true);
        return 0;
      }
      const { watchFolder } = await import('./watch.ts');
      await watchFolder(docs, {
        exclude: [data],
        signal: terminal.signal,
        async watching() {
          await index(values.force === true);
          terminal.say(`Watching ${docs} for changes; Ctrl-C ends.`);
        },
        // A failed run does not end the watch: the next change may put it right.
        async changed() {
          await reporting(terminal, () => index(false).then(() => 0));
        },
      });
      return unfinished ? 1 : 0;
    });
  },
};

export function progressBar(
  done: number,
  total: number | undefined,
  message: string | undefined,
  { columns }: Pick<Terminal, 'columns'>,
): string {
  const filled = total ? Math.round((done / total) * BAR) : 0;
  const bar = total === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `;
  return `${bar}${message ?? ''}`.slice(0, Math.max(20, columns));
}
