import { createHash } from 'node:crypto';

const MAX_BYTES = 16 * 1024;
const HEAD_CHARACTERS = 1024;
const REDACTED = '[redacted]';
const SECRET = /token|secret|passw|passphrase|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key|\b(?:pwd|bearer|jwt)\b/i;
const COUNT_OF_TOKENS = /tokens$/i;

/** A value as the audit log keeps it: JSON text without secrets, cut when it is long. Never throws. */
export function recordedValue(value: unknown): string {
  let json: string;
  try {
    json = plainJson(value) ?? 'null';
    // Nearly no call has secrets; without them one pass is enough.
    if (SECRET.test(json)) json = JSON.stringify(value, withoutSecrets) ?? 'null';
  } catch (error) {
    return JSON.stringify({ unserialisable: true, reason: error instanceof Error ? error.name : typeof error });
  }
  if (json.length * 3 <= MAX_BYTES) return json;
  const bytes = Buffer.byteLength(json);
  return bytes <= MAX_BYTES ? json : truncated(json, bytes);
}

/** A replacer makes stringify several times slower, and big integers are rare. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, bigIntAsText);
  }
}

function truncated(json: string, bytes: number): string {
  const sha256 = createHash('sha256').update(json).digest('hex');
  return JSON.stringify({ truncated: true, bytes, sha256, head: json.slice(0, HEAD_CHARACTERS) });
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET.test(key) && !isHarmless(key, value)) return REDACTED;
  if (typeof value === 'string' && /^\s*[[{]/.test(value) && SECRET.test(value)) return withoutSecretsInText(value);
  return bigIntAsText(key, value);
}

/** max_tokens: 500 is a count, not a secret; null, true and the empty string hide nothing. */
function isHarmless(key: string, value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && COUNT_OF_TOKENS.test(key))
  );
}

/** Some tools carry JSON as text. */
function withoutSecretsInText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), withoutSecrets);
  } catch {
    return REDACTED;
  }
}
