/**
 * Maintains the send queue, also of instances without a connection: expires rows, empties cleared queues, and moves
 * scheduled messages into their chats. Any number of processes may run it: each batch locks its queue in a separate
 * transaction.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createPoller } from '../../../platform/queue/poller.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { finishJob, reportProgress, takeUpJob } from '../../../core/jobs/job.service.ts';
import { bumpChatVersions } from '../records/chat.store.ts';
import { endGroupJob } from './group-job.ts';
import { DELIVERY_UNKNOWN, isUnsent, type MessageError } from '../records/message-status.ts';
import type { MessageRow } from '../records/message.store.ts';
import * as store from './maintenance.system-store.ts';
import { lockAndRead } from '../records/message-change.system-store.ts';
import { createMessageEffects, type MessageEffects } from '../records/message-effects.ts';
import { insertRows, letNextGo, lockQueue, reserve } from '../records/queue-row.store.ts';

const BATCH = 500;
/** Maximum queues processed per cycle. */
const MAX_QUEUES = 50;

export interface MaintenanceDeps {
  db: Database;
  units: Units;
  log: Pick<Log, 'error'>;
  /** Wakes the sender of an instance that may have due rows. */
  wakeSender: (instanceId: string) => void;
}

export interface QueueMaintenance {
  start(): void;
  /** A queue was cleared: a hint. */
  wake(): void;
  stop(): Promise<void>;
}

type Fold = (effects: MessageEffects, row: MessageRow, taken: store.RemovedRow, now: Date) => void;

const EXPIRED: MessageError = {
  code: 'expired',
  detail: "The message waited longer than the instance's queue_ttl_seconds.",
  retryable: true,
};
const CLEARED = 'The queue was cleared.';
const UNKNOWN: MessageError = {
  code: DELIVERY_UNKNOWN,
  detail: 'The connection ended while the message was being sent, so its outcome is unknown.',
  retryable: true,
};

const endAction = (
  effects: MessageEffects,
  row: MessageRow,
  { action }: store.RemovedRow,
  code: string,
  now: Date,
): void => {
  row.pending_action = null;
  row.action_error = {
    action,
    code,
    detail: code === 'expired' ? EXPIRED.detail : CLEARED,
    at: now.toISOString(),
  };
  effects.changed(row);
};

const expire: Fold = (effects, row, taken, now) => {
  if (taken.action !== 'send') endAction(effects, row, taken, 'expired', now);
  // A copy or a receipt may already have confirmed it as sent.
  else if (isUnsent(row.status)) effects.move(row, 'failed', now, taken.uncertain ? UNKNOWN : EXPIRED);
};

const cancel: Fold = (effects, row, taken, now) => {
  if (taken.action === 'send') effects.move(row, 'canceled', now);
  else endAction(effects, row, taken, 'canceled', now);
};

/** Completes checks and group operations without an answer. */
async function endJob(
  unit: Unit,
  { workspace_id: workspaceId, action, payload, uncertain }: store.RemovedRow,
  code: 'expired' | 'canceled',
): Promise<void> {
  if (!payload?.job_id) return;
  if (action === 'group') {
    const words = code === 'expired' ? EXPIRED.detail : CLEARED;
    const detail = uncertain ? `${words} It may have been done.` : words;
    return endGroupJob(unit, workspaceId, payload.job_id, { code, detail }, code === 'canceled');
  }
  if (action !== 'check') return;
  const progress = await takeUpJob(unit, workspaceId, payload.job_id);
  if (!progress) return;
  await reportProgress(unit, workspaceId, payload.job_id, progress);
  await finishJob(unit, workspaceId, payload.job_id, {
    results: null,
    error: { code: 'expired', detail: EXPIRED.detail },
  });
}

/** Ends the operations of removed rows, and makes the next row of each chat due. */
async function endTaken(unit: Unit, taken: readonly store.RemovedRow[], fold: Fold): Promise<void> {
  if (!taken.length) return;
  const tx = unit.db;
  await letNextGo(tx, [...new Set(taken.flatMap(({ chat_id: id }) => id ?? []))]);
  const now = unit.clock();
  const keys = new Map(
    taken.flatMap(({ workspace_id, message_id: id }) => (id === null ? [] : [[id, { workspace_id, id }]])),
  );
  const rows = new Map((await lockAndRead(tx, [...keys.values()])).map((row) => [row.id, row]));
  const effects = createMessageEffects(now);
  for (const one of taken) {
    await endJob(unit, one, fold === expire ? 'expired' : 'canceled');
    const row = one.message_id === null ? undefined : rows.get(one.message_id);
    if (row) fold(effects, row, one, now);
  }
  await effects.write(unit);
}

