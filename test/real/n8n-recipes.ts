/** Workflows to be built by the tools, one idea each: nodes by a short name, then connections, then what goes in. */
export interface Recipe {
  title: string;
  nodes: Record<string, { type: string; parameters?: Record<string, unknown>; settings?: Record<string, unknown> }>;
  /** From, to, and the names of the ports where they are not the only ones. */
  links: [from: string, to: string, output?: string | undefined, input?: string | undefined][];
  items: Record<string, unknown>[];
  pinned?: Record<string, Record<string, unknown>[]>;
}

const start = { type: 'n8n-nodes-base.manualTrigger' };
const end = { type: 'n8n-nodes-base.noOp' };
const langchain = (name: string) => `@n8n/n8n-nodes-langchain.${name}`;
const base = (name: string) => `n8n-nodes-base.${name}`;

function set(fields: Record<string, string | number | boolean>, keep = true) {
  const assignments = Object.entries(fields).map(([name, value], index) => ({ id: String(index), name, value, type: typeof value }));
  return { type: base('set'), parameters: { assignments: { assignments }, includeOtherFields: keep, options: {} } };
}

function conditions(leftValue: string, operator: Record<string, unknown>, rightValue: unknown = '') {
  return {
    options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
    conditions: [{ id: '1', leftValue, rightValue, operator }],
    combinator: 'and',
  };
}

const code = (jsCode: string, mode = 'runOnceForAllItems') => ({ type: base('code'), parameters: { mode, jsCode } });
const greaterThanTwo = conditions('={{ $json.n }}', { type: 'number', operation: 'gt' }, 2);
const numbers = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }];
const people = [
  { id: 1, name: 'Ada', team: 'a', points: 3 },
  { id: 2, name: 'Bob', team: 'b', points: 5 },
  { id: 3, name: 'Cleo', team: 'a', points: 1 },
];

/** One node between the trigger and the end. */
function single(title: string, type: string, parameters: Record<string, unknown>, items: Record<string, unknown>[]): Recipe {
  return {
    title,
    nodes: { start, work: { type, parameters }, end },
    links: [
      ['start', 'work'],
      ['work', 'end'],
    ],
    items,
  };
}

function rule(outputKey: string, condition: object) {
  return { conditions: condition, renameOutput: true, outputKey };
}

