/**
 * Executes one attempt: builds the request and interprets the response. Does not touch the database.
 *
 * The body is the event as `GET /events/{id}` returns it, or the output of a template (kinds/webhook-body.ts). Only 2xx
 * is a success; redirects are not followed and count as failures. 410 means that the receiver is permanently gone,
 * which disables the webhook; if the webhook has been changed since, the delivery goes on. An attempt takes at most 15
 * s.
 */
import { parseRetryAfter } from '../../../platform/http/retry-after.ts';
import type { TemplateError } from '../../../platform/templates/templates.ts';
import { storableText } from '../../../platform/db/storable-text.ts';
import type { Answer } from '../../../platform/egress/exchange.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../vocabulary/ids.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { WebhookConfig } from './webhook-secret.ts';
import type { Claimed } from './claim.system-store.ts';
import { nextWait } from './schedule.ts';
import type { AttemptRecord, Completed } from './complete.system-store.ts';
import { getSignature } from '../../../platform/crypto/webhook-signature.ts';
import { traceHeaders } from '../../../platform/tracing/tracing.ts';
import { currentMs, currentTime } from '../../../platform/time/clock.ts';

export const TIMEOUT_MS = 15_000;
export const MAX_RESPONSE_BYTES = 4_096;
/** Characters of a body that a template made. */
const REQUEST_BODY_KEPT = 32_768;
const USER_AGENT = 'Fairlead-Webhooks/1';
const MAX_ANSWER_HEADERS = 60;
const MAX_ANSWER_HEADER = 500;

/** The error in place of a response. Its `detail` may be shown to the workspace. */
export interface ExchangeError {
  code: string;
  detail: string;
  remoteAddress?: string | null;
}

export type Exchange = (request: {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** To be called when the request is about to be written. */
  beforeSend?: () => void;
  /** For a receiver within this server. */
  deliveryContext: DeliveryContext;
  /** @returns with the first ANSWER_BYTES_KEPT of the body */
}) => Promise<Answer>;

const shorten = (text: string): string => storableText(text.slice(0, MAX_ANSWER_HEADER));

function keptHeaders(headers: Answer['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_ANSWER_HEADERS)
      .map(([name, value]) => [
        shorten(name),
        Array.isArray(value) ? value.slice(0, 10).map(shorten) : shorten(value),
      ]),
  );
}

type Verdict = Pick<Completed, 'outcome' | 'reason' | 'due_ms' | 'step' | 'timed_out'>;

function verdictOn(step: number, failure: { retryAfter?: string; timedOut: boolean }): Verdict {
  const wait = nextWait(step, parseRetryAfter(failure.retryAfter, currentMs()), Math.random());
  return wait === null
    ? { outcome: 'exhausted', reason: null, due_ms: null, step: 0, timed_out: failure.timedOut }
    : { outcome: 'failed', reason: null, due_ms: wait, step: step + 1, timed_out: failure.timedOut };
}

const NOTHING_YET = {
  remote_address: null,
  request_body: null,
  status_code: null,
  response_headers: null,
  response_body: null,
  response_truncated: false,
  error_code: null,
  error_detail: null,
};

const DONE: Verdict = { outcome: 'succeeded', reason: null, due_ms: null, step: 0, timed_out: false };

const isFault = (error: unknown): error is ExchangeError =>
  error instanceof Error && typeof (error as { detail?: unknown }).detail === 'string';

export interface Outgoing {
  claimed: Claimed;
  eventType: string;
  body: string;
  /** Whether a template made the body, so that it must be kept to be known. */
  isRendered: boolean;
  config: WebhookConfig;
}

/** An attempt that ended before anything was sent: the template made no body. It is tried again like any other. */
export function unsent(claimed: Claimed, url: string, fault: TemplateError): Completed {
  return {
    delivery_id: claimed.delivery_id,
    workspace_id: claimed.workspace_id,
    receiver_id: claimed.receiver_id,
    ...verdictOn(claimed.step, { timedOut: false }),
    attempt: {
      ...NOTHING_YET,
      id: newUuid(),
      started_at: currentTime().toISOString(),
      duration_ms: 0,
      url,
      request_headers: {},
      error_code: 'template_failed',
      error_detail: shorten(fault.detail),
    },
  };
}

/**
 * Makes one attempt.
 * @param signal aborts the attempt, which then throws with an unknown outcome
 * @param beforeSend called at the last moment at which `signal` can prevent the send
 */
export async function attempt(
  exchange: Exchange,
  { claimed, eventType, body, isRendered, config }: Outgoing,
  signal: AbortSignal,
  beforeSend: () => void,
): Promise<Completed> {
  const started = currentTime();
  const startedAt = performance.now();
  const id = publicId('event', claimed.event_id);
  const timestamp = Math.floor(started.getTime() / 1000);
  const own = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': getSignature(config.signingKeys, id, timestamp, body),
    ...traceHeaders(),
  };
  const theirs = Object.fromEntries(
    Object.entries(config.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const record = (rest: Partial<AttemptRecord>): AttemptRecord => ({
    ...NOTHING_YET,
    id: newUuid(),
    started_at: started.toISOString(),
    duration_ms: Math.round(performance.now() - startedAt),
    url: config.url,
    request_body: isRendered ? storableText(body.slice(0, REQUEST_BODY_KEPT)) : null,
    // Headers set by the workspace may be credentials.
    request_headers: { ...own, ...Object.fromEntries(Object.keys(theirs).map((name) => [name, '•••'])) },
    ...rest,
  });
  const completed = (verdict: Verdict, rest: Partial<AttemptRecord>): Completed => ({
    delivery_id: claimed.delivery_id,
    workspace_id: claimed.workspace_id,
    receiver_id: claimed.receiver_id,
    ...verdict,
    attempt: record(rest),
  });

  let answer: Answer;
  try {
    const deliveryContext = {
      workspaceId: claimed.workspace_id,
      webhookId: claimed.receiver_id,
      eventType,
      keys: config.signingKeys,
    };
    answer = await exchange({
      url: config.url,
      headers: { ...own, ...theirs },
      body,
      signal,
      beforeSend,
      deliveryContext: deliveryContext,
    });
  } catch (error) {
    if (signal.aborted || !isFault(error)) throw error;
    const timedOut = error.code === 'timeout';
    return completed(verdictOn(claimed.step, { timedOut }), {
      remote_address: error.remoteAddress ?? null,
      error_code: error.code,
      error_detail: shorten(error.detail),
    });
  }
  const kept = {
    remote_address: answer.remoteAddress,
    status_code: answer.status,
    response_headers: keptHeaders(answer.headers),
    response_body: answer.body.length ? answer.body.subarray(0, MAX_RESPONSE_BYTES).toString('base64') : null,
    response_truncated: answer.truncated,
  };
  if (answer.status >= 200 && answer.status < 300) return completed(DONE, kept);
  const retryAfter = answer.headers['retry-after'];
  const verdict = verdictOn(claimed.step, {
    retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
    timedOut: false,
  });
  return completed(verdict, { ...kept, ...faultOfStatus(answer.status) });
}

function faultOfStatus(status: number): Pick<AttemptRecord, 'error_code' | 'error_detail'> {
  if (status >= 300 && status < 400)
    return {
      error_code: 'redirect',
      error_detail: 'The receiver redirects, which is not followed. Give its final address.',
    };
  if (status === 410)
    return {
      error_code: 'gone',
      error_detail: 'The receiver says that it is gone.',
    };
  return {
    error_code: 'status',
    error_detail: `The receiver responded with ${status}. Only 2xx counts as success.`,
  };
}