/** @returns the number of rows */
async function expireBatch(unit: Unit, queue: store.Queue): Promise<number> {
  if (!(await lockQueue(unit.db, queue.workspace_id, queue.instance_id))) return 0;
  const taken = await store.takeExpired(unit.db, queue, BATCH);
  await endTaken(unit, taken, expire);
  return taken.length;
}

async function clearBatch(unit: Unit, queue: store.Queue): Promise<number> {
  if (!(await lockQueue(unit.db, queue.workspace_id, queue.instance_id))) return 0;
  const taken = await store.takeCleared(unit.db, queue, BATCH);
  await endTaken(unit, taken, cancel);
  return taken.length;
}

async function promoteBatch(unit: Unit, queue: store.Queue): Promise<number> {
  const { workspace_id: workspaceId, instance_id: instanceId } = queue;
  const tx = unit.db;
  const ttl = await store.getTtl(tx, queue);
  if (ttl === undefined || !(await lockQueue(tx, workspaceId, instanceId))) return 0;
  const ids = await store.takeScheduled(tx, queue, BATCH);
  const now = unit.clock();
  const found = new Map(
    (
      await lockAndRead(
        tx,
        ids.map((id) => ({ workspace_id: workspaceId, id })),
      )
    ).map((row) => [row.id, row]),
  );
  const effects = createMessageEffects(now);
  const joining = ids.flatMap((id) => {
    const row = found.get(id);
    if (!row || !effects.move(row, 'queued', now)) return [];
    effects.event('message.queued', row);
    return [row];
  });
  if (joining.length) {
    const count = { messages: 0, rows: joining.length, sends: joining.length };
    const { position } = (await reserve(tx, workspaceId, instanceId, count))!;
    const rows = joining.map((row) => ({
      id: row.id,
      action: 'send' as const,
      chatId: row.chat_id,
      messageId: row.id,
    }));
    await insertRows(workspaceId, [{ instanceId, rows, position, ttlSeconds: ttl }]).execute(tx);
    const newest = new Map(
      joining.map((row) => [row.chat_id, { chatId: row.chat_id, messageId: row.id, at: now }]),
    );
    await bumpChatVersions(workspaceId, [...newest.values()]).execute(tx);
    await effects.write(unit);
  }
  return ids.length;
}

/**
 * Cancels all waiting rows of an instance's queue, except those in progress or possibly sent. None of them is sent
 * after the caller's transaction has committed; events beyond the first batch follow later.
 * @returns the number of messages
 */
export async function clearQueue(unit: Unit, workspaceId: string, instanceId: string): Promise<number> {
  await store.keepFromClaims(unit.db, workspaceId, instanceId);
  if (!(await lockQueue(unit.db, workspaceId, instanceId))) return 0;
  const count = await store.markCleared(unit.db, workspaceId, instanceId);
  const taken = await store.takeCleared(
    unit.db,
    { workspace_id: workspaceId, instance_id: instanceId },
    BATCH,
  );
  await endTaken(unit, taken, cancel);
  return count;
}

export function createQueueMaintenance({ db, units, log, wakeSender }: MaintenanceDeps): QueueMaintenance {
  /** @returns whether there was any work; a failing queue does not block others */
  const onEach = async (
    queues: store.Queue[],
    batch: (unit: Unit, queue: store.Queue) => Promise<number>,
    faults: Error[],
  ): Promise<boolean> => {
    let isBusy = false;
    for (const queue of queues)
      try {
        if (!(await units.write((unit) => batch(unit, queue)))) continue;
        isBusy = true;
        wakeSender(queue.instance_id);
      } catch (error) {
        faults.push(error as Error);
      }
    return isBusy;
  };
  const kinds = [
    [store.queuesWithScheduled, promoteBatch],
    [store.queuesToClear, clearBatch],
    [store.queuesWithExpired, expireBatch],
  ] as const;

  const poller = createPoller({
    gatherMs: 5,
    async cycle() {
      let isBusy = false;
      const faults: Error[] = [];
      for (const [find, batch] of kinds)
        if (await onEach(await find(db, MAX_QUEUES), batch, faults)) isBusy = true;
      if (faults[0]) throw faults[0];
      return isBusy ? 'more' : 'idle';
    },
    onError: (error, failures) =>
      log.error({ err: error, failures }, 'send queue maintenance: cycle failed, retrying'),
  });
  return { start: poller.start, wake: poller.wake, stop: poller.stop };
}