export const RECIPES: Recipe[] = [
  {
    title: 'a chain of fields',
    nodes: { start, a: set({ a: '={{ $json.n + 1 }}' }), b: set({ b: "={{ $('a').item.json.a }}!" }) },
    links: [
      ['start', 'a'],
      ['a', 'b'],
    ],
    items: numbers,
  },
  {
    title: 'only the named fields',
    nodes: { start, a: set({ text: '=Number {{ $json.n }}', on: true, count: 7 }, false), end },
    links: [
      ['start', 'a'],
      ['a', 'end'],
    ],
    items: numbers,
  },
  single('fields as JSON', base('set'), { mode: 'raw', jsonOutput: '={ "twice": {{ $json.n * 2 }} }', options: {} }, numbers),
  {
    title: 'an IF with both sides',
    nodes: {
      start,
      if: { type: base('if'), parameters: { conditions: greaterThanTwo, options: {} } },
      big: set({ size: 'big' }),
      small: set({ size: 'small' }),
    },
    links: [
      ['start', 'if'],
      ['if', 'big', 'true'],
      ['if', 'small', 'false'],
    ],
    items: numbers,
  },
  {
    title: 'an IF on a text with a pattern',
    nodes: {
      start,
      if: {
        type: base('if'),
        parameters: { conditions: conditions('={{ $json.name }}', { type: 'string', operation: 'regex' }, '^[AB]'), options: {} },
      },
      yes: end,
      no: end,
    },
    links: [
      ['start', 'if'],
      ['if', 'yes', 'true'],
      ['if', 'no', 'false'],
    ],
    items: people,
  },
  {
    title: 'an IF on a date',
    nodes: {
      start,
      if: {
        type: base('if'),
        parameters: {
          conditions: conditions('={{ $json.day }}', { type: 'dateTime', operation: 'after' }, '2026-01-01T00:00:00'),
          options: {},
        },
      },
      late: end,
    },
    links: [
      ['start', 'if'],
      ['if', 'late', 'true'],
    ],
    items: [{ day: '2025-05-05T00:00:00' }, { day: '2026-05-05T00:00:00' }],
  },
  {
    title: 'a Switch with rules and a fallback',
    nodes: {
      start,
      switch: {
        type: base('switch'),
        parameters: {
          mode: 'rules',
          rules: {
            values: [
              rule('one', conditions('={{ $json.n }}', { type: 'number', operation: 'equals' }, 1)),
              rule('two', conditions('={{ $json.n }}', { type: 'number', operation: 'equals' }, 2)),
            ],
          },
          options: { fallbackOutput: 'extra' },
        },
      },
      first: set({ way: 'one' }),
      second: set({ way: 'two' }),
      rest: set({ way: 'rest' }),
    },
    links: [
      ['start', 'switch'],
      ['switch', 'first', 'one'],
      ['switch', 'second', 'two'],
      ['switch', 'rest', 'fallback'],
    ],
    items: numbers,
  },
  {
    title: 'a Switch by expression',
    nodes: {
      start,
      switch: { type: base('switch'), parameters: { mode: 'expression', numberOutputs: 3, output: '={{ $json.n % 3 }}' } },
      zero: end,
      one: end,
      two: end,
    },
    links: [
      ['start', 'switch'],
      ['switch', 'zero', '0'],
      ['switch', 'one', '1'],
      ['switch', 'two', '2'],
    ],
    items: numbers,
  },
  {
    title: 'a Merge that appends',
    nodes: { start, left: set({ from: 'left' }), right: set({ from: 'right' }), merge: { type: base('merge') }, end },
    links: [
      ['start', 'left'],
      ['start', 'right'],
      ['left', 'merge', undefined, 'main[0]'],
      ['right', 'merge', undefined, 'main[1]'],
      ['merge', 'end'],
    ],
    items: numbers,
  },
  {
    title: 'a Merge by position',
    nodes: {
      start,
      left: set({ a: '={{ $json.n }}' }, false),
      right: set({ b: '={{ $json.n * 10 }}' }, false),
      merge: { type: base('merge'), parameters: { mode: 'combine', combineBy: 'combineByPosition', options: {} } },
    },
    links: [
      ['start', 'left'],
      ['start', 'right'],
      ['left', 'merge', undefined, 'main[0]'],
      ['right', 'merge', undefined, 'main[1]'],
    ],
    items: numbers,
  },
  {
    title: 'a Merge by matching fields',
    nodes: {
      start,
      left: code("return [{ json: { id: 1, name: 'Ada' } }, { json: { id: 2, name: 'Bob' } }]"),
      right: code('return [{ json: { id: 2, age: 40 } }, { json: { id: 3, age: 50 } }]'),
      merge: {
        type: base('merge'),
        parameters: { mode: 'combine', combineBy: 'combineByFields', fieldsToMatchString: 'id', joinMode: 'keepEverything', options: {} },
      },
    },
    links: [
      ['start', 'left'],
      ['start', 'right'],
      ['left', 'merge', undefined, 'main[0]'],
      ['right', 'merge', undefined, 'main[1]'],
    ],
    items: [{}],
  },
  {
    title: 'a Merge of three inputs',
    nodes: {
      start,
      a: set({ from: 'a' }),
      b: set({ from: 'b' }),
      c: set({ from: 'c' }),
      merge: { type: base('merge'), parameters: { numberInputs: 3 } },
    },
    links: [
      ['start', 'a'],
      ['start', 'b'],
      ['start', 'c'],
      ['a', 'merge', undefined, 'main[0]'],
      ['b', 'merge', undefined, 'main[1]'],
      ['c', 'merge', undefined, 'main[2]'],
    ],
    items: [{ n: 1 }],
  },
  {
    title: 'a diamond: IF and Merge',
    nodes: {
      start,
      if: { type: base('if'), parameters: { conditions: greaterThanTwo, options: {} } },
      big: set({ size: 'big' }),
      small: set({ size: 'small' }),
      merge: { type: base('merge') },
      end,
    },
    links: [
      ['start', 'if'],
      ['if', 'big', 'true'],
      ['if', 'small', 'false'],
      ['big', 'merge', undefined, 'main[0]'],
      ['small', 'merge', undefined, 'main[1]'],
      ['merge', 'end'],
    ],
    items: numbers,
  },
  single('a Filter', base('filter'), { conditions: greaterThanTwo, options: {} }, numbers),
  single('a list split into items', base('splitOut'), { fieldToSplitOut: 'list', options: {} }, [{ list: [{ a: 1 }, { a: 2 }] }]),
  single(
    'items gathered into a list',
    base('aggregate'),
    { aggregate: 'aggregateAllItemData', destinationFieldName: 'all', options: {} },
    numbers,
  ),
  single(
    'items sorted',
    base('sort'),
    { sortFieldsUi: { sortField: [{ fieldName: 'points', order: 'descending' }] }, options: {} },
    people,
  ),
  single('the first items', base('limit'), { maxItems: 2 }, numbers),
  single('duplicates removed', base('removeDuplicates'), { compare: 'selectedFields', fieldsToCompare: 'team', options: {} }, people),
  single(
    'a summary by team',
    base('summarize'),
    { fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'points' }] }, fieldsToSplitBy: 'team', options: {} },
    people,
  ),
  single('keys renamed', base('renameKeys'), { keys: { key: [{ currentKey: 'n', newKey: 'number' }] }, additionalOptions: {} }, numbers),
  single('a date formatted', base('dateTime'), { operation: 'formatDate', date: '={{ $json.day }}', format: 'yyyy/MM/dd', options: {} }, [
    { day: '2026-03-04T05:06:07Z' },
  ]),
  single('a hash', base('crypto'), { action: 'hash', type: 'SHA256', value: '={{ $json.name }}' }, people),
  single(
    'HTML read',
    base('html'),
    {
      operation: 'extractHtmlContent',
      dataPropertyName: 'page',
      extractionValues: { values: [{ key: 'title', cssSelector: 'h1', returnValue: 'text' }] },
      options: {},
    },
    [{ page: '<html><body><h1>Hello</h1></body></html>' }],
  ),
  single('XML read', base('xml'), { mode: 'xmlToJson', dataPropertyName: 'xml', options: {} }, [{ xml: '<root><a n="1">x</a></root>' }]),
  single(
    'Markdown written as HTML',
    base('markdown'),
    { mode: 'markdownToHtml', markdown: '={{ $json.text }}', destinationKey: 'html', options: {} },
    [{ text: '# Hi *you*' }],
  ),
  single(
    'a script over all items',
    base('code'),
    {
      mode: 'runOnceForAllItems',
      jsCode: "return $input.all().map((item, index) => ({ json: { ...item.json, index, of: $('start').all().length } }))",
    },
    numbers,
  ),
  single(
    'a script for each item',
    base('code'),
    {
      mode: 'runOnceForEachItem',
      jsCode: 'return { json: { twice: $json.n * 2, day: DateTime.fromISO("2026-01-01").plus({ days: $json.n }).toISODate() } }',
    },
    numbers,
  ),
  {
    title: 'a loop over batches',
    nodes: {
      start,
      loop: { type: base('splitInBatches'), parameters: { batchSize: 2, options: {} } },
      work: set({ seen: '={{ $json.n }}' }),
      done: { type: base('aggregate'), parameters: { aggregate: 'aggregateAllItemData', options: {} } },
    },
    links: [
      ['start', 'loop'],
      ['loop', 'done', 'done'],
      ['loop', 'work', 'loop'],
      ['work', 'loop'],
    ],
    items: numbers,
  },
  {
    title: 'an error output',
    nodes: {
      start,
      risky: {
        ...code("if ($json.n > 2) throw new Error('too big'); return { json: $json }", 'runOnceForEachItem'),
      },
      good: end,
      bad: set({ failed: true }),
    },
    links: [
      ['start', 'risky'],
      ['risky', 'bad', 'error'],
      ['risky', 'good', 'success'],
    ],
    items: numbers,
  },
  {
    title: 'an error after which the workflow continues',
    nodes: { start, risky: { ...code("throw new Error('no')"), settings: { onError: 'continueRegularOutput' } }, end },
    links: [
      ['start', 'risky'],
      ['risky', 'end'],
    ],
    items: numbers,
  },
  {
    title: 'a stop with an error',
    nodes: { start, stop: { type: base('stopAndError'), parameters: { errorMessage: '=Stopped at {{ $json.n }}' } } },
    links: [['start', 'stop']],
    items: [{ n: 1 }],
  },
  {
    title: 'two lists compared',
    nodes: {
      start,
      left: code('return [1, 2, 3].map((id) => ({ json: { id, v: 1 } }))'),
      right: code('return [2, 3, 4].map((id) => ({ json: { id, v: id === 3 ? 2 : 1 } }))'),
      compare: { type: base('compareDatasets'), parameters: { mergeByFields: { values: [{ field1: 'id', field2: 'id' }] }, options: {} } },
      same: end,
    },
    links: [
      ['start', 'left'],
      ['start', 'right'],
      ['left', 'compare', undefined, 'main[0]'],
      ['right', 'compare', undefined, 'main[1]'],
      ['compare', 'same', 'main[1]'],
    ],
    items: [{}],
  },
  {
    title: 'data through a file',
    nodes: {
      start,
      file: { type: base('convertToFile'), parameters: { operation: 'toJson', options: {} } },
      read: { type: base('extractFromFile'), parameters: { operation: 'fromJson', options: {} } },
    },
    links: [
      ['start', 'file'],
      ['file', 'read'],
    ],
    items: people,
  },
  {
    title: 'expressions of every kind',
    nodes: {
      start,
      work: set({
        upper: '={{ $json.name.toUpperCase() }}',
        initial: '={{ $json.name.slice(0, 1) }}',
        jmes: "={{ $jmespath($json, 'team') }}",
        many: "={{ $('start').all().length }}",
        first: "={{ $('start').first().json.name }}",
        ifs: "={{ $if($json.points > 2, 'high', 'low') }}",
        day: "={{ DateTime.fromISO('2026-02-28').plus({ days: 1 }).toFormat('dd.MM.yyyy') }}",
        index: '={{ $itemIndex }}',
      }),
    },
    links: [['start', 'work']],
    items: people,
  },
  {
    title: 'an AI agent with a model, a memory and a tool',
    nodes: {
      start: { type: langchain('chatTrigger'), parameters: { options: {} } },
      agent: { type: langchain('agent'), parameters: { options: {} } },
      model: { type: langchain('lmChatOpenAi'), parameters: { model: { __rl: true, mode: 'list', value: 'gpt-4.1-mini' }, options: {} } },
      memory: { type: langchain('memoryBufferWindow') },
      calculator: { type: langchain('toolCalculator') },
      request: { type: base('httpRequestTool'), parameters: { url: 'http://localhost/', options: {} } },
      after: set({ said: '={{ $json.output }}' }),
    },
    links: [
      ['start', 'agent'],
      ['model', 'agent', 'ai_languageModel'],
      ['memory', 'agent', 'ai_memory'],
      ['calculator', 'agent', 'ai_tool'],
      ['request', 'agent', 'ai_tool'],
      ['agent', 'after'],
    ],
    items: [{ chatInput: 'What is 2 + 2?', sessionId: '1' }],
    pinned: { agent: [{ output: 'It is 4.' }] },
  },
  {
    title: 'a chain with a structured answer',
    nodes: {
      start,
      chain: { type: langchain('chainLlm'), parameters: { promptType: 'define', text: '={{ $json.name }}', hasOutputParser: true } },
      model: { type: langchain('lmChatAnthropic'), parameters: { options: {} } },
      parser: { type: langchain('outputParserStructured'), parameters: { jsonSchemaExample: '{"mood": "good"}' } },
      after: set({ mood: '={{ $json.output.mood }}' }, false),
    },
    links: [
      ['start', 'chain'],
      ['model', 'chain', 'ai_languageModel'],
      ['parser', 'chain', 'ai_outputParser'],
      ['chain', 'after'],
    ],
    items: people,
    pinned: { chain: [{ output: { mood: 'good' } }] },
  },
];
