import { z } from 'zod';

/** The YAML shapes of the nodes of a flow, one strict object a kind. `body` is a list of nodes: checked apart, so that a mistake is told at its own line. */
export function nodeShapes(body: z.ZodType) {
  const text = z.string().min(1);
  const expression = z.union([text, z.boolean(), z.number()]);
  const threshold = z.number().min(0).max(1);
  const values = z.record(z.string(), z.unknown());
  const variable = z.string().regex(/^[\p{L}_][\p{L}\p{N}_]*$/u, 'must be a variable name: letters, digits and _');
  const named = { id: text.optional(), name: text.optional(), description: text.optional(), note: text.optional() };
  const stored = { store_result: variable.optional(), store_as: variable.optional(), output: variable.optional() };
  const examples = z.union([z.array(text), z.strictObject({ holds: z.array(text).min(1), fails: z.array(text).default([]) })]).optional();
  const semantic = { confidence_threshold: threshold.optional(), about: z.unknown().optional(), examples };
  const texts = z.union([text, z.array(z.union([text, z.record(z.string(), z.unknown())]))]).optional();
  const duration = z.union([z.number().positive(), text]);
  // biome-ignore lint/suspicious/noThenProperty: the language has if … then
  const branches = { then: body.optional(), do: body.optional(), else: body.optional(), low_confidence_fallback: body.optional() };
  const elif = z
    .array(
      z.strictObject({
        if: expression.optional(),
        elif: expression.optional(),
        condition: expression.optional(),
        if_semantic: text.optional(),
        and_semantic: text.optional(),
        ...semantic,
        // biome-ignore lint/suspicious/noThenProperty: the language has if … then
        then: body.optional(),
        do: body.optional(),
      }),
    )
    .optional();

  return {
    step: z.strictObject({
      ...named,
      step: z.union([text, z.number()]).optional(),
      instruction: text.optional(),
      prompt: text.optional(),
      persona: text.optional(),
      agent: text.optional(),
      role: text.optional(),
      personalities: z.union([text, z.array(text), values]).optional(),
      deliverables: texts,
      success_criteria: texts,
      when_complete: text.optional(),
      conditions: z.union([text, z.array(text)]).optional(),
      when: expression.optional(),
      when_semantic: text.optional(),
      confidence_threshold: threshold.optional(),
      ...stored,
    }),
    ask: z.strictObject({
      ...named,
      ask: text,
      type: z.enum(['string', 'text', 'number', 'integer', 'boolean']).optional(),
      options: z
        .array(z.union([text, z.number(), z.boolean()]))
        .min(1)
        .optional(),
      required: z.boolean().optional(),
      default: z.unknown().optional(),
      ...stored,
    }),
    call: z.strictObject({
      ...named,
      call: text,
      with: values.optional(),
      recursive: z.boolean().optional(),
      max_depth: z.number().int().min(1).max(50).optional(),
      ...stored,
    }),
    set_variable: z.strictObject({ ...named, set_variable: values.optional(), set: values.optional() }),
    increment: z.strictObject({ ...named, increment: variable, by: z.union([z.number(), text]).optional() }),
    collect: z.strictObject({ ...named, collect: z.unknown(), into: variable }),
    if: z.strictObject({
      ...named,
      if: expression.optional(),
      if_semantic: text.optional(),
      when_semantic: text.optional(),
      and_semantic: text.optional(),
      ...semantic,
      ...branches,
      elif,
    }),
    switch: z.strictObject({ ...named, switch: expression, cases: z.union([values, z.array(values)]), default: body.optional() }),
    switch_semantic: z.strictObject({
      ...named,
      switch_semantic: z.unknown(),
      cases: z.union([values, z.array(values)]),
      confidence_threshold: threshold.optional(),
      default: body.optional(),
      low_confidence_fallback: body.optional(),
    }),
    while: z.strictObject({
      ...named,
      while: expression.optional(),
      while_semantic: text.optional(),
      and_while_semantic: text.optional(),
      ...semantic,
      max_iterations: z.number().int().min(1).max(10_000).optional(),
      timeout: duration.optional(),
      do: body,
    }),
    for_each: z.strictObject({
      ...named,
      for_each: text,
      where: expression.optional(),
      where_semantic: text.optional(),
      ...semantic,
      do: body,
    }),
    parallel: z.strictObject({
      ...named,
      parallel: z.union([
        z.array(z.unknown()).min(1),
        z.strictObject({
          max_concurrency: z.number().int().min(1).max(20).optional(),
          tasks: z.union([z.array(z.unknown()).min(1), values]),
          collect_results: z.union([variable, z.boolean()]).optional(),
          wait_for: z.union([z.enum(['all', 'any']), z.number().int().min(1)]).optional(),
        }),
      ]),
      wait_for: z.union([z.enum(['all', 'any']), z.number().int().min(1)]).optional(),
      ...stored,
    }),
    try: z.strictObject({
      ...named,
      try: body,
      catch: z.union([body, z.array(values), values]).optional(),
      finally: body.optional(),
    }),
    workflow: z.strictObject({ ...named, workflow: text.optional(), recurse_into: text.optional(), with: values.optional(), ...stored }),
    include: z.strictObject({ ...named, include: text }),
    persist_state: z.strictObject({
      ...named,
      persist_state: z.strictObject({ key: text, value: z.unknown().optional(), ttl: duration.optional() }),
    }),
    restore_state: z.strictObject({ ...named, restore_state: z.strictObject({ key: text, into: variable.optional() }), ...stored }),
    validate_input: z.strictObject({
      ...named,
      validate_input: z.union([
        z.array(z.union([text, z.strictObject({ condition: text, message: text.optional() })])).min(1),
        z.strictObject({
          required: z.array(text).optional(),
          rules: z.array(z.strictObject({ condition: text, message: text.optional() })).optional(),
        }),
      ]),
    }),
    return: z.strictObject({ ...named, return: z.unknown() }),
  };
}

export type NodeShapes = ReturnType<typeof nodeShapes>;
export type NodeName = keyof NodeShapes;

/** The key that tells what a node is, in the order in which they are looked for. */
export const NODE_KEYS: readonly (readonly [key: string, node: NodeName])[] = [
  ['try', 'try'],
  ['parallel', 'parallel'],
  ['for_each', 'for_each'],
  ['switch_semantic', 'switch_semantic'],
  ['switch', 'switch'],
  ['while', 'while'],
  ['while_semantic', 'while'],
  ['if', 'if'],
  ['if_semantic', 'if'],
  ['workflow', 'workflow'],
  ['recurse_into', 'workflow'],
  ['include', 'include'],
  ['call', 'call'],
  ['ask', 'ask'],
  ['set_variable', 'set_variable'],
  ['set', 'set_variable'],
  ['increment', 'increment'],
  ['collect', 'collect'],
  ['persist_state', 'persist_state'],
  ['restore_state', 'restore_state'],
  ['validate_input', 'validate_input'],
  ['return', 'return'],
  ['step', 'step'],
  ['instruction', 'step'],
  ['prompt', 'step'],
  ['agent', 'step'],
  ['role', 'step'],
  ['when_semantic', 'if'],
  ['name', 'step'],
  ['description', 'step'],
];

/** What the origin's language has and this one leaves out, with what to write instead. */
export const DROPPED: Readonly<Record<string, string>> = {
  http_request: 'http_request is not available: call a tool that makes the request, such as one of an n8n workflow',
  execute_script: 'execute_script is not available: call a tool that does the work, or compute with @computed(…)',
};
