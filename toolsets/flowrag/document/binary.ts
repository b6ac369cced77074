/** A file that cannot be indexed, with the reason in words for the report. */
export class Unreadable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'Unreadable';
  }
}

const OLE_HEADER = [0xd0, 0xcf, 0x11, 0xe0];
const LARGEST_UNPACKED = 200_000_000;

/** The document as HTML. */
export async function docxHtml(bytes: Buffer): Promise<string> {
  if (OLE_HEADER.every((byte, index) => bytes[index] === byte))
    throw new Unreadable('it is encrypted, or an old .doc file under a new name');
  if (unpackedSize(bytes) > LARGEST_UNPACKED) throw new Unreadable('it would unpack to more than 200 MB');
  const { default: mammoth } = await import('mammoth');
  try {
    const image = mammoth.images.imgElement(async () => ({ src: '' }));
    return (await mammoth.convertToHtml({ buffer: bytes }, { convertImage: image })).value;
  } catch (error) {
    throw new Unreadable('it is not a readable Word document', error);
  }
}

/** The sum that the archive's directory states, read without unpacking anything. */
function unpackedSize(bytes: Buffer): number {
  let total = 0;
  const entryFrom = (start: number) => bytes.indexOf('PK\x01\x02', start, 'latin1');
  for (let at = entryFrom(0); at >= 0 && at + 28 <= bytes.length; at = entryFrom(at + 4)) total += bytes.readUInt32LE(at + 24);
  return total;
}

/** The text of each page. */
export async function pdfPages(bytes: Uint8Array): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  try {
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }), { mergePages: false });
    return text;
  } catch (error) {
    if (error instanceof Error && (error.name === 'PasswordException' || /password|encrypt/i.test(error.message)))
      throw new Unreadable('it is encrypted: it needs a password', error);
    throw new Unreadable('it is not a readable PDF', error);
  }
}
