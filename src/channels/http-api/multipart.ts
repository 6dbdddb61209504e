/** Encodes multipart/form-data as the WHATWG HTML standard says, with one file as a stream. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DriverError } from '../contract/driver-error.ts';

export interface MultipartFile {
  /** Name of the form field. */
  field: string;
  fileName: string;
  mimeType: string;
  /** Bytes that `open` streams. */
  size: number;
  open(): Promise<Readable>;
}

export interface Multipart {
  contentType: string;
  contentLength: number;
  /**
   * Streams the body. The stream of the file ends with the iterator.
   * @throws DriverError busy if the file has another size than announced
   */
  stream(): AsyncGenerator<Buffer>;
}

/** A name or field in a header of a part. */
const escapeName = (name: string): string => name.replaceAll(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22');
const LINE_BREAK = /\r\n|\r|\n/g;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*$/;

/** Returns the opened file, with an error listener for the time before it is read. */
async function open(file: MultipartFile): Promise<Readable> {
  const source = await file.open();
  source.on('error', () => undefined); // also rejects the iteration
  return source;
}

async function* streamFile(file: MultipartFile): AsyncGenerator<Buffer> {
  const source = await open(file);
  const wrong = (): DriverError =>
    new DriverError('busy', 'file_unreadable', 'The file does not have the expected size.');
  let left = file.size;
  try {
    for await (const chunk of source) {
      left -= (chunk as Buffer).length;
      if (left < 0) throw wrong();
      yield chunk as Buffer;
    }
    if (left > 0) throw wrong();
  } finally {
    source.destroy();
  }
}

export function createMultipart(fields: Readonly<Record<string, string>>, file: MultipartFile): Multipart {
  const boundary = `----fairlead${randomBytes(18).toString('base64url')}`;
  const mimeType = MIME_TYPE.test(file.mimeType) ? file.mimeType : 'application/octet-stream';
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value.replaceAll(LINE_BREAK, '\r\n')}\r\n`,
  );
  const head = Buffer.from(
    `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(file.field)}"; filename="${escapeName(file.fileName)}"\r\ncontent-type: ${mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: head.length + file.size + tail.length,
    async *stream() {
      yield head;
      yield* streamFile(file);
      yield tail;
    },
  };
}
