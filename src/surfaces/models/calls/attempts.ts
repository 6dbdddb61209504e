/**
 * One attempt to get a response from a target, up to the point at which it reaches the caller. Until then the next target
 * can be tried.
 *
 * A stream is held back until the model has begun to respond, so that one that is empty or that begins with an error
 * counts as a failed attempt. The last target's stream is not held back: the caller gets it in any case. The beginning of
 * a document is held back, also the last target's: a small one may be an error that came with status 200.
 */
import { LRUCache } from 'lru-cache';
import type { FallbackReason, Target } from '../contract/model-catalog.ts';
import type { TokenUsage } from '../contract/call-ledger.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';
import { type CallBody, needsUsage, toUpstreamBody } from '../contract/call-body.ts';
import { estimateInput } from '../contract/input-size.ts';
import { isContextLength } from './provider-error.ts';
import { type CallOperation, UpstreamError, type UpstreamResponse } from '../contract/upstream.ts';
import { looksLikeEvents } from './sse-frames.ts';
import { addUsage, NO_USAGE, type ReportedUsage, toCost } from '../contract/usage.ts';
import { createUsageTap, type UsageTap } from './usage-tap.ts';

/** An error's body is kept up to this size. */
const MAX_ERROR_BYTES = 64 * 1024;
/** A provider that sends an error slowly keeps its caller waiting for no longer. */
const ERROR_BODY_MS = 10_000;
/** A model that thinks before it begins is not silent for as long once it has begun. */
const MAX_PART_TIMEOUT_MS = 120_000;
/** A response is held back up to this size. */
const MAX_HELD_BYTES = 64 * 1024;

export interface AttemptRequest {
  operation: CallOperation;
  body: CallBody;
  query: string;
  traceparent: string | null;
}

/** A response that can be relayed. */
export interface Answer {
  kind: 'answer';
  response: UpstreamResponse;
  isStream: boolean;
  tap: UsageTap;
  /** Chunks to relay first. */
  held: Uint8Array[];
  iterator: AsyncIterator<Uint8Array>;
  /** Whether the upstream has sent everything. */
  isDone: boolean;
}

/** An error response, read completely. */
export interface Rejection {
  kind: 'rejection';
  /** Of an error in a success, with the status that the provider means by it, or 502. */
  response: UpstreamResponse;
  body: Buffer;
  /** Whether it came with a status of success. */
  isInSuccess?: true;
}

/** No response to relay. */
export interface Failure {
  kind: 'failure';
  code: 'refused' | 'timeout' | 'broken' | 'address_not_allowed' | 'empty_stream' | 'stream_error' | 'busy';
  problem: Problem;
}

export type AttemptResult = Answer | Rejection | Failure;

export interface Attempt {
  target: Target;
  /** Sends the call. @throws the signal's reason if the caller is gone */
  start(): Promise<AttemptResult>;
  /** Ends the upstream's response and gives its slot back. */
  close(): void;
  /** The usage, and whether it is an estimate. */
  usage(): { usage: TokenUsage; isEstimated: boolean; cost: number | null };
}

/** Another model may be paid, be faster, or have capacity. */
const PASSING: ReadonlySet<number> = new Set([402, 408, 429]);

/**
 * Whether the next target of a route is tried.
 * @param on rejections for which the route tries it besides
 */
export function mayPass(result: AttemptResult, on: readonly FallbackReason[]): boolean {
  if (result.kind !== 'rejection') return result.kind === 'failure';
  const { body, isInSuccess } = result;
  const { status } = result.response;
  if (isInSuccess || PASSING.has(status) || status >= 500) return true;
  return on.includes('context_length') && isContextLength(status, body);
}

/** How an attempt ended, for records. */
export const toOutcomeCode = (result: AttemptResult): string => {
  if (result.kind === 'answer') return 'ok';
  return result.kind === 'failure' ? result.code : `http_${result.response.status}`;
};

const toUpstreamProblem = ({ code, message }: UpstreamError): Problem =>
  code === 'timeout'
    ? new Problem('model_provider_timeout', message)
    : new Problem('model_provider_error', message);

/** Reads the body of an error. If it is too large or takes too long, returns the part received so far. */
async function readError(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  const read = async (): Promise<void> => {
    while (size <= MAX_ERROR_BYTES) {
      const next = await iterator.next();
      if (next.done) return;
      parts.push(next.value);
      size += next.value.length;
    }
  };
  await settleWithin(read(), ERROR_BODY_MS);
  // Leaves a body that has not ended; a read in progress ends with the attempt.
  void iterator.return?.()?.catch(() => undefined);
  return Buffer.concat(parts);
}

const EVENT_STREAM = /^\s*text\/event-stream\b/i;
const isEventStream = ({ headers }: UpstreamResponse): boolean =>
  EVENT_STREAM.test(String(headers['content-type'] ?? ''));

