/**
 * One HTTP exchange, as undici's handler: collects status, headers and the bounded body, and settles once. Invariant: once it
 * has settled, its socket is either free for the next request or destroyed, so what runs is never more than what is waited for.
 */
import type { Dispatcher } from 'undici';
import type { Deadlines, Expiring } from './deadlines.ts';
import { EgressError, toEgressError } from '../addresses/egress-error.ts';

export interface Answer {
  status: number;
  /** Lower-case names; an array if a header occurs more than once. */
  headers: Record<string, string | string[]>;
  /** As received: a compressed body is not decompressed. */
  body: Buffer;
  /** Whether the body exceeded the limit, or did not end in time. */
  truncated: boolean;
  remoteAddress: string | null;
}

export interface ExchangeOptions {
  timeoutMs: number;
  maxAnswerBytes: number;
  signal?: AbortSignal;
  /**
   * Whether the status alone says what became of the request. Then the body is what arrives within BODY_MS after the
   * headers: a receiver that keeps it open, or breaks it off, has responded nevertheless.
   */
  statusDecides?: boolean;
  /** Called when the request is about to be written: the last moment at which `signal` can keep it back. */
  beforeSend?: () => void;
}

/**
 * Bytes of a longer body that are read and discarded, so that its connection can be reused; a longer rest closes it.
 */
const DRAINED_BYTES = 64 * 1024;
const DRAINED_MS = 500;
const BODY_MS = 2_000;
/** Interim answers (1xx), which a receiver could send without end. */
const MAX_INTERIM = 10;
const EMPTY = Buffer.alloc(0);

export class Exchange implements Dispatcher.DispatchHandler, Expiring {
  /** The client that sends the request, once it is known. */
  client: { peer: string | null } | null = null;
  settled = false;
  private ended = false;
  private controller: Dispatcher.DispatchController | null = null;
  private status = 0;
  private headers: Answer['headers'] = {};
  private readonly chunks: Buffer[] = [];
  private kept = 0;
  private read = 0;
  private interim = 0;
  private cancelDeadline: () => void;
  private readonly resolve: (answer: Answer) => void;
  private readonly reject: (error: EgressError) => void;
  private readonly options: ExchangeOptions;
  private readonly deadlines: Deadlines;

  constructor(
    options: ExchangeOptions,
    deadlines: Deadlines,
    resolve: (answer: Answer) => void,
    reject: (error: EgressError) => void,
  ) {
    this.options = options;
    this.deadlines = deadlines;
    this.resolve = resolve;
    this.reject = reject;
    this.cancelDeadline = deadlines.set(this, options.timeoutMs);
    options.signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  private readonly onAbort = (): void => {
    const error = new EgressError('aborted', 'The call was aborted.', this.peer);
    this.breakOff(this.isDecided ? null : error);
  };

  private get peer(): string | null {
    return this.client?.peer ?? null;
  }

  private get overlong(): boolean {
    return this.read > this.kept;
  }

  /** Whether a body that does not end changes nothing. */
  private get isDecided(): boolean {
    return this.options.statusDecides === true && this.status !== 0;
  }

  expire(): void {
    if (this.overlong || this.isDecided) {
      this.breakOff(null);
      return;
    }
    const what = !this.controller
      ? 'There was no connection'
      : this.status === 0
        ? 'The remote server did not respond'
        : 'The response did not end';
    const detail = `${what} within ${this.options.timeoutMs} ms.`;
    this.breakOff(new EgressError('timeout', detail, this.peer));
  }

  /** Ends the exchange now, with the data received so far if there is no error. Closes the connection. */
  private breakOff(error: EgressError | null): void {
    if (error) this.fail(error);
    else this.succeed();
    this.controller?.abort(error ?? new EgressError('aborted', 'The response was not read to its end.'));
  }

  /** @returns whether this call is the one that settles it */
  private complete(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.cancelDeadline();
    this.options.signal?.removeEventListener('abort', this.onAbort);
    return true;
  }

  private succeed(): void {
    if (!this.complete()) return;
    this.resolve({
      status: this.status,
      headers: this.headers,
      // A copy: a chunk is a window on the 64 KiB that were read from the socket, and would keep them in memory.
      body: this.kept === 0 ? EMPTY : Buffer.concat(this.chunks, this.kept),
      truncated: this.overlong || !this.ended,
      remoteAddress: this.peer,
    });
  }

  fail(error: unknown): void {
    if (this.complete()) this.reject(toEgressError(error, this.peer));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.options.beforeSend?.();
    // It ended while it waited for a connection: throwing removes it from the queue and leaves the connection
    // unchanged.
    if (this.settled) throw new EgressError('aborted', 'The request was aborted before it was sent.');
    this.controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) {
      this.interim += 1;
      if (this.interim > MAX_INTERIM)
        this.breakOff(
          new EgressError('invalid_answer', 'The server sent too many interim responses.', this.peer),
        );
      return;
    }
    this.status = status;
    this.headers = headers as Answer['headers'];
    if (this.options.statusDecides) this.shortenTo(BODY_MS);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.settled) return;
    const room = this.options.maxAnswerBytes - this.kept;
    const fits = chunk.length <= room ? chunk : chunk.subarray(0, room);
    if (fits.length > 0) this.chunks.push(fits);
    const wasOverlong = this.overlong;
    this.kept += fits.length;
    this.read += chunk.length;
    if (this.read - this.kept > DRAINED_BYTES) this.breakOff(null);
    else if (this.overlong && !wasOverlong) this.shortenTo(DRAINED_MS);
  }

  /** The needed part has arrived: the rest gets this time, or the remaining deadline if shorter. */
  private shortenTo(ms: number): void {
    const cancelWhole = this.cancelDeadline;
    const cancelShort = this.deadlines.set(this, ms);
    this.cancelDeadline = () => {
      cancelWhole();
      cancelShort();
    };
  }

  onResponseEnd(): void {
    this.ended = true;
    this.succeed();
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.overlong || this.isDecided) this.succeed();
    else this.fail(error);
  }
}
