import { clip, Failure, isRecord, nearest, type Settings } from '@millrace/kernel';
import { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration file as it was read. */
export interface ConfigFile {
  path: string;
  content: Record<string, unknown>;
}

interface Candidate {
  value: unknown;
  source: string;
}

/** Where the values of one section come from, highest priority first. */
export interface Sources {
  flags: Record<string, string | boolean | string[] | undefined>;
  environment: Environment;
  file: ConfigFile | undefined;
  /** The key of the section in the file; undefined for the server's own settings at its root. */
  section: string | undefined;
}

/** Flags win over the environment, which wins over the file, which wins over the defaults. */
export function resolveSettings<Schema extends z.ZodObject>(settings: Settings<Schema>, sources: Sources): z.output<Schema> {
  const fields = Object.keys(settings.schema.shape);
  const chosen = new Map<string, Candidate>();
  for (const [field, candidate] of fromFile(settings, sources, fields)) chosen.set(field, candidate);
  for (const [path, variable] of Object.entries(settings.environment)) {
    const text = sources.environment[variable];
    if (text === undefined || text === '') continue;
    const [field, ...within] = path.split('.') as [string, ...string[]];
    const value = fromText(text, schemaAt(settings.schema.shape[field], within));
    const before = chosen.get(field)?.value;
    chosen.set(field, { value: placed(before, within, value), source: variable });
  }
  for (const field of fields) {
    const flag = sources.flags[field];
    if (flag !== undefined) chosen.set(field, { value: fromFlag(flag, settings.schema.shape[field]), source: `--${flagName(field)}` });
  }
  const raw = Object.fromEntries([...chosen].map(([field, { value }]) => [field, value]));
  const parsed = settings.schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error, chosen, raw, settings);
}

/** The schema of a field within a section, by its path. */
function schemaAt(schema: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return schema;
  const section = unwrapped(schema);
  return schemaAt(section instanceof z.ZodObject ? section.shape[key] : undefined, rest);
}

function placed(before: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  const section = before !== null && typeof before === 'object' ? (before as Record<string, unknown>) : {};
  return { ...section, [key]: placed(section[key], rest, value) };
}

export function flagName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function* fromFile(settings: Settings, { file, section }: Sources, fields: string[]): Generator<[string, Candidate]> {
  if (!file) return;
  const values = section === undefined ? file.content : file.content[section];
  if (values === undefined) return;
  const prefix = section === undefined ? '' : `${section}.`;
  if (!isRecord(values)) {
    throw configurationError(file.path, section ?? '', values, 'it must be an object');
  }
  for (const [field, value] of Object.entries(values)) {
    if (settings.secrets?.includes(field)) {
      const remedy = `set ${settings.environment[field]} in the environment or in .env`;
      throw new Failure('invalid_input', `${file.path}: ${prefix}${field} is a secret, and secrets are not read from files: ${remedy}`, {
        details: { file: file.path, field: prefix + field, remedy },
      });
    }
    if (fields.includes(field)) yield [field, { value, source: `${file.path}: ${prefix}${field}` }];
    else if (section !== undefined) throw unknownField(file.path, prefix + field, value, field, fields);
  }
}

export function unknownField(path: string, at: string, value: unknown, field: string, known: string[]): Failure {
  const [suggestion] = nearest(field, known, 1);
  const remedy = suggestion ? `Did you mean ${suggestion}?` : `Known: ${known.join(', ')}`;
  return new Failure('invalid_input', `${path}: there is no setting "${at}". ${remedy}`, {
    details: { file: path, field: at, value, remedy },
  });
}

export function configurationError(file: string, field: string, value: unknown, remedy: string): Failure {
  const at = field ? `${file}: ${field}` : file;
  return new Failure('invalid_input', `${at} is ${shown(value)}: ${remedy}`, { details: { file, field, value, remedy } });
}

function shown(value: unknown): string {
  return clip(JSON.stringify(value) ?? String(value), 100);
}

function invalid(error: z.ZodError, chosen: Map<string, Candidate>, raw: Record<string, unknown>, settings: Settings): Failure {
  const issue = error.issues[0] as z.core.$ZodIssue;
  const [field = '', ...rest] = issue.path.map(String);
  const source = chosen.get(field)?.source ?? field;
  const remedy = remedyOf(issue);
  if (settings.secrets?.includes(field)) {
    return new Failure('invalid_input', `${source} cannot be used: ${remedy}`, { details: { source, field, remedy } });
  }
  const value = raw[field];
  return new Failure('invalid_input', `${source} ${wrongPart(value, rest)}: ${remedy}`, { details: { source, field, value, remedy } });
}

/** Describes the invalid value, in words that follow the name of the setting. */
function wrongPart(value: unknown, path: readonly string[]): string {
  if (Array.isArray(value) && path.length === 1) return `contains ${shown(value[Number(path[0])])}`;
  return `is ${shown(value)}${path.length > 0 ? ` (at ${path.join('.')})` : ''}`;
}

function remedyOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `use one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small') return bounded('at least', issue.minimum, issue.origin);
  if (issue.code === 'too_big') return bounded('at most', issue.maximum, issue.origin);
  if (issue.code === 'invalid_type') return `it must be ${article(issue.expected)}`;
  return issue.message;
}

function bounded(bound: string, size: number | bigint, origin: string): string {
  if (origin !== 'string' && origin !== 'array') return `it must be ${bound} ${size}`;
  const unit = origin === 'string' ? 'character' : 'value';
  return `it must have ${bound} ${size} ${unit}${Number(size) === 1 ? '' : 's'}`;
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function fromFlag(value: string | boolean | string[], schema: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap(commaSeparated);
  return typeof value === 'string' ? fromText(value, schema) : value;
}

/** Converts the text of a flag or variable to the type of its field; if it does not fit, it stays text and the schema rejects it. */
function fromText(text: string, schema: unknown): unknown {
  switch (baseType(schema)) {
    case 'array':
      return commaSeparated(text);
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return /^(1|true|on|yes)$/i.test(text) ? true : /^(0|false|off|no)$/i.test(text) ? false : text;
    default:
      return text;
  }
}

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

export function baseType(schema: unknown): string {
  return unwrapped(schema)?.def.type ?? 'unknown';
}

function unwrapped(schema: unknown): z.ZodType | undefined {
  let current = schema as z.ZodType | undefined;
  while (
    current instanceof z.ZodOptional ||
    current instanceof z.ZodDefault ||
    current instanceof z.ZodPrefault ||
    current instanceof z.ZodNullable
  ) {
    current = current.def.innerType as z.ZodType;
  }
  return current;
}
