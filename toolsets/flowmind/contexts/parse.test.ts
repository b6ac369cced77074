// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language of contexts has ${…}
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { everyNode } from '../flow/nodes/registry.ts';
import { escaped, parseTemplate } from '../language/template.ts';
import { parseContext } from './parse.ts';
import { contextJsonSchema } from './schema.ts';

const parsed = (text: string, path?: string) => {
  const { definition, issues } = parseContext(text, { kind: 'workspace', ...(path && { path }) });
  if (!definition) throw new Error(JSON.stringify(issues));
  return definition;
};
const mistakes = (text: string) => parseContext(text, { kind: 'workspace' }).issues.filter((issue) => issue.severity === 'error');

describe("the shapes that the origin's files have", () => {
  test.each([
    ['flow', 'flow: [{step: a}]'],
    ['steps', 'steps: [{step: 1, name: a, agent: nfj-visionary, deliverables: [x], success_criteria: y}]'],
    ['context.steps', 'context: {steps: [{step: a}]}'],
    ['workflow_config.steps', 'workflow_config: {steps: [{step: a}]}'],
    ['a flow that is one loop', 'flow: {type: recursive_loop, while_semantic: it is not solved, max_iterations: 3, do: [{step: a}]}'],
    ['a flow with steps', 'flow: {type: linear, steps: [{step: a}]}'],
  ])('%s', (_shape, text) => {
    const definition = parsed(`metadata: {type: workflow, id: x, description: y}\n${text}`);
    expect([...everyNode(definition.flow)].some((node) => node.kind === 'step')).toBe(true);
  });

  test('agents are named with and without the scheme', () => {
    const { dependencies } = parsed(
      'metadata: {id: x, description: y}\nsteps: [{step: 1, agent: NFJ Visionary}, {step: 2, agent: "agent://ceo"}]',
    );
    expect(dependencies).toEqual(['agent://nfj-visionary', 'agent://ceo']);
  });

  test('an agent has its persona from any of its places, and one step', () => {
    for (const text of ['prompt: Be kind', 'persona: Be kind', 'agent_config: {system_prompt: Be kind}', 'context: {persona: Be kind}']) {
      const definition = parsed(`metadata: {type: agent, id: kind, description: Answers kindly}\n${text}`);
      expect(definition.persona).toBe('Be kind');
      expect(definition.flow).toMatchObject([{ kind: 'step', name: 'Kind' }]);
    }
  });

  test('a persona or description with braces is taken as it is', () => {
    const braces = 'Say ${name} and {{name}}, $${or} ${{not}}';
    const [step] = parsed(JSON.stringify({ metadata: { type: 'agent', id: 'kind', description: braces }, persona: braces })).flow;
    expect(step).toMatchObject({ kind: 'step', persona: [braces], instruction: [braces] });
  });

  test('any text survives being escaped', () => {
    const text = fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '"') });
    const survives = (written: string) => {
      expect(parseTemplate(escaped(written))).toEqual([written]);
    };
    fc.assert(fc.property(text, survives));
  });

  test('variables are defaults, values, specifications, or two lists of names', () => {
    const definition = parsed(
      'metadata: {id: x, description: y}\nvariables: {a: 3, b: [low, high], c: {type: string, required: true}, d: {type: number, default: 2, required: true}}\nflow: [a]',
    );
    expect(definition.needs).toEqual(['c']);
    expect(definition.variables['b']?.values).toEqual(['low', 'high']);
    const lists = parsed('metadata: {id: x, description: y}\nvariables: {required: [a], optional: [b]}\nflow: [a]');
    expect([lists.needs, Object.keys(lists.variables)]).toEqual([['a'], ['a', 'b']]);
  });

  test.each([
    ['contexts/agents/ceo/context.yaml', 'agent://ceo'],
    ['contexts/workflows/Release Train.yaml', 'workflow://release-train'],
    ['/a/patterns/retry.yml', 'pattern://retry'],
  ])('%s is %s', (path, uri) => {
    expect(parsed('metadata: {description: y}\nflow: [do it]', path).uri).toBe(uri);
  });

  test('kinds that only the origin has are used as patterns', () => {
    expect(parsed('metadata: {type: theme, id: dark, description: y}').uri).toBe('pattern://dark');
  });

  test('a workflow with nothing but a name and a description is one step', () => {
    expect(parsed('metadata: {id: x, name: X, description: Pay a bill}').flow).toMatchObject([
      { kind: 'step', instruction: ['Pay a bill'] },
    ]);
  });
});

