/** Lists unprocessed updates, and queues them to be read again. */
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { getInstance } from '../instances/instance.store.ts';
import { presentUpdate } from './unprocessed-update-present.ts';
import type { UnprocessedUpdateObject, UnprocessedUpdateWithRawObject } from './unprocessed-update.schema.ts';
import * as store from './unprocessed-update.store.ts';

/** @throws Problem not_found */
export async function listUpdates(
  unit: ReadUnit,
  workspaceId: string,
  instanceId: string,
  page: Page,
  filter: store.UpdateFilter,
): Promise<List<UnprocessedUpdateObject>> {
  if (!(await getInstance(unit.db, workspaceId, instanceId))) throw notFound('instance');
  const rows = await store.listUpdates(unit.db, workspaceId, instanceId, page, filter);
  return toList(rows, page, ({ id }) => id, presentUpdate);
}

/** @throws Problem not_found */
export async function getUpdate(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<UnprocessedUpdateWithRawObject> {
  const row = await store.getUpdate(unit.db, workspaceId, id);
  if (!row) throw notFound('unprocessed update');
  return { ...presentUpdate(row), raw: row.raw };
}

/** Queues an update to be read again. Repeating it has no effect while it waits. @throws Problem not_found, conflict */
export async function replayUpdate(
  unit: Unit,
  workspaceId: string,
  id: string,
): Promise<UnprocessedUpdateObject> {
  const row = await store.getUpdate(unit.db, workspaceId, id);
  if (!row) throw notFound('unprocessed update');
  if (row.is_cut)
    throw new Problem('conflict', 'The update was too large and was cut, so it cannot be replayed.');
  const queued = await store.queueReplay(unit.db, workspaceId, row.instance_id, unit.clock(), id);
  if (!queued) throw notFound('unprocessed update');
  return presentUpdate({ ...row, replay_requested_at: row.replay_requested_at ?? unit.clock() });
}

/** Queues all updates of an instance to be read again. @returns how many wait now. @throws Problem not_found */
export async function replayUpdates(unit: Unit, workspaceId: string, instanceId: string): Promise<number> {
  if (!(await getInstance(unit.db, workspaceId, instanceId))) throw notFound('instance');
  return store.queueReplay(unit.db, workspaceId, instanceId, unit.clock());
}
