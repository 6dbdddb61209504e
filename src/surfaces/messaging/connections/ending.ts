/** Why a connection ends, and the resulting state of its instance. */
import { brokenConstraint } from '../../../platform/db/database.ts';
import { storableText } from '../../../platform/db/storable-text.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import type { InstanceState } from '../instances/instance-state.ts';
import { backoffMs, GIVE_UP_AFTER_MS, STABLE_MS } from './backoff.ts';
import type { Claimed } from './connection.system-store.ts';
import type { Move } from './state-writer.ts';

/**
 * Why a session ended.
 * - `lost`: the connection no longer belongs to this node; nothing is written.
 * - `stop`: the node stops and releases all of its rows.
 * - `superseded`: the user wants it closed or reopened.
 * - `fault`: it failed.
 */
export type Ending =
  | { why: 'lost' }
  | { why: 'stop' }
  | { why: 'superseded'; logsOut: boolean }
  | { why: 'fault'; error: DriverError };

const MAX_DETAIL = 500;
const MAX_CODE = 60;
/** Errors that an automatic reconnect would only repeat. */
const TAKEN = new DriverError(
  'refused',
  'address_in_use',
  'Another instance of this workspace is connected to the same account.',
);

/** Converts any thrown value to an error of the connection. The caller logs programming errors. */
export function toDriverError(error: unknown): DriverError {
  if (error instanceof DriverError) return error;
  if (brokenConstraint(error) === 'instances_address') return TAKEN;
  return new DriverError('lost', 'internal', 'The connection failed because of an internal error.', {
    cause: error,
  });
}

const code = (error: DriverError): string => storableText(error.code).slice(0, MAX_CODE);

export const errorColumns = (error: DriverError, now: Date) => ({
  last_error_code: code(error),
  last_error_detail: storableText(error.message.slice(0, MAX_DETAIL)),
  last_error_at: now,
});

/** A limit of the channel and its end, which is null if the channel doesn't say. */
export interface Restriction {
  kind: string;
  until: Date | null;
}

export const restrictionColumns = (restriction: Restriction | null) => ({
  restriction_kind: restriction && storableText(restriction.kind).slice(0, MAX_CODE),
  restriction_until: restriction?.until ?? null,
});

export const NO_PAIRING = { pairing_sealed: null, pairing_expires_at: null };

/**
 * Returns the state of the instance after an error: `failed` if a retry is pointless, otherwise it waits and is
 * reopened.
 * @param lastedMs how long it was connected; null if it never was
 */
export function getNextState(
  error: DriverError,
  claimed: Pick<Claimed, 'failures' | 'failing_since'>,
  lastedMs: number | null,
  now: Date,
): Pick<Move, 'to' | 'change' | 'row'> {
  const before = lastedMs !== null && lastedMs >= STABLE_MS ? 0 : claimed.failures;
  const failures = before + 1;
  const failingSince = (lastedMs === null ? claimed.failing_since : null) ?? now;
  const becomes = (
    state: InstanceState,
    reason: string,
    dueInMs: number | null,
    restriction: Restriction | null = null,
  ): Pick<Move, 'to' | 'change' | 'row'> => ({
    to: { state, reason },
    change: (_from, at) => ({
      ...errorColumns(error, at),
      ...restrictionColumns(restriction),
      ...NO_PAIRING,
      updated_at: at,
    }),
    row: {
      releases: true,
      dueInMs: dueInMs ?? 0,
      wanted: dueInMs !== null,
      failures: dueInMs === null ? 0 : failures,
      failingSince: dueInMs === null ? null : failingSince,
    },
  });

  if (error.kind === 'refused') return becomes('failed', 'refused', null);
  if (now.getTime() - failingSince.getTime() >= GIVE_UP_AFTER_MS) return becomes('failed', 'gave_up', null);
  const failingForMs = lastedMs === null ? now.getTime() - failingSince.getTime() : null;
  const wait = Math.max(backoffMs(failures, failingForMs), error.retryAfterMs ?? 0);
  if (error.kind !== 'restricted') return becomes('reconnecting', code(error), wait);
  const untilMs = error.until ? error.until.getTime() - now.getTime() : 0;
  return becomes('restricted', 'restricted', Math.max(wait, untilMs), {
    kind: code(error),
    until: error.until,
  });
}
