/** Posts actions to a bridge, signed, and reads its responses. */
import { randomUUID, type KeyObject } from 'node:crypto';
import Type, { type Static, type TSchema } from 'typebox';
import type { Egress } from '../../platform/egress/egress.ts';
import { getSignature } from '../../platform/crypto/webhook-signature.ts';
import { Enum, Nullable } from '../../platform/http/schema.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { type ApiAnswer, createApiClient } from '../http-api/client.ts';
import { boundRetryAfter, classifyStatus, toDetail } from '../http-api/failures.ts';

const TITLE = 'The bridge';
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

interface BridgeError {
  code: string;
  detail: string;
  retryAfterMs: number | undefined;
}

function readError(json: Json | undefined): BridgeError | null {
  const { error } = (json ?? {}) as {
    error?: { code?: unknown; detail?: unknown; retry_after?: unknown } | null;
  };
  if (error === null || typeof error !== 'object') return null;
  const { code, detail, retry_after: seconds } = error;
  return {
    code: typeof code === 'string' && CODE.test(code) ? code : 'rejected_by_channel',
    detail: toDetail(detail) || 'The bridge gave no detail.',
    retryAfterMs:
      typeof seconds === 'number' && Number.isFinite(seconds) ? boundRetryAfter(seconds * 1000) : undefined,
  };
}

/** The status determines the kind of an error, and the body its details. */
function classify(answer: ApiAnswer, { isSafe }: { isSafe: boolean }): DriverError | null {
  const error = readError(answer.json);
  const byStatus = classifyStatus(answer, { isSafe, title: TITLE, detail: error?.detail });
  if (error === null) return byStatus;
  const { code, detail } = error;
  const retryAfterMs = error.retryAfterMs ?? byStatus?.retryAfterMs ?? undefined;
  if (code === 'account_restricted')
    return new DriverError('restricted', code, detail, {
      until: new Date(currentTime().getTime() + (retryAfterMs ?? 3_600_000)),
    });
  const isRejected = byStatus === null || byStatus.kind === 'rejected';
  const kind = isRejected ? (retryAfterMs === undefined ? 'rejected' : 'busy') : byStatus.kind;
  return new DriverError(kind, code, detail, { retryAfterMs });
}

export const Pong = Type.Object({
  address: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  profile_name: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
});
export const Sent = Type.Object({
  /** The recipient's address on the other network. */
  address: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  external_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
  status: Type.Optional(Enum(['sent', 'delivered'])),
  at: Type.Optional(Type.String({ format: 'date-time' })),
});
export const Done = Type.Object({});

/**
 * @param id `webhook-id`; the bridge may use it to execute an action once. Default: a new one
 * @throws DriverError
 */
export type PostAction = <T extends TSchema>(
  action: { action: string; [name: string]: Json },
  answer: T,
  options: { signal: AbortSignal; isSafe?: boolean; id?: string },
) => Promise<Static<T>>;

export function createPostAction(
  egress: Pick<Egress, 'request'>,
  { url, key, instance }: { url: string; key: KeyObject; instance: string },
): PostAction {
  const client = createApiClient(egress, {
    title: TITLE,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    classify,
  });
  const validators = new Map<TSchema, ReturnType<typeof compileValidator>>();
  return async (action, schema, { signal, isSafe = false, id = randomUUID() }) => {
    const body = JSON.stringify({ ...action, instance });
    const timestamp = Math.floor(currentTime().getTime() / 1000);
    const { json } = await client.call({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': getSignature([key], id, timestamp, body),
      },
      body,
      signal,
      isSafe,
    });
    const validate = validators.get(schema) ?? compileValidator(schema, 'body');
    validators.set(schema, validate);
    const read = validate(json);
    if ('value' in read && json !== undefined) return read.value as Static<typeof schema>;
    const [fault] = 'error' in read ? read.error.errors : [];
    const what = fault ? `${fault.pointer || 'the body'} ${fault.detail}` : 'the body must be JSON';
    throw new DriverError(
      isSafe ? 'lost' : 'unknown',
      'invalid_answer',
      `${TITLE} returned an unexpected response to ${action.action}: ${what}.`,
    );
  };
}
