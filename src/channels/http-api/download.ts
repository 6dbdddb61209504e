/** Streams a file of a channel into storage. */
import { Transform, type TransformCallback } from 'node:stream';
import { request } from 'undici';
import type { Egress } from '../../platform/egress/egress.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { USER_AGENT } from './client.ts';
import { readRetryAfter, toNetworkError } from './failures.ts';

export interface ApiDownload {
  url: string;
  headers?: Record<string, string>;
  about: { fileName: string | null; mimeType: string | null };
  maxBytes: number;
  /** One deadline over everything, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * @throws DriverError rejected if the file is too large or no longer exists; busy or lost if it can be downloaded later;
 * refused if the credentials are wrong or the operator does not allow the host
 */
export type Download = (download: ApiDownload) => Promise<ReceivedFile>;

class Limit extends Transform {
  private left: number;
  private readonly tooLarge: () => DriverError;

  constructor(max: number, tooLarge: () => DriverError) {
    super();
    this.left = max;
    this.tooLarge = tooLarge;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.left -= chunk.length;
    if (this.left < 0) done(this.tooLarge());
    else done(null, chunk);
  }
}

/** @param title name of the channel. Redirects are not followed. */
export function createDownload(
  context: Pick<DriverContext, 'receiveFile'> & { egress: Pick<Egress, 'dispatcher'> },
  title: string,
): Download {
  return async ({ url, headers, about, maxBytes, timeoutMs, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    /** Until the response is here, every failure is one of the network; then those of `body` are. */
    let networkError: unknown = null;
    let isReceiving = false;
    const tooLarge = (): DriverError =>
      new DriverError('rejected', 'too_large', `${title}: the file has more than ${maxBytes} bytes.`);
    try {
      const answer = await request(url, {
        dispatcher: context.egress.dispatcher,
        headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': USER_AGENT, ...headers },
        headersTimeout: 0,
        bodyTimeout: 0,
        signal: AbortSignal.any([signal, timeout]),
      });
      const { statusCode: status, body } = answer;
      const discard = (): void => void body.on('error', () => undefined).destroy();
      const failed = (kind: 'busy' | 'refused' | 'rejected', code: string): DriverError =>
        new DriverError(kind, code, `${title} responded with ${status} to the request for a file.`, {
          retryAfterMs: readRetryAfter(answer.headers as Record<string, string>),
        });
      if (status !== 200) {
        discard();
        if (status === 401 || status === 403) throw failed('refused', 'authentication_failed');
        if (status === 408 || status === 429 || status >= 500) throw failed('busy', 'channel_unavailable');
        throw failed('rejected', 'file_unavailable');
      }
      if (Number(answer.headers['content-length'] ?? 0) > maxBytes) {
        discard();
        throw tooLarge();
      }
      const limit = new Limit(maxBytes, tooLarge);
      body.on('error', (error) => {
        networkError ??= error;
        limit.destroy(error);
      });
      limit.on('close', () => body.destroy());
      isReceiving = true;
      return await context.receiveFile(body.pipe(limit), about);
    } catch (error) {
      // Our own storage failed.
      if (isReceiving && networkError === null) throw error;
      if (timeout.aborted && !(error instanceof DriverError))
        throw new DriverError('lost', 'timeout', `${title}: no file within ${timeoutMs} ms.`);
      throw toNetworkError(error, title, false);
    }
  };
}
