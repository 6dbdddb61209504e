/**
 * A model provider over HTTP, through the egress guard: no redirects, no compression, a body with back-pressure.
 *
 * Invariant: once the body has ended, was left or broke off, or the request failed, its connection is free or destroyed.
 */
import type { Dispatcher } from 'undici';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../contract/upstream.ts';
import { getCallHeaders, type ReachableProvider, toUpstreamError } from './provider-request.ts';

/** Bytes that wait for the reader before the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024;
/** Interim responses (1xx), which a provider could send without end. */
const MAX_INTERIM = 10;

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Rejects responses that can't be relayed unchanged. */
function checkResponse(status: number, headers: UpstreamResponse['headers']): UpstreamError | null {
  if (status >= 300 && status < 400)
    return new UpstreamError(
      'broken',
      `The provider responded with a redirect (${status}). Check its base URL.`,
    );
  const coding = one(headers['content-encoding'])?.trim().toLowerCase() ?? 'identity';
  if (coding === '' || coding === 'identity') return null;
  return new UpstreamError('broken', 'The provider sent a compressed response, which was not requested.');
}

type Waiting = { resolve: (result: IteratorResult<Uint8Array>) => void; reject: (error: Error) => void };

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** One call, as undici's handler and as the iterator of its response body. */
class Call implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  private controller: Dispatcher.DispatchController | null = null;
  private interim = 0;
  private chunks: Buffer[] = [];
  private waitingBytes = 0;
  private reader: Waiting | null = null;
  /** How it ended: null for a complete body. */
  private ended: { error: UpstreamError | null } | null = null;
  private hasResponse = false;
  private hasBody = false;
  private timer: NodeJS.Timeout;
  private readonly request: UpstreamRequest;
  private readonly onResponse: (response: UpstreamResponse) => void;
  private readonly onFailure: (error: UpstreamError) => void;

  constructor(
    request: UpstreamRequest,
    onResponse: (response: UpstreamResponse) => void,
    onFailure: (error: UpstreamError) => void,
  ) {
    this.request = request;
    this.onResponse = onResponse;
    this.onFailure = onFailure;
    this.timer = setTimeout(this.onTimeout, request.timeoutMs);
    request.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  private readonly onTimeout = (): void => {
    // The provider is not late while the reader is.
    if (this.chunks.length > 0) this.timer.refresh();
    else this.breakOff(new UpstreamError('timeout', this.describeTimeout()));
  };

  private describeTimeout(): string {
    const { timeoutMs, partTimeoutMs } = this.request;
    return this.hasBody
      ? `The provider sent nothing more within ${partTimeoutMs / 1000} s.`
      : `The provider did not respond within ${timeoutMs / 1000} s.`;
  }

  private readonly onAbort = (): void => {
    this.breakOff(new UpstreamError('aborted', 'The call was aborted.'));
  };

  /** Ends the call and its connection. */
  private breakOff(error: UpstreamError): void {
    if (this.end(error)) this.controller?.abort(error);
  }

  private end(error: UpstreamError | null): boolean {
    if (this.ended) return false;
    this.ended = { error };
    clearTimeout(this.timer);
    this.request.signal.removeEventListener('abort', this.onAbort);
    // An aborted reader needs no more data; otherwise the received part of a broken response is delivered before its
    // error.
    if (error?.code === 'aborted') this.dropChunks();
    if (!this.hasResponse)
      this.onFailure(error ?? new UpstreamError('broken', 'The response has no status.'));
    const { reader } = this;
    this.reader = null;
    if (error) reader?.reject(error);
    else reader?.resolve(DONE);
    return true;
  }

  private dropChunks(): void {
    this.chunks = [];
    this.waitingBytes = 0;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It ended while it waited for a connection. Throwing removes it from the queue and keeps the connection.
    if (this.ended) throw this.ended.error ?? new UpstreamError('aborted', 'The call was aborted.');
    this.controller = controller;
  }

  onResponseStart(_: unknown, status: number, received: Record<string, string | string[] | undefined>): void {
    if (status < 200) {
      this.interim += 1;
      if (this.interim > MAX_INTERIM)
        this.breakOff(new UpstreamError('broken', 'The provider sent too many interim responses.'));
      return;
    }
    const headers = received as UpstreamResponse['headers'];
    const error = checkResponse(status, headers);
    if (error) {
      this.breakOff(error);
      return;
    }
    this.hasResponse = true;
    this.onResponse({ status, headers, body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    if (this.hasBody) this.timer.refresh();
    else {
      this.hasBody = true;
      clearTimeout(this.timer);
      this.timer = setTimeout(this.onTimeout, this.request.partTimeoutMs);
    }
    const { reader } = this;
    if (reader) {
      this.reader = null;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.chunks.push(chunk);
    this.waitingBytes += chunk.length;
    if (this.waitingBytes >= HIGH_WATER_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.end(null);
  }

  onResponseError(_: unknown, error: Error): void {
    this.end(toUpstreamError(error, this.request.signal.aborted));
  }

  /** All pending data is one chunk, so that a provider that sends faster than it is read costs less per piece. */
  next(): Promise<IteratorResult<Uint8Array>> {
    const [first] = this.chunks;
    if (first) {
      const value = this.chunks.length === 1 ? first : Buffer.concat(this.chunks, this.waitingBytes);
      this.dropChunks();
      if (this.controller?.paused) {
        this.timer.refresh();
        this.controller.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.ended) return this.ended.error ? Promise.reject(this.ended.error) : Promise.resolve(DONE);
    return new Promise((resolve, reject) => (this.reader = { resolve, reject }));
  }

  /** The reader leaves: the rest of the body is not read, and the connection is closed. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.breakOff(new UpstreamError('aborted', 'The response was not read to its end.'));
    this.dropChunks();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

export interface HttpUpstreamDeps {
  dispatcher: Dispatcher;
  secrets: SecretBox;
}

/** Creates the upstream of a provider. Its credentials are opened for each call and not kept. */
export const createHttpUpstream = (
  { dispatcher, secrets }: HttpUpstreamDeps,
  provider: ReachableProvider,
): Upstream => ({
  send(request) {
    return new Promise<UpstreamResponse>((resolve, reject) => {
      if (request.signal.aborted) {
        reject(new UpstreamError('aborted', 'The call was aborted.'));
        return;
      }
      const { origin, pathname } = new URL(`${provider.base_url}/${request.operation}`);
      const headers = {
        ...getCallHeaders(secrets, provider),
        'content-type': 'application/json',
        ...(request.traceparent === null ? {} : { traceparent: request.traceparent }),
      };
      const call = new Call(request, resolve, reject);
      // undici's own timers are off: the time-outs are the call's.
      dispatcher.dispatch(
        {
          origin,
          path: `${pathname}${request.query}`,
          method: 'POST',
          headers,
          body: request.body,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        call,
      );
    });
  },
});