describe('mistakes have their line and column', () => {
  test.each([
    ['metadata: {id: x}\nflow:\n  - call: a\n    wiht: {}', 4, /no field "wiht"; did you mean "with"/],
    ['metadata: {id: x}\nflow:\n  - http_request: x', 3, /http_request is not available/],
    ['metadata: {id: x}\nflow:\n  - execute_script: x', 3, /execute_script is not available/],
    ['metadata: {id: x}\nflow:\n  - call: execute_workflow', 3, /\{workflow: uri\}/],
    ['metadata: {id: x}\nflow:\n  - iff: x', 3, /Unknown node "iff"; did you mean "if"/],
    ['metadata: {id: x}\nflow:\n  - if: "a >"\n    then: [x]', 3, /Expected a value/],
    ['metadata: {id: x}\nflow:\n  - step: a\n    instruction: "x ${a"', 3, /not closed/],
    ['metadata: {id: x}\nflow:\n  - for_each: items\n    do: [x]', 3, /item in items/],
    ['metadata: {id: x}\nvariables:\n  a b: 1\nflow: [x]', 3, /not a valid variable name/],
    ['metadata:\n  id: x\n  complexity: huge\nflow: [x]', 3, /complexity/],
    ['a: &x [*x]', 1, /contains itself/],
    ['a: [1\nb: 2', 2, /YAML is broken/],
    ['a: 1\na: 2', 2, /YAML is broken/],
    ['- a\n- b', 1, /YAML map/],
    ['metadata: {id: x}\nflow:\n  - persist_state: {key: a, ttl: soon}', 3, /not a valid duration/],
    ['metadata: {id: x}\nflow:\n  - parallel: [{task: a, do: [x]}, {task: a, do: [y]}]', 3, /Two tasks are named "a"/],
  ])('%j', (text, line, message) => {
    const [first] = mistakes(text);
    expect(first?.message).toMatch(message);
    expect(first?.line).toBe(line);
    expect(first?.column).toBeGreaterThan(0);
  });

  test('a flow that is nested without end is refused', () => {
    let text = '{step: a}';
    for (let depth = 0; depth < 60; depth++) text = `{if: "true", then: [${text}]}`;
    expect(mistakes(`metadata: {id: x}\nflow: [${text}]`)[0]?.message).toMatch(/nested/);
  });

  test('aliases that multiply are refused', () => {
    const bomb = [
      'a0: &a0 [x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(',')}]`),
    ].join('\n');
    expect(mistakes(bomb)[0]?.message).toMatch(/aliases/);
  });

  test('whatever the text is, parsing answers with a definition or with issues', () => {
    const node = fc.letrec((tie) => ({
      flow: fc.array(
        fc.oneof(
          { depthSize: 'small' },
          fc.string(),
          fc.dictionary(
            fc.constantFrom(
              'step',
              'if',
              'then',
              'call',
              'with',
              'for_each',
              'do',
              'while',
              'parallel',
              'try',
              'catch',
              'set',
              'return',
              'ask',
              'switch',
              'cases',
            ),
            fc.oneof(fc.jsonValue(), tie('flow')),
          ),
        ),
        { maxLength: 4 },
      ),
    })).flow;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          node.map((flow) => JSON.stringify({ metadata: { id: 'x', description: 'y' }, flow })),
        ),
        (text) => {
          const { definition, issues } = parseContext(text, { kind: 'workspace', path: 'a.yaml' });
          expect(definition !== undefined || issues.some((issue) => issue.severity === 'error')).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('the schema for editors names every node', () => {
  const schema = JSON.stringify(contextJsonSchema());
  for (const name of ['step_node', 'parallel_node', 'switch_semantic_node', 'persist_state_node']) expect(schema).toContain(name);
});
