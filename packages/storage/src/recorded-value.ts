import { hash } from 'node:crypto';

const MAX_BYTES = 16 * 1024;
const HEAD_CHARACTERS = 1024;
const REDACTED = '[redacted]';
const SECRET = /token|secret|passw|passphrase|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key|\b(?:pwd|bearer|jwt)\b/i;
const COUNT_OF_TOKENS = /tokens$/i;
/** What stands before the host of an address: a user, mostly with a password. */
const USER_INFO = /:\/\/[^\s/?#"\\]*@/g;
const QUERY_PARAMETER = /([?&])([\w.~%-]{1,100})=([^\s&#"'\\<>]+)/g;
/** A secret inside a sentence: `Bearer abc…`, `api_key=abc…`. */
const SPOKEN_SECRET = /\b(Bearer |Basic |(?:api[-_]?key|token|secret|password)=)[^\s"'\\&,;]{6,}/gi;
const SECRET_PARAMETER = /^(?:key|sig|signature|auth)$/i;

/**
 * A value as the audit log keeps it: JSON text without secrets, cut when it is long. Never throws. The given secrets are
 * taken out wherever they occur.
 */
export function recordedValue(value: unknown, secrets: readonly string[] = []): string {
  let json: string;
  try {
    json = plainJson(value) ?? 'null';
    // Nearly no call has secrets; without them one pass is enough.
    if (SECRET.test(json)) json = (JSON.stringify(value, withoutSecrets) ?? 'null').replace(SPOKEN_SECRET, `$1${REDACTED}`);
  } catch (error) {
    return JSON.stringify({ unserialisable: true, reason: error instanceof Error ? error.name : typeof error });
  }
  json = withoutValues(withoutSecretsInAddresses(json), secrets);
  if (json.length * 3 <= MAX_BYTES) return json;
  const bytes = Buffer.byteLength(json);
  return bytes <= MAX_BYTES ? json : truncated(json, bytes);
}

/** Works on JSON text: a quote or a backslash ends an address there. */
function withoutSecretsInAddresses(json: string): string {
  const anonymous = json.includes('://') ? json.replace(USER_INFO, `://${REDACTED}@`) : json;
  if (!anonymous.includes('?')) return anonymous;
  return anonymous.replace(QUERY_PARAMETER, (whole, before: string, name: string) =>
    SECRET.test(name) || SECRET_PARAMETER.test(name) ? `${before}${name}=${REDACTED}` : whole,
  );
}

function withoutValues(json: string, secrets: readonly string[]): string {
  let text = json;
  for (const secret of secrets) {
    const written = JSON.stringify(secret).slice(1, -1);
    if (text.includes(written)) text = text.replaceAll(written, REDACTED);
  }
  return text;
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
  return JSON.stringify({ truncated: true, bytes, sha256: hash('sha256', json), head: json.slice(0, HEAD_CHARACTERS) });
}

function bigIntAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function withoutSecrets(key: string, value: unknown): unknown {
  if (SECRET.test(key) && !isHarmless(key, value)) return REDACTED;
  if (isSecretPair(value)) return { ...value, value: REDACTED };
  if (typeof value === 'string' && /^\s*[[{]/.test(value) && SECRET.test(value)) return withoutSecretsInText(value);
  return bigIntAsText(key, value);
}

/** Headers and parameters are often written as {name, value}. */
function isSecretPair(value: unknown): value is { name: string; value: string } {
  if (value === null || typeof value !== 'object' || !('name' in value && 'value' in value)) return false;
  return typeof value.name === 'string' && typeof value.value === 'string' && value.value !== REDACTED && SECRET.test(value.name);
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