/** Reads a response until its bytes tell whether it is a stream. Some providers label streams as JSON or text. */
async function sniff(
  response: UpstreamResponse,
): Promise<{ response: UpstreamResponse; isStream: boolean; iterator: AsyncIterator<Uint8Array> }> {
  const rest = response.body[Symbol.asyncIterator]();
  const read: IteratorResult<Uint8Array>[] = [];
  let beginning = Buffer.alloc(0);
  let isStream: boolean | null = null;
  while (isStream === null) {
    const next = await rest.next();
    read.push(next);
    if (next.done) break;
    beginning = beginning.length ? Buffer.concat([beginning, next.value]) : Buffer.from(next.value);
    isStream = looksLikeEvents(beginning);
  }
  const iterator = { next: () => (read.length ? Promise.resolve(read.shift()!) : rest.next()) };
  if (!isStream) return { response, isStream: false, iterator };
  const headers = { ...response.headers, 'content-type': 'text/event-stream' };
  return { response: { ...response, headers }, isStream, iterator };
}

/** Why the signal of an attempt that has ended aborts. Each reason of its own would cost a stack trace. */
const CLOSED = new DOMException('The attempt has ended.', 'AbortError');

/** Providers' models that reject `stream_options`. */
const withoutUsage = new LRUCache<string, true>({ max: 1_000, ttl: 3_600_000 });

/**
 * Returns what was used: as reported, or as estimated where nothing is, or zeros are, or a response that was not received
 * to its end has reported less output than it has sent.
 */
function toUsed(
  reported: ReportedUsage | null,
  estimate: TokenUsage,
  { isOpen, target, searches }: { isOpen: boolean; target: Target; searches: number },
): { usage: TokenUsage; isEstimated: boolean; cost: number | null } {
  const { price, reporting } = target;
  if (!reported || (reported.input + reported.output === 0 && !reported.cost))
    return {
      usage: estimate,
      isEstimated: estimate.input + estimate.output > 0,
      cost: toCost({ ...estimate, searches }, price),
    };
  const { cost, unexplained = 0, searches: reportedSearches = 0, ...usage } = reported;
  if (unexplained > 0 && reporting?.hasReasoningInTotal) {
    usage.output += unexplained;
    usage.reasoning = Math.max(usage.reasoning ?? 0, unexplained);
  }
  const isEstimated = isOpen && estimate.output > usage.output;
  if (isEstimated) usage.output = estimate.output;
  const isTrusted = cost !== undefined && (reporting?.hasCost || (price === null && cost > 0));
  return {
    usage,
    isEstimated,
    cost: isTrusted ? cost : toCost({ ...usage, searches: Math.max(searches, reportedSearches) }, price),
  };
}

/**
 * @param isLast whether the caller gets the response however it is
 * @param callerSignal aborts when the caller is gone
 */
