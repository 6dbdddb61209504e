/**
 * Deletes expired messages each hour, according to their workspace's retention: only completed ones, never those still
 * to be sent. Each batch is one transaction that also updates their chats and deletes received files that no other
 * message shows, so a crash leaves nothing half done. No event is emitted, because clients that mirror messages know
 * the retention period.
 */
import type { Database } from '../../../platform/db/database.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { FIRST_UUID } from '../../../platform/db/uuid-time.ts';
import { deleteUnshown } from '../contacts/contact-trace.store.ts';
import { lockQueue } from '../records/queue-row.store.ts';
import { type Batch, deleteInBatches, getEnd, getFirstRetainedId } from '../records/retention.ts';
import type { Retention } from '../records/retention.system-store.ts';
import * as store from './message-retention.store.ts';

const BATCH = 500;

/** Deletes messages in the usual lock order: queues, chats, messages. @returns the number deleted */
async function deleteThese(
  unit: Unit,
  workspaceId: string,
  messages: readonly store.OldMessage[],
  end: Date,
): Promise<number> {
  const locked = new Set<string>();
  for (const id of [...new Set(messages.map((one) => one.instance_id))].toSorted())
    // A job erases the remaining data of a deleted instance.
    if (await lockQueue(unit.db, workspaceId, id)) locked.add(id);
  const ours = messages.filter((one) => locked.has(one.instance_id));
  if (ours.length === 0) return 0;
  await store.lockChats(unit.db, workspaceId, [...new Set(ours.map((one) => one.chat_id))]);
  const ids = ours.map((one) => one.id);
  const gone = await store.deleteMessagesOver(unit.db, workspaceId, ids, end);
  if (gone.length) await store.eraseInChats(unit.db, workspaceId, gone);
  const files = [...new Set(gone.flatMap(({ file, source }) => [file ?? [], source ?? []].flat()))];
  for (const sha256 of new Set(await deleteUnshown(unit.db, workspaceId, files)))
    await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
  return gone.length;
}

/** To be scheduled each hour; may be stopped at any point. @returns how many messages were deleted */
export function deleteOldMessages(
  db: Database,
  units: Units,
  now: Date,
  signal?: AbortSignal,
  batch = BATCH,
): Promise<number> {
  /** Position in each workspace, so that retained messages at its beginning are not read again and again. */
  const places = new Map<string, string>();
  const deleteBatch = async (retention: Retention): Promise<Batch> => {
    const { workspaceId } = retention;
    const end = getEnd(retention, now);
    const range = { after: places.get(workspaceId) ?? FIRST_UUID, below: getFirstRetainedId(retention, now) };
    const { over, last } = await store.messagesOver(db, workspaceId, range, end, batch);
    if (last !== null) places.set(workspaceId, last);
    else places.delete(workspaceId);
    const deleted = over.length ? await units.write((unit) => deleteThese(unit, workspaceId, over, end)) : 0;
    return { deleted, isMore: last !== null };
  };
  return deleteInBatches(db, 'message_retention_days', deleteBatch, signal);
}
