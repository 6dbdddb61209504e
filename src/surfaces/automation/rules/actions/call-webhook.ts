/**
 * The action `call_webhook`: one POST over the same path as webhook deliveries (network guard, no redirects, 15 s
 * timeout, 4 KiB of the response). After a crash, a call may be sent twice, always with the same ID for deduplication.
 * Custom headers and the signing secret are opened here and go nowhere else.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { storableText } from '../../../../platform/db/storable-text.ts';
import { DEFAULT_JSON_BOUNDS, tryParseForeignJson } from '../../../../platform/json/foreign-json.ts';
import { parseLossless } from '../../../../platform/json/lossless-json.ts';
import type { Answer } from '../../../../platform/egress/exchange.ts';
import type { Exchange, ExchangeError } from '../../../../core/webhooks/delivery/sender.ts';
import { getSignature, parseSecret } from '../../../../platform/crypto/webhook-signature.ts';
import type { ActionSecrets } from './rule-secrets.ts';
import { done, failed, type StepOutcome } from '../../ports/outcome.ts';
import { traceHeaders } from '../../../../platform/tracing/tracing.ts';
import { currentMs } from '../../../../platform/time/clock.ts';

const USER_AGENT = 'Fairlead-Rules/1';
/** Responses that may be transient. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);
/** Errors that a retry cannot fix. */
const FINAL_FAULTS: ReadonlySet<string> = new Set(['address_not_allowed', 'invalid_url', 'invalid_request']);

export interface Call {
  /** Identical for all attempts: derived from run and step. */
  id: string;
  url: string;
  /** The JSON body. */
  body: unknown;
  eventType: string;
  /** Uuid. */
  workspaceId: string;
}

const isFailure = (error: unknown): error is ExchangeError =>
  error instanceof Error && typeof (error as { detail?: unknown }).detail === 'string';

function getBody({ body, truncated }: Answer): unknown {
  const text = storableText(body.toString('utf8'));
  if (truncated) return text;
  // If it is not JSON, or has numbers that cannot be stored, it is kept as text.
  return tryParseForeignJson(text, DEFAULT_JSON_BOUNDS, parseLossless) ?? text;
}

function toHeaders(call: Call, body: string, { headers, secret }: ActionSecrets, keys: KeyObject[]) {
  const timestamp = Math.floor(currentMs() / 1000);
  const response = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    'user-agent': USER_AGENT,
    ...traceHeaders(),
    ...response,
    'content-type': 'application/json',
    'idempotency-key': call.id,
    ...(secret === null
      ? {}
      : {
          'webhook-id': call.id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': getSignature(keys, call.id, timestamp, body),
        }),
  };
}

/**
 * Calls the webhook.
 * @throws the reason of `signal` if aborted
 */
export async function callWebhook(
  exchange: Exchange,
  call: Call,
  secrets: ActionSecrets,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const body = JSON.stringify(call.body);
  const keys = secrets.secret === null ? [] : [createSecretKey(parseSecret(secrets.secret)!)];
  const { workspaceId, eventType } = call;
  let answer: Answer;
  try {
    answer = await exchange({
      url: call.url,
      headers: toHeaders(call, body, secrets, keys),
      body,
      signal,
      deliveryContext: { workspaceId, webhookId: null, eventType, keys },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!isFailure(error)) throw error;
    return failed({ code: error.code, detail: error.detail }, !FINAL_FAULTS.has(error.code));
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return done({ status, body: getBody(answer) });
  if (status >= 300 && status < 400)
    return failed({
      code: 'redirect',
      detail: 'The receiver responded with a redirect. Redirects are not followed: use the final URL.',
    });
  return failed(
    { code: 'status', detail: `The receiver responded with ${status}. Only 2xx counts as success.` },
    status >= 500 || PASSING_STATUS.has(status),
  );
}