export function createAttempt(
  target: Target,
  request: AttemptRequest,
  { isLast, callerSignal }: { isLast: boolean; callerSignal: AbortSignal },
): Attempt {
  const controller = new AbortController();
  const { signal } = controller;
  const onCallerGone = (): void => controller.abort(callerSignal.reason);
  // Costs less than a signal composed of both.
  if (callerSignal.aborted) onCallerGone();
  else callerSignal.addEventListener('abort', onCallerGone, { once: true });
  const { operation, body } = request;
  let giveBack: (() => void) | null = null;
  let answer: Answer | null = null;
  let isSent = false;
  let result: AttemptResult | null = null;
  let holdTimer: NodeJS.Timeout | null = null;
  let isHeldTooLong = false;

  const failure = (code: Failure['code'], problem: Problem): Failure => ({ kind: 'failure', code, problem });

  const send = (asksUsage: boolean): Promise<UpstreamResponse> => {
    isSent = true;
    return target.upstream.send({
      operation,
      query: request.query,
      body: toUpstreamBody(body, target.upstreamModel, asksUsage),
      stream: body.stream,
      traceparent: request.traceparent,
      signal,
      timeoutMs: target.timeoutMs,
      partTimeoutMs: Math.min(target.timeoutMs, MAX_PART_TIMEOUT_MS),
    });
  };

  const emptyResponse = (): Failure =>
    failure(
      'empty_stream',
      new Problem('model_provider_error', 'The model provider sent an empty response.'),
    );

  /** Returns the error in a complete document with status 200; null if it can be relayed. */
  const rejectDocument = ({ response, tap, held }: Answer): Failure | Rejection | null => {
    const fault = tap.fault();
    if (fault === null) return null;
    if (fault.kind === 'empty') return emptyResponse();
    if (fault.kind === 'error')
      return {
        kind: 'rejection',
        response: { ...response, status: fault.status },
        body: Buffer.concat(held),
        isInSuccess: true,
      };
    // The caller of the last target finds the reason in it.
    return isLast
      ? null
      : failure('stream_error', new Problem('model_provider_error', 'The model failed to respond.'));
  };

  /** Reads a response until the model has begun to respond. @returns null if it can be relayed */
  const hold = async (opened: Answer): Promise<Failure | Rejection | null> => {
    const { iterator, tap, held, isStream } = opened;
    const waits = isStream && !isLast;
    if (waits)
      holdTimer = setTimeout(() => {
        isHeldTooLong = true;
        controller.abort(CLOSED);
      }, target.timeoutMs);
    let size = 0;
    do {
      const next = await iterator.next();
      if (next.done) {
        const rest = tap.end();
        if (rest.length) held.push(rest);
        opened.isDone = true;
        if (size > 0 && !isStream) return rejectDocument(opened);
        if (waits && tap.hasFailed()) break;
        return size === 0 || (waits && !tap.hasContent()) ? emptyResponse() : null;
      }
      size += next.value.length;
      const chunk = tap.push(next.value);
      if (chunk.length) held.push(chunk);
    } while (size < MAX_HELD_BYTES && (!isStream || (waits && !tap.hasContent() && !tap.hasFailed())));
    return waits && tap.hasFailed() && !tap.hasContent()
      ? failure(
          'stream_error',
          new Problem('model_provider_error', 'The model provider reported an error in the stream.'),
        )
      : null;
  };

  const respond = async (): Promise<AttemptResult> => {
    const { providerId } = target;
    const key = `${providerId}/${target.upstreamModel}`;
    let asksUsage = needsUsage(operation, body) && !withoutUsage.has(key);
    let response = await send(asksUsage);
    if (response.status >= 400) {
      const rejection: Rejection = { kind: 'rejection', response, body: await readError(response.body) };
      const isOurs = asksUsage && !body.hasStreamOptions;
      if (!isOurs || response.status >= 500 || !rejection.body.includes('stream_options')) return rejection;
      asksUsage = false;
      response = await send(false);
      if (response.status >= 400)
        return { kind: 'rejection', response, body: await readError(response.body) };
      // Only now is it certain that our addition was the fault.
      if (response.status < 300) withoutUsage.set(key, true);
    }
    if (response.status < 200 || response.status >= 300)
      throw new UpstreamError('broken', `The model provider responded with status ${response.status}.`);
    const opened = isEventStream(response)
      ? { response, isStream: true, iterator: response.body[Symbol.asyncIterator]() }
      : await sniff(response);
    const { isStream } = opened;
    answer = {
      kind: 'answer',
      ...opened,
      tap: createUsageTap(operation, { isStream, dropsUsage: asksUsage }),
      held: [],
      isDone: false,
    };
    return (await hold(answer)) ?? answer;
  };

  return {
    target,
    async start() {
      try {
        giveBack = await target.enter(signal);
        result = await respond();
      } catch (error) {
        callerSignal.throwIfAborted();
        if (isHeldTooLong)
          result = failure(
            'timeout',
            new Problem('model_provider_timeout', 'The model provider did not respond in time.'),
          );
        // From `enter`.
        else if (error instanceof Problem) result = failure('busy', error);
        else if (error instanceof UpstreamError)
          result = failure(error.code === 'aborted' ? 'broken' : error.code, toUpstreamProblem(error));
        else throw error;
      } finally {
        if (holdTimer) clearTimeout(holdTimer);
      }
      return result;
    },
    close() {
      callerSignal.removeEventListener('abort', onCallerGone);
      controller.abort(CLOSED);
      giveBack?.();
      giveBack = null;
    },
    usage() {
      const tap = answer?.tap;
      const reported = tap?.usage() ?? null;
      // A caller who leaves before the response has its input counted: the provider may have read it.
      const isOpen = result === null || (result.kind === 'answer' && !result.isDone);
      const isCanceled = isSent && isOpen && callerSignal.aborted;
      const hasOutput = tap?.hasContent() ?? false;
      const estimate = { input: 0, cached: 0, output: 0 };
      if (isCanceled || hasOutput) {
        estimate.input = estimateInput(body.size);
        estimate.output = tap?.estimate() ?? 0;
      }
      return toUsed(reported, estimate, { isOpen, target, searches: tap?.searches() ?? 0 });
    },
  };
}

/** Adds up the usage of attempts. */
export function sumUsage(attempts: readonly Attempt[]): {
  usage: TokenUsage;
  isEstimated: boolean;
  cost: number | null;
} {
  const used = attempts.map((attempt) => attempt.usage());
  return {
    usage: used.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
    isEstimated: used.some(({ isEstimated }) => isEstimated),
    cost: used.reduce<number | null>(
      (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
      0,
    ),
  };
}
