/** Fetches the parts of a mail separately: text with a limit, files as streams. */
import { Readable } from 'node:stream';
import type { ImapFlow } from 'imapflow';
import type { DriverContext } from '../contract/driver.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import { MAX_BYTES, MAX_TEXT } from './capabilities.ts';
import { decodeText } from './charset.ts';
import { unflow } from './flowed-text.ts';
import { CUT, htmlToText, MAX_HTML } from './html-text.ts';
import type { Body, FilePart, TextPart } from './structure.ts';

/**
 * Maximum encoded bytes fetched of a text part. Quoted-printable uses three bytes for one, and a character has up to
 * four.
 */
const MAX_ENCODED_TEXT = 3 * 4 * MAX_TEXT;
const MAX_ENCODED_HTML = 3 * MAX_HTML;
/** Encoded bytes above which a file is not fetched at all. */
const MAX_ENCODED = 1.4 * MAX_BYTES;
/** Bytes of a part per request. Each piece is in memory several times: encoded, decoded and as garbage. */
const PIECE = 65_536;

/** Returns the readable text of a mail, at most MAX_TEXT long. Omitted text is marked. */
export async function toText(client: ImapFlow, range: string, body: Body): Promise<string> {
  const whole = await readBody(body, (part) => readText(client, range, part));
  return whole.length <= MAX_TEXT
    ? whole
    : `${whole.slice(0, MAX_TEXT - CUT.length - 1).toWellFormed()}\n${CUT}`;
}

/** @param read returns the trimmed text of a part */
async function readBody(body: Body, read: (part: TextPart) => Promise<string>): Promise<string> {
  if (body.kind === 'omitted') return CUT;
  if (body.kind === 'text') return read(body);
  const texts: string[] = [];
  let length = 0;
  for (const each of body.of) {
    const text = await readBody(each, read);
    if (text === '') continue;
    if (body.kind === 'alternative') return text;
    texts.push(text);
    length += text.length;
    if (length > MAX_TEXT) break; // `toText` then adds a mark
  }
  return texts.join('\n\n');
}

async function readText(client: ImapFlow, range: string, part: TextPart): Promise<string> {
  const { bytes, isCut } = await fetchPart(
    client,
    range,
    part.part,
    part.isHtml ? MAX_ENCODED_HTML : MAX_ENCODED_TEXT,
  );
  const text = decodePart(bytes, part);
  return isCut ? `${text}\n${CUT}` : text;
}

/** Decodes a text part to readable text. @param bytes the encoded bytes, possibly truncated */
function decodePart(bytes: Buffer, part: TextPart): string {
  const text = decodeText(decodeTransfer(bytes, part.encoding), part.charset, part.isHtml);
  const read = part.isHtml ? htmlToText(text) : part.isFlowed ? unflow(text, part.deletesSpace) : text;
  return read.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll('\0', '').trim();
}

function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return bytes;
  const lines = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => line.trimEnd());
  const joined = lines.map((line, index) =>
    line.endsWith('=') ? line.slice(0, -1) : line + (index < lines.length - 1 ? '\n' : ''),
  );
  const text = joined
    .join('')
    .replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
}

async function fetchPart(
  client: ImapFlow,
  range: string,
  part: string,
  max: number,
): Promise<{ bytes: Buffer; isCut: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  while (size < max) {
    const found = await client.fetchOne(
      range,
      { uid: true, bodyParts: [{ key: part, start: size, maxLength: PIECE }] },
      { uid: true },
    );
    const piece = found ? found.bodyParts?.get(part) : undefined;
    if (!piece || piece.length === 0) break;
    pieces.push(piece);
    size += piece.length;
    // Some servers return the whole part, regardless of the requested range.
    if (piece.length !== PIECE) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, max), isCut: size >= max };
}

/** Receives the whole mail as a stream; null if it is too large. @param size the size that the server reports */
export async function receiveSource(
  client: ImapFlow,
  range: string,
  size: number,
  context: Pick<DriverContext, 'receiveFile'>,
): Promise<ReceivedFile | null> {
  if (size > MAX_BYTES) return null;
  const { content } = await client.download(range, undefined, { uid: true, chunkSize: PIECE });
  if (!content) return null;
  try {
    return await context.receiveFile(Readable.from(bounded(content), { objectMode: false }), {
      fileName: 'message.eml',
      mimeType: 'message/rfc822',
    });
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
}

/** Receives a file as a stream. @returns the notice that replaces a file that is too large */
export async function receiveFile(
  client: ImapFlow,
  range: string,
  { part, fileName, mimeType, encodedBytes }: FilePart,
  context: Pick<DriverContext, 'receiveFile'>,
): Promise<ReceivedFile | string> {
  const instead = `[${fileName}: too large to be fetched]`;
  if (encodedBytes > MAX_ENCODED) return instead;
  const { content } = await client.download(range, part, { uid: true, chunkSize: PIECE });
  // Servers respond the same for an empty part as for a missing one.
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
