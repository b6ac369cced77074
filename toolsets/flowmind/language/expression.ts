/** A parsed expression. */
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
