import { Unreadable } from './unreadable.ts';

/** The text of each page. */
export async function pdfPages(bytes: Uint8Array): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }), { mergePages: false });
    return text;
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'PasswordException' || /password|encrypt/i.test(message))
      throw new Unreadable('it is encrypted: it needs a password', error);
    throw new Unreadable('it is not a readable PDF', error);
  }
}
