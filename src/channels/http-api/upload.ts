/** Uploads one file with fields as multipart/form-data, streamed. */
import { Readable } from 'node:stream';
import { request } from 'undici';
import type { Egress } from '../../platform/egress/egress.ts';
import { DriverError } from '../contract/driver-error.ts';
import { type ApiAnswer, readAnswer } from './answer.ts';
import { type ApiDefaults, USER_AGENT } from './client.ts';
import { toNetworkError } from './failures.ts';
import { createMultipart, type MultipartFile } from './multipart.ts';

export interface ApiUpload {
  url: string;
  headers?: Record<string, string>;
  fields: Readonly<Record<string, string>>;
  file: MultipartFile;
  /** One deadline over everything, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
  /** A repeated upload has no further effect, so no failure of it is `unknown`. Default: false. */
  isSafe?: boolean;
}

export type Upload = (upload: ApiUpload) => Promise<ApiAnswer>;

/** Reads a body up to `max` bytes; null if it is longer. */
async function readBody(body: AsyncIterable<Buffer>, max: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > max) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * Creates a function that uploads a file. Until the last byte was handed to the connection, a failure is `lost`, as the
 * channel cannot have a complete request.
 */
export function createUpload(egress: Pick<Egress, 'dispatcher'>, defaults: ApiDefaults): Upload {
  const { title, maxAnswerBytes } = defaults;
  return async ({ url, headers, fields, file, timeoutMs, signal, isSafe = false }) => {
    const multipart = createMultipart(fields, file);
    const timeout = AbortSignal.timeout(timeoutMs);
    let isComplete = false;
    let fileError: unknown = null;
    const body = async function* (): AsyncGenerator<Buffer> {
      let left = multipart.contentLength;
      try {
        for await (const chunk of multipart.stream()) {
          left -= chunk.length;
          isComplete = left === 0;
          yield chunk;
        }
      } catch (error) {
        fileError = error;
        throw error;
      }
    };
    try {
      const answer = await request(url, {
        dispatcher: egress.dispatcher,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'user-agent': USER_AGENT,
          ...headers,
          'content-type': multipart.contentType,
          'content-length': String(multipart.contentLength),
        },
        body: Readable.from(body(), { objectMode: false }),
        // The deadline is the signal's.
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: AbortSignal.any([signal, timeout]),
      });
      const bytes = await readBody(answer.body, maxAnswerBytes);
      return readAnswer(
        {
          status: answer.statusCode,
          headers: answer.headers as ApiAnswer['headers'],
          body: bytes ?? Buffer.alloc(0),
          truncated: bytes === null,
        },
        defaults,
        isSafe,
      );
    } catch (error) {
      if (fileError instanceof DriverError) throw fileError;
      if (fileError !== null && !isComplete)
        throw new DriverError('busy', 'file_unreadable', 'The file could not be read.', { cause: fileError });
      if (timeout.aborted && !(error instanceof DriverError)) {
        const kind = isComplete && !isSafe ? 'unknown' : 'lost';
        throw new DriverError(
          kind,
          'timeout',
          `${title}: the upload did not complete within ${timeoutMs} ms.`,
        );
      }
      throw toNetworkError(error, title, isComplete && !isSafe);
    }
  };
}
