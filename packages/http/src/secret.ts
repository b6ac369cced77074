import { Failure, type FailureCode } from '@millrace/kernel';

export interface SecretSetting {
  /** The variable that holds it. */
  variable: string;
  value: string | undefined;
  /** Where people find it, as in "Copy it again from …". */
  from: string;
  code?: FailureCode;
}

/** The secret as it can be sent in a header; a line break that came along from a file is not part of it. */
export function headerSecret({ variable, value, from, code = 'unavailable' }: SecretSetting): string | undefined {
  const trimmed = value?.trim();
  if (!trimmed) return undefined;
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new Failure(code, `${variable} contains characters that a key cannot have`, {
    details: { variable },
    fix: { instruction: `Copy it again from ${from}, and set ${variable} to it` },
  });
}
