/** Executes one claimed row on its connection and interprets the outcome. Does not touch the database. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import {
  type Connection,
  type OutboundFile,
  type OutboundMessage,
  type SendResult,
} from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import type { Resend } from '../../../channels/contract/capabilities.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { ConnectionLease } from '../connections/connection-lease.ts';
import type { Claimed } from './claim.system-store.ts';
import { FileMissingError, getRef } from './outgoing.ts';
import {
  type Again,
  getRetryDelay,
  type Outcome,
  toOutcome,
  release,
  toUnknownDelivery,
  toErrorText,
} from './outcome.ts';
import { executeGroup } from './execute-group.ts';
import { currentTime } from '../../../platform/time/clock.ts';

/** Builds the content for the channel on demand. @throws FileGone */
export interface Make {
  message: () => OutboundMessage;
  picture: () => OutboundFile | null;
}

const PROBE_MS = 10_000;

export interface ExecuteDeps {
  log: Pick<Log, 'error'>;
  /** Called with the response to a send after its time-out. */
  onLate: (row: Claimed, result: SendResult) => void;
}

class NoAnswer extends Error {}

/** Limits the time of a call, even if the driver ignores the signal. @throws NoAnswer */
async function within<T>(
  held: ConnectionLease,
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
  onLate?: (result: T) => void,
): Promise<T> {
  const giveUp = new AbortController();
  const signal = AbortSignal.any([held.signal, giveUp.signal]);
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let stop: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(new NoAnswer());
    timer = setTimeout(stop, ms);
    held.signal.addEventListener('abort', stop, { once: true });
    if (held.signal.aborted) stop();
  });
  const answer = call(signal);
  answer.then((result) => isOver && onLate?.(result)).catch(() => undefined); // reported below, or no longer waited for
  try {
    return await Promise.race([answer, ended]);
  } finally {
    isOver = true;
    clearTimeout(timer);
    held.signal.removeEventListener('abort', stop!);
    giveUp.abort();
  }
}

const again = (
  row: Claimed,
  uncertain: boolean,
  error: Again['error'] = null,
  dueMs = getRetryDelay(row.attempts),
): Again => ({
  kind: 'again',
  dueMs,
  uncertain,
  counted: true,
  error,
});

const tellUndeclared = (
  row: Claimed,
  { driver: { channel } }: ConnectionLease,
  err: unknown,
  log: ExecuteDeps['log'],
): void =>
  log.error({ err, channel, instance: row.instance_id, action: row.action }, 'driver: undeclared error');

const NO_ANSWER = { code: 'no_answer', detail: 'The channel did not respond in time.' };
const DRIVER_FAILED = { code: 'driver_failed', detail: 'The channel failed because of an internal error.' };

const getResend = ({ capabilities, driver }: ConnectionLease): Resend => capabilities.resend ?? driver.resend;

/** Resolves a row for which it is unknown whether the channel accepted it. */
async function resolveUnknown(
  row: Claimed,
  held: ConnectionLease,
  error: NonNullable<Again['error']>,
  log: ExecuteDeps['log'],
): Promise<Outcome> {
  // The connection is closing: its next holder handles the row.
  if (held.signal.aborted) return again(row, true, null, 0);
  const resend = getResend(held);
  if (resend === 'deduplicated') return again(row, true, error);
  if (resend === 'never')
    return row.resend_unknown ? again(row, true, error) : toUnknownDelivery(error.detail);
  try {
    await within(held, PROBE_MS, (signal) => held.connection.probe(signal));
  } catch (fault) {
    const told =
      fault instanceof DriverError ? fault : new DriverError('lost', 'deaf', 'The channel does not respond.');
    held.report(told);
    return again(row, true, toErrorText(told));
  }
  try {
    const found = await lookUp(row, held);
    if (found === null) return again(row, false, error);
    if (found !== 'unknown') return { kind: 'sent', result: found };
    return row.resend_unknown ? again(row, true, error) : toUnknownDelivery(error.detail);
  } catch (fault) {
    // The connection receives, so a failed lookup is no reason to end it.
    if (fault instanceof NoAnswer) return again(row, true, NO_ANSWER);
    if (!(fault instanceof DriverError)) {
      tellUndeclared(row, held, fault, log);
      return again(row, true, DRIVER_FAILED);
    }
    held.report(fault);
    return toOutcome({ ...row, uncertain: true }, fault, currentTime());
  }
}

/** @returns null if the channel never received it. @throws DriverError except `rejected`, NoAnswer */
async function lookUp(row: Claimed, held: ConnectionLease): Promise<SendResult | 'unknown' | null> {
  if (!held.connection.lookup) throw new Error(`the driver ${held.driver.channel} looks nothing up`);
  const clientId = publicId('message', row.id);
  try {
    const result = await within(held, held.driver.ackTimeoutMs, (signal) =>
      held.connection.lookup!(clientId, row.chat!, signal),
    );
    return result === null || result === 'unknown' ? result : checked(result);
  } catch (fault) {
    // A rejected lookup does not mean that the message was rejected.
    if (fault instanceof DriverError && fault.kind === 'rejected') return 'unknown';
    throw fault;
  }
}

/** Checks a result; one without information counts as no response. @throws Error */
function checked(result: SendResult): SendResult {
  const { externalId, status } = result;
  const isName = externalId === null || typeof externalId === 'string';
  if (isName && (status === 'sent' || status === 'delivered')) return result;
  throw new Error('a driver answered in a way that it does not declare');
}

