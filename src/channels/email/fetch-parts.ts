/** Fetches the parts of a mail separately: text with a limit, files as streams. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ImapFlow } from 'imapflow';
import type { DriverContext } from '../contract/driver.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import { MAX_BYTES, MAX_TEXT } from './capabilities.ts';
import { htmlToText, MAX_HTML } from './html-text.ts';
import type { FilePart, MailParts } from './structure.ts';

/** In bytes: what is to be read of a text part. */
const MAX_TEXT_BYTES = 4 * MAX_TEXT;
const CUT = '\n[…]';
/** Of a file whose encoded form is larger than this, not even the beginning is fetched. */
const MAX_ENCODED = 1.4 * MAX_BYTES;
/** How much of a file is asked for at a time: each piece is in memory several times, encoded, decoded and as garbage. */
const PIECE = 65_536;

/** Returns the readable text of a mail: its plain text, else its HTML as text. */
export async function toText(client: ImapFlow, range: string, { plain, html }: MailParts): Promise<string> {
  const read = async (parts: string[], max: number): Promise<string> => {
    const texts: string[] = [];
    for (const part of parts) texts.push(await textPart(client, range, part, max));
    return texts.join('\n').slice(0, max);
  };
  const clean = (text: string): string =>
    text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\0', '').trim();
  const written = clean(await read(plain, MAX_TEXT_BYTES));
  const whole = written !== '' || html.length === 0 ? written : clean(htmlToText(await read(html, MAX_HTML)));
  return whole.length <= MAX_TEXT ? whole : whole.slice(0, MAX_TEXT - CUT.length).toWellFormed() + CUT;
}

async function textPart(client: ImapFlow, range: string, part: string, max: number): Promise<string> {
  const { content } = await client.download(range, part, { uid: true, maxBytes: max, chunkSize: PIECE });
  return content ? (await buffer(content)).toString() : '';
}

/** Receives a file as a stream. @returns the notice that replaces a file that is too large */
export async function receiveFile(
  client: ImapFlow,
  range: string,
  { part, fileName, mimeType, encodedBytes }: FilePart,
  context: Pick<DriverContext, 'receiveFile'>,
): Promise<ReceivedFile | string> {
  const instead = `[${fileName ?? mimeType}: too large to be fetched]`;
  if (encodedBytes > MAX_ENCODED) return instead;
  const { content } = await client.download(range, part, { uid: true, chunkSize: PIECE });
  // An empty part is answered like one that isn't there.
  const bytes = content ? bounded(content) : [];
  try {
    return await context.receiveFile(Readable.from(bytes, { objectMode: false }), {
      fileName,
      mimeType,
    });
  } catch (error) {
    if (error instanceof TooLarge) return instead;
    throw error;
  }
}

class TooLarge extends Error {}

async function* bounded(source: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of source as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw new TooLarge();
    yield piece;
  }
}
