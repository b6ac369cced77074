/** What is wrong with the text of an expression, and at which of its characters. */
export class ExpressionSyntaxError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'ExpressionSyntaxError';
    this.at = at;
  }
}

/** A parsed expression: data, and evaluated by walking it. Nothing is ever handed to the host language. */
export type Expression =
  | { kind: 'literal'; value: unknown }
  | { kind: 'variable'; name: string }
  | { kind: 'member'; of: Expression; name: string }
  | { kind: 'index'; of: Expression; at: Expression }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'not'; of: Expression }
  | { kind: 'negate'; of: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'call'; name: string; arguments: Expression[] };

export type BinaryOperator = '||' | '&&' | '??' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'contains' | '+' | '-' | '*' | '/' | '%';

const MAX_LENGTH = 2_000;
const MAX_DEPTH = 50;

const WORD_OPERATORS: Record<string, BinaryOperator> = { or: '||', and: '&&', in: 'in', contains: 'contains', equals: '==', is: '==' };
const SYMBOL_OPERATORS: Record<string, BinaryOperator> = { '=': '==', '===': '==', '!==': '!=' };

/** From the loosest to the tightest. */
const PRECEDENCE: BinaryOperator[][] = [
  ['||', '??'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'contains'],
  ['+', '-'],
  ['*', '/', '%'],
];

const LITERALS: Record<string, unknown> = { true: true, false: false, null: null, none: null };

/** Parses an expression; throws ExpressionSyntaxError with the place of the mistake. */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_LENGTH) throw new ExpressionSyntaxError(`An expression may have at most ${MAX_LENGTH} characters`, MAX_LENGTH);
  return new Parser(tokens(text)).whole();
}

/** The last token of every text. */
const END: Token = { kind: 'end', text: '', at: 0 };

