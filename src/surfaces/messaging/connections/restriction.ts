/**
 * A temporary limit of the channel on the account: the connection stays open and receives, but nothing is sent. It ends
 * when the channel lifts it or at its end time; without an end time, sending is retried after a while.
 */
import type { ClaimedInstance } from './connection.system-store.ts';
import { type Restriction, restrictionColumns } from './ending.ts';
import type { Move } from './state-writer.ts';
import type { Times } from './times.ts';
import { currentTime } from '../../../platform/time/clock.ts';

export function createRestriction(deps: {
  instance: ClaimedInstance;
  write: (move: Pick<Move, 'to' | 'change'>) => Promise<boolean>;
  times: Times;
  fail: (error: unknown) => void;
  attach: () => void;
  detach: () => Promise<void>;
}) {
  const { instance, write, times, fail, attach, detach } = deps;
  const { restriction_kind: kind, restriction_until: until } = instance;
  /** An end time from the channel is wall-clock time. A wait without an end time uses a monotonic clock. */
  const ends = (limit: Restriction | null): (() => boolean) => {
    if (!limit) return () => false;
    const endsAt = limit.until;
    if (endsAt) return () => currentTime() >= endsAt;
    const at = performance.now() + times.restrictedMs;
    return () => performance.now() >= at;
  };
  const hasBefore = kind !== null && until !== null && until > currentTime();
  let present: Restriction | null = hasBefore ? { kind, until } : null;
  let isUp = false;
  let isOver = ends(present);
  let changing: Promise<void> = Promise.resolve();
  let detached: Promise<void> = Promise.resolve();

  const change = async (next: Restriction | null): Promise<void> => {
    const had = present !== null;
    present = next;
    isOver = ends(next);
    if (!isUp || (!next && !had)) return;
    // Running sends end on their own; waiting for them here would block inbound signals.
    if (next && !had) {
      detached = detach();
      detached.catch(fail);
    }
    const isWritten = await write({
      to: next ? { state: 'restricted', reason: 'restricted' } : { state: 'connected', reason: null },
      change: (_from, now) => ({ ...restrictionColumns(next), updated_at: now }),
    });
    if (isWritten && !next)
      void detached
        .then(() => {
          if (!present) attach();
        })
        .catch(fail);
  };

  const writeAndReport = (next: Restriction | null): Promise<void> => {
    changing = changing.catch(() => undefined).then(() => change(next));
    return changing;
  };

  return {
    present: () => present,
    /** The connection is up: changes are written immediately from now on. */
    start(): void {
      isUp = true;
    },
    /** Applies a limit of the channel, or removes it (null). Calls run one after the other. */
    writeAndReport,
    tick(): void {
      if (!isOver()) return;
      isOver = () => false;
      writeAndReport(null).catch(fail);
    },
  };
}
