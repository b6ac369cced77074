import { setTimeout as sleep } from 'node:timers/promises';
import { lineExtractor, testFlowrag, wordEmbedder } from './flowrag.ts';

/** Slowly indexes the given folder and prints the outcome: for tests that kill it or run two of it. It stops making progress after `most` texts. */
const [folder, delayMs, most] = process.argv.slice(2) as [string, string, string?];
let embedded = 0;
const quick = wordEmbedder();
const embedder = wordEmbedder({
  async embed(texts, options) {
    await sleep(++embedded > Number(most ?? Number.POSITIVE_INFINITY) ? 600_000 : Number(delayMs));
    process.stdout.write('embedded\n');
    return quick.embed(texts, options);
  },
});
const flowrag = await testFlowrag({ folder, embedder, extractor: lineExtractor() });
const reply = await flowrag.call('flowrag_index');
process.stdout.write(`${JSON.stringify(reply.structured)}\n`);
await flowrag.close();
