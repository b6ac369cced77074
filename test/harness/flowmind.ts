import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context, Toolset } from '@millrace/kernel';
import { onTestFinished, TestRunner } from 'vitest';
import type { FlowmindServices } from '../../toolsets/flowmind/tool.ts';
import { type ChatModel, chatModel } from './chat-model.ts';
import { callsThrough, type FlowmindCalls } from './flowmind-replies.ts';
import { openMillrace, type TestMillrace } from './millrace.ts';
import { product } from './package.ts';
import { plainWire } from './plain-wire.ts';
import { workshop as workshopOf } from './workshop.ts';

const { Failure } = await product();

/** A toolset whose tools leave a trace: what was done, in order. */
export const workshop = () => workshopOf(Failure);

export interface TestFlowmindOptions {
  /** Contexts as YAML; they go into a folder outside the workspace. */
  contexts?: readonly string[];
  /** Files of the workspace's contexts, by their paths. */
  files?: Record<string, string>;
  /** The built-in library; left out unless wanted. */
  library?: boolean;
  toolsets?: readonly Toolset[];
  /** What a toolset publishes besides its tools. */
  published?: Context[];
  /** What the language model answers to a prompt. There is no model when this is not given. */
  model?: (prompt: string) => unknown;
  environment?: Record<string, string>;
  limited?: boolean;
  now?: () => Date;
  /** The folder of an earlier server, to continue with its data. */
  folder?: string;
}

export interface TestFlowmind extends TestMillrace, FlowmindCalls {
  services: FlowmindServices;
}

/** FlowMind of the installed package. When a test opens it, it is closed with that test. */
export async function openFlowmind(options: TestFlowmindOptions = {}): Promise<TestFlowmind> {
  const folder = options.folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'millrace-flowmind-')));
  const given = join(folder, 'given');
  mkdirSync(given, { recursive: true });
  for (const [index, yaml] of (options.contexts ?? []).entries()) writeFileSync(join(given, `${index}.yaml`), yaml);
  const model = options.model && (await chatModel(options.model));
  const millrace = await openMillrace({
    toolsets: ['flowmind'],
    folder,
    files: Object.fromEntries(Object.entries(options.files ?? {}).map(([path, text]) => [`contexts/${path}`, text])),
    environment: {
      MILLRACE_CONTEXTS: given,
      MILLRACE_BUILTIN_CONTEXTS: options.library ? 'on' : 'off',
      ...(model && modelEnvironment(model)),
      ...options.environment,
    },
    flags: { rateLimits: options.limited ?? false },
    extraToolsets: [...(options.toolsets ?? []), ...(options.published ? [publishing(options.published)] : [])],
    ...(options.now && { clock: { now: options.now } }),
  });
  const close = async () => {
    await millrace.close();
    model?.close();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  if (TestRunner.getCurrentTest()) onTestFinished(close);
  const services = millrace.catalog.toolsets.find(({ name }) => name === 'flowmind')?.services as FlowmindServices;
  return { ...millrace, ...callsThrough(millrace.ask), services, close };
}

function modelEnvironment({ url }: ChatModel): Record<string, string> {
  return { MILLRACE_MODEL_PROVIDER: 'openai', MILLRACE_MODEL: 'stand-in', MILLRACE_MODEL_URL: url };
}

function publishing(contexts: Context[]): Toolset {
  return {
    name: 'publisher',
    title: 'Publisher',
    instructions: '',
    services: undefined,
    wire: plainWire,
    tools: [],
    contexts: () => contexts,
  };
}