async function send(
  row: Claimed,
  held: ConnectionLease,
  makeMessage: () => OutboundMessage,
  deps: ExecuteDeps,
): Promise<Outcome> {
  const resend = getResend(held);
  if (row.uncertain && resend === 'never' && !row.resend_unknown) return toUnknownDelivery();
  if (row.uncertain && resend === 'lookup') {
    const found = await lookUp(row, held);
    if (found === 'unknown' && !row.resend_unknown) return toUnknownDelivery();
    if (found !== null && found !== 'unknown') return { kind: 'sent', result: found };
    row.uncertain = found === 'unknown';
  }
  const message = makeMessage();
  const result = await within(
    held,
    held.driver.ackTimeoutMs,
    (signal) => held.connection.send(message, signal),
    (late) => deps.onLate(row, checked(late)),
  );
  return { kind: 'sent', result: checked(result) };
}

const UNSUPPORTED = {
  code: 'unsupported_by_channel',
  detail: 'The channel does not support this.',
  retryable: false,
};

async function act(row: Claimed, held: ConnectionLease, { picture }: Make): Promise<Outcome> {
  const { connection } = held;
  const call = async <T>(
    able: boolean,
    work: (connection: Required<Connection>, signal: AbortSignal) => Promise<T>,
  ): Promise<Outcome> =>
    able
      ? {
          kind: 'done',
          result: await within(held, held.driver.ackTimeoutMs, (signal) =>
            work(connection as Required<Connection>, signal),
          ),
        }
      : { kind: 'failed', error: UNSUPPORTED };
  const payload = row.payload ?? {};
  switch (row.action) {
    case 'block':
    case 'unblock':
      return call(connection.contacts?.setBlocked !== undefined, (on, signal) =>
        on.contacts.setBlocked!(payload.address ?? '', row.action === 'block', signal),
      );
    case 'check': {
      const addresses = payload.addresses ?? [];
      return call(connection.contacts?.check !== undefined, async (on, signal) => {
        const found = await on.contacts.check!(addresses, signal);
        const known = new Map(addresses.map((one, index) => [one, found[index] ?? null]));
        const asked = payload.asked ?? addresses.map((address) => ({ address, normalised: address }));
        // Invalid addresses do not exist.
        return asked.map((one) => ({
          ...one,
          exists: one.normalised === null ? false : (known.get(one.normalised) ?? null),
        }));
      });
    }
    case 'group': {
      if (!payload.group) return { kind: 'gone' };
      const asked = { task: payload.group, key: row.chat?.key ?? null, picture };
      // The chat was deleted.
      if (asked.key === null && row.chat_id !== null) return { kind: 'gone' };
      const ask = <T>(ms: number, work: (signal: AbortSignal) => Promise<T>) => within(held, ms, work);
      const result = await executeGroup(asked, connection, ask, held.driver.ackTimeoutMs);
      return result ? { kind: 'done', result } : { kind: 'failed', error: UNSUPPORTED };
    }
    default:
  }
  if (!row.message || !row.chat) return { kind: 'gone' };
  const [chat, message] = [row.chat, getRef(row.message)];
  switch (row.action) {
    case 'edit':
      return call(connection.edit !== undefined, (on, signal) =>
        on.edit(chat, message, payload.text ?? '', signal),
      );
    case 'revoke':
      return call(connection.revoke !== undefined, (on, signal) => on.revoke(chat, message, signal));
    case 'react':
      return call(connection.react !== undefined, (on, signal) =>
        on.react(chat, message, payload.emoji ?? null, signal),
      );
    case 'pin':
    case 'unpin':
      return call(connection.setPinned !== undefined, (on, signal) =>
        on.setPinned(chat, message, row.action === 'pin', signal),
      );
    default:
      return call(connection.markRead !== undefined, (on, signal) => on.markRead(chat, message, signal));
  }
}

/** @returns the outcome; never rejects */
export async function execute(
  row: Claimed,
  held: ConnectionLease,
  make: Make,
  deps: ExecuteDeps,
): Promise<Outcome> {
  try {
    return await attempt(row, held, make, deps);
  } catch {
    // The error could not even be read, so nothing is known about its cause.
    const isNever = getResend(held) === 'never' && !row.resend_unknown;
    return row.action === 'send' && isNever
      ? toUnknownDelivery(DRIVER_FAILED.detail)
      : again(row, true, DRIVER_FAILED);
  }
}

async function attempt(row: Claimed, held: ConnectionLease, make: Make, deps: ExecuteDeps): Promise<Outcome> {
  if (held.signal.aborted || !held.isHeld()) return release(row);
  const isSend = row.action === 'send';
  if (isSend && (!row.message || !row.chat)) return { kind: 'gone' };
  try {
    return isSend ? await send(row, held, make.message, deps) : await act(row, held, make);
  } catch (fault) {
    if (fault instanceof FileMissingError)
      return { kind: 'failed', error: { code: 'media_failed', detail: fault.message, retryable: false } };
    if (!(fault instanceof NoAnswer || fault instanceof DriverError))
      tellUndeclared(row, held, fault, deps.log);
    if (fault instanceof DriverError && fault.kind !== 'unknown') {
      if (fault.kind === 'lost' || fault.kind === 'refused' || fault.kind === 'restricted')
        held.report(fault);
      return toOutcome(row, fault, currentTime());
    }
    const error =
      fault instanceof NoAnswer
        ? NO_ANSWER
        : fault instanceof DriverError
          ? toErrorText(fault)
          : DRIVER_FAILED;
    // Anything but a message may be executed twice.
    return isSend
      ? await resolveUnknown(row, held, error, deps.log)
      : again(row, true, error, held.signal.aborted ? 0 : undefined);
  }
}
