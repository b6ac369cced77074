import { openMillrace, type TestMillrace, type TestMillraceOptions } from '../../harness/millrace.ts';

export interface TestFlowragOptions extends Pick<TestMillraceOptions, 'folder' | 'environment'> {
  /** What flowrag.config.json says besides docs/ and data/. */
  config?: Record<string, unknown>;
  /** Files of docs/. */
  docs?: Record<string, string>;
}

/** FlowRAG of the installed package, over docs/ and data/ of its workspace, with the bundled embedding model. */
export function openFlowrag({ config, docs = {}, ...options }: TestFlowragOptions = {}): Promise<TestMillrace> {
  const files = Object.fromEntries(Object.entries(docs).map(([path, text]) => [`docs/${path}`, text]));
  return openMillrace({
    toolsets: ['flowrag'],
    files: { 'flowrag.config.json': JSON.stringify({ data: './data', docs: './docs', ...config }), ...files },
    ...options,
  });
}
