import { readFile } from 'node:fs/promises';
import { type Command, Failure, isSystemError } from '@millrace/kernel';
import type { FlowragServices } from '../services.ts';
import { JSON_OPTION, PLACES, reporting, requireData } from './tool-command.ts';

export const evalCommand: Command<FlowragServices> = {
  name: 'eval',
  summary: 'Measure retrieval on questions with known documents: nDCG@10, recall@10, all-gold@10 per mode',
  usage: '<questions.jsonl>',
  options: { ...PLACES, ...JSON_OPTION },
  async run({ positionals, values }, terminal, services) {
    return reporting(terminal, async () => {
      const [path] = positionals;
      if (path === undefined) throw new Failure('invalid_input', `Which questions? ${terminal.program} eval <questions.jsonl>`);
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        throw isSystemError(error) ? new Failure('not_found', `${path} cannot be read`, { cause: error }) : error;
      });
      const { evalTable, evaluate, readQuestions } = await import('../eval/evaluate.ts');
      const questions = readQuestions(text, path);
      requireData(services);
      const [store, embedder] = [await services.collection(), await services.embedder()];
      const progress = (done: number, total?: number) => terminal.status(`${done} of ${total ?? questions.length}`);
      const report = await evaluate({ store, embedder, questions, signal: terminal.signal, progress });
      terminal.status('');
      terminal.out(values.json ? JSON.stringify(report, null, 2) : evalTable(report));
      return 0;
    });
  },
};