class Parser {
  #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(list: Token[]) {
    this.#tokens = list;
  }

  whole(): Expression {
    if (this.#peek().kind === 'end') throw new ExpressionSyntaxError('The expression is empty', 0);
    const expression = this.#binary(0);
    const left = this.#peek();
    if (left.kind !== 'end') throw new ExpressionSyntaxError(`Unexpected "${left.text}" at character ${left.at + 1}`, left.at);
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? END;
  }

  #take(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  #isSymbol(text: string): boolean {
    const token = this.#peek();
    return token.kind === 'symbol' && token.text === text;
  }

  /** Takes the symbol if it is next. */
  #accept(text: string): boolean {
    const isNext = this.#isSymbol(text);
    if (isNext) this.#next++;
    return isNext;
  }

  #expect(text: string): void {
    if (this.#accept(text)) return;
    const token = this.#peek();
    const found = token.kind === 'end' ? 'the end' : `"${token.text}"`;
    throw new ExpressionSyntaxError(`Expected "${text}" but found ${found} at character ${token.at + 1}`, token.at);
  }

  #nested<Result>(parse: () => Result): Result {
    this.#depth++;
    if (this.#depth > MAX_DEPTH) {
      throw new ExpressionSyntaxError(`The expression is nested more than ${MAX_DEPTH} levels deep`, this.#peek().at);
    }
    const result = parse();
    this.#depth--;
    return result;
  }

  #binary(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (!operators) return this.#unary();
    let left = this.#nested(() => this.#binary(level + 1));
    for (;;) {
      const operator = this.#operator(operators);
      if (!operator) return left;
      const right = this.#nested(() => this.#binary(level + 1));
      left = operator.negated
        ? { kind: 'not', of: { kind: 'binary', operator: operator.name, left, right } }
        : { kind: 'binary', operator: operator.name, left, right };
    }
  }

  #operator(allowed: BinaryOperator[]): { name: BinaryOperator; negated: boolean } | undefined {
    const token = this.#peek();
    const word = token.kind === 'name' ? token.text.toLowerCase() : '';
    if (word === 'not' && allowed.includes('in')) return this.#notIn();
    const symbol = token.kind === 'symbol' ? (SYMBOL_OPERATORS[token.text] ?? token.text) : undefined;
    const name = allowed.find((each) => each === (word ? WORD_OPERATORS[word] : symbol));
    if (!name) return undefined;
    this.#take();
    if (word === 'is' && this.#peek().text.toLowerCase() === 'not' && this.#peek().kind === 'name') {
      this.#take();
      return { name: '!=', negated: false };
    }
    return { name, negated: false };
  }

  /** `not in` and `not contains`, after their left side. */
  #notIn(): { name: BinaryOperator; negated: boolean } | undefined {
    const after = this.#tokens[this.#next + 1];
    const name = after?.kind === 'name' ? WORD_OPERATORS[after.text.toLowerCase()] : undefined;
    if (name !== 'in' && name !== 'contains') return undefined;
    this.#next += 2;
    return { name, negated: true };
  }

  #unary(): Expression {
    const token = this.#peek();
    if (this.#isSymbol('!') || (token.kind === 'name' && token.text.toLowerCase() === 'not')) {
      this.#take();
      // NOT binds looser than a comparison, "!" tighter, as people read them.
      const of = this.#nested(() => (token.text === '!' ? this.#unary() : this.#binary(2)));
      return { kind: 'not', of };
    }
    if (this.#accept('-')) return { kind: 'negate', of: this.#nested(() => this.#unary()) };
    return this.#postfix(this.#primary());
  }

  #postfix(start: Expression): Expression {
    let expression = start;
    for (let links = 0; links < MAX_DEPTH; links++) {
      if (this.#accept('.')) {
        const name = this.#take();
        if (name.kind !== 'name' && name.kind !== 'number') {
          throw new ExpressionSyntaxError(`Expected a name after "." at character ${name.at + 1}`, name.at);
        }
        expression = { kind: 'member', of: expression, name: name.text };
      } else if (this.#accept('[')) expression = { kind: 'index', of: expression, at: this.#closed(']') };
      else return expression;
    }
    throw new ExpressionSyntaxError(`A path may have at most ${MAX_DEPTH} parts`, this.#peek().at);
  }

  #primary(): Expression {
    const token = this.#take();
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) };
    if (token.kind === 'string') return { kind: 'literal', value: token.text };
    if (token.kind === 'name') return this.#named(token);
    if (token.text === '(') return this.#closed(')');
    if (token.text === '${') return this.#closed('}');
    if (token.text === '[') return { kind: 'list', items: this.#list(']') };
    if (token.text === '@') return this.#at();
    const found = token.kind === 'end' ? 'the end' : `"${token.text}"`;
    throw new ExpressionSyntaxError(`Expected a value but found ${found} at character ${token.at + 1}`, token.at);
  }

  #closed(end: string): Expression {
    const inner = this.#nested(() => this.#binary(0));
    this.#expect(end);
    return inner;
  }

  #list(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#accept(end)) {
      items.push(this.#nested(() => this.#binary(0)));
      if (!this.#isSymbol(end)) this.#expect(',');
    }
    return items;
  }

  #named(token: Token): Expression {
    const literal = token.text.toLowerCase();
    if (Object.hasOwn(LITERALS, literal)) return { kind: 'literal', value: LITERALS[literal] };
    if (!this.#accept('(')) return { kind: 'variable', name: token.text };
    return { kind: 'call', name: token.text, arguments: this.#list(')') };
  }

  /** `@input.x`, `@computed(…)`, `@semantic.analyze(text, 'urgency')`, `@x`. */
  #at(): Expression {
    const token = this.#take();
    if (token.kind !== 'name') throw new ExpressionSyntaxError(`Expected a name after "@" at character ${token.at + 1}`, token.at);
    if (token.text === 'env') throw new ExpressionSyntaxError('@env is not available: hand the value in as a variable', token.at);
    if (token.text === 'computed' && this.#accept('(')) return this.#closed(')');
    if (token.text === 'semantic' && this.#isSymbol('.')) return this.#semantic();
    if (token.text === 'input' && !this.#isSymbol('.')) return { kind: 'variable', name: 'input' };
    if (token.text === 'input' || token.text === 'variables' || token.text === 'context') {
      this.#expect('.');
      const name = this.#take();
      if (name.kind !== 'name') throw new ExpressionSyntaxError(`Expected a name after "." at character ${name.at + 1}`, name.at);
      return { kind: 'variable', name: name.text };
    }
    return this.#named(token);
  }

  #semantic(): Expression {
    this.#expect('.');
    const name = this.#take();
    if (name.text !== 'analyze') throw new ExpressionSyntaxError('Only @semantic.analyze(text, measure) is known', name.at);
    this.#expect('(');
    return { kind: 'call', name: 'analyze', arguments: this.#list(')') };
  }
}

interface Token {
  kind: 'number' | 'string' | 'name' | 'symbol' | 'end';
  text: string;
  at: number;
}

/** Longer symbols first, so that none hides behind its beginning. */
const TOKEN =
  /\s+|(?<number>\d+(?:\.\d+)?)|"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^'\\]|\\.)*)'|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<symbol>===|!==|\|\||&&|\?\?|==|!=|<=|>=|\$\{|[<>=!+\-*/%()[\],.@}])/guy;

/** The words, numbers, texts and symbols of an expression. */
function tokens(text: string): Token[] {
  const found: Token[] = [];
  let end = 0;
  for (const { 0: whole, index: at, groups: { number, double, single, name, symbol } = {} } of text.matchAll(TOKEN)) {
    end = at + whole.length;
    const quoted = double ?? single;
    if (quoted !== undefined) found.push({ kind: 'string', text: unescaped(quoted), at });
    else if (number) found.push({ kind: 'number', text: number, at });
    else if (name) found.push({ kind: 'name', text: name, at });
    else if (symbol) found.push({ kind: 'symbol', text: symbol, at });
  }
  if (end < text.length) {
    const shown = text[end] === '"' || text[end] === "'" ? 'a quote that is not closed' : `"${text[end]}"`;
    throw new ExpressionSyntaxError(`Unexpected ${shown} at character ${end + 1}`, end);
  }
  found.push({ kind: 'end', text: '', at: end });
  return found;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));
}

/** The names of the variables that an expression reads. */
export function* variablesIn(expression: Expression): Generator<string> {
  switch (expression.kind) {
    case 'literal':
      return;
    case 'variable':
      yield expression.name;
      return;
    default:
      for (const part of partsOf(expression)) yield* variablesIn(part);
  }
}

function partsOf(expression: Exclude<Expression, { kind: 'literal' | 'variable' }>): Expression[] {
  if (expression.kind === 'index') return [expression.of, expression.at];
  if (expression.kind === 'binary') return [expression.left, expression.right];
  if (expression.kind === 'list') return expression.items;
  return expression.kind === 'call' ? expression.arguments : [expression.of];
}
