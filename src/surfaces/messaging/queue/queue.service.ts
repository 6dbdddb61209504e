/** Shows and clears an instance's queue. */
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { getInstance } from '../instances/instance.store.ts';
import { clearQueue } from './maintenance.ts';
import type { QueueEntryObject } from './queue.schema.ts';
import { listQueue, type QueueViewRow } from './queue-view.store.ts';

export const isPosition = (key: string): boolean => /^\d{1,15}$/.test(key);

const presentEntry = (row: QueueViewRow): QueueEntryObject => ({
  object: 'queue_entry',
  action: row.action as QueueEntryObject['action'],
  message_id: row.message_id === null ? null : publicId('message', row.message_id),
  chat_id: row.chat_id === null ? null : publicId('chat', row.chat_id),
  position: row.position,
  state: row.state as QueueEntryObject['state'],
  attempts: row.attempts,
  due_at: row.due_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
  last_error:
    row.last_error_code === null ? null : { code: row.last_error_code, detail: row.last_error_detail ?? '' },
  created_at: row.created_at.toISOString(),
});

/** The oldest first. @throws Problem not_found */
export async function viewQueue(
  unit: ReadUnit,
  workspaceId: string,
  instanceId: string,
  page: Page,
): Promise<List<QueueEntryObject>> {
  if (!(await getInstance(unit.db, workspaceId, instanceId))) throw notFound('instance');
  const rows = await listQueue(unit.db, workspaceId, instanceId, Number(page.after ?? 0), page.limit);
  return toList(rows, page, ({ position }) => String(position), presentEntry);
}

/** @returns the number of canceled messages. @throws Problem not_found */
export async function clear(unit: Unit, workspaceId: string, instanceId: string): Promise<number> {
  if (!(await getInstance(unit.db, workspaceId, instanceId))) throw notFound('instance');
  return clearQueue(unit, workspaceId, instanceId);
}
