import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatModel {
  url: string;
  close(): void;
}

/** An OpenAI-compatible endpoint that answers each prompt with an object, as a model does that was given a schema. */
export async function chatModel(answer: (prompt: string) => unknown): Promise<ChatModel> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const { messages } = JSON.parse(body) as { messages: { content: string }[] };
    const content = JSON.stringify(await answer(messages.at(-1)?.content ?? ''));
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: '1', model: 'stand-in', choices, usage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
