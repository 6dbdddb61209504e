/** Rows of instances, and counts of their queues. */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Instances } from '../../../platform/db/tables.ts';
import type { Page } from '../../../platform/http/pagination.ts';

export type InstanceRow = Selectable<Instances>;
export type NewInstance = Pick<
  InstanceRow,
  | 'id'
  | 'name'
  | 'channel'
  | 'address'
  | 'credentials_sealed'
  | 'ingress_token'
  | 'queue_ttl_seconds'
  | 'resend_unknown'
  | 'created_by'
> & { settings: object; metadata: object; created_at: Date };
export type InstanceChange = Partial<
  Omit<
    InstanceRow,
    'workspace_id' | 'id' | 'channel' | 'created_at' | 'created_by' | 'version' | 'settings' | 'metadata'
  >
> & { settings?: object; metadata?: object };

export interface QueueRow {
  length: number;
  oldest_at: Date | null;
  /** Updates that could not be processed: stored ones, and older ones that were deleted. */
  unprocessed: number;
  unprocessed_deleted: number;
}

export interface InstanceFilter {
  search?: string;
  channel?: string;
  states?: string[];
  createdAfter?: string;
  createdBefore?: string;
}

const ofWorkspace = (db: Db, workspaceId: string) =>
  db.selectFrom('instances').selectAll().where('workspace_id', '=', workspaceId);

/** One row more than the page holds, newest first. */
export function listInstances(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, channel, states, createdAfter, createdBefore }: InstanceFilter,
): Promise<InstanceRow[]> {
  let query = ofWorkspace(db, workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (channel !== undefined) query = query.where('channel', '=', channel);
  if (states) query = query.where('state', 'in', states);
  if (search !== undefined) query = query.where('name', 'ilike', likePattern(search));
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export const getInstance = (db: Db, workspaceId: string, id: string): Promise<InstanceRow | undefined> =>
  ofWorkspace(db, workspaceId).where('id', '=', id).executeTakeFirst();

/** Locks the row until the transaction ends. */
export const lockInstance = (db: Tx, workspaceId: string, id: string): Promise<InstanceRow | undefined> =>
  ofWorkspace(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();

export function insertInstance(
  db: Db,
  workspaceId: string,
  { settings, metadata, ...instance }: NewInstance,
): Promise<InstanceRow> {
  return db
    .insertInto('instances')
    .values({
      ...instance,
      workspace_id: workspaceId,
      settings: JSON.stringify(settings),
      metadata: JSON.stringify(metadata),
      state_changed_at: instance.created_at,
      updated_at: instance.created_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Every visible change, except of the queue, increases the version. */
export function updateInstance(
  db: Db,
  workspaceId: string,
  id: string,
  { settings, metadata, ...change }: InstanceChange,
): Promise<InstanceRow> {
  return db
    .updateTable('instances')
    .set({
      ...change,
      ...(settings ? { settings: JSON.stringify(settings) } : {}),
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteInstance(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('instances').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Maximum count per instance, because a list shows up to a hundred instances. */
const MAX_COUNTED = 1_000;

export const EMPTY_QUEUE: QueueRow = { length: 0, oldest_at: null, unprocessed: 0, unprocessed_deleted: 0 };

/** Counts queued rows and unprocessed updates per instance; instances without any are omitted. */
export async function getQueues(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, QueueRow>> {
  if (!ids.length) return new Map();
  const { rows } = await sql<QueueRow & { instance_id: string }>`
    select q.instance_id, q.length, oldest.created_at as oldest_at, u.count as unprocessed,
      coalesce(c.deleted, 0) as unprocessed_deleted
    from instance_queues q
    left join lateral (
      select created_at from send_queue s
      where s.instance_id = q.instance_id and s.action = 'send' order by position limit 1
    ) oldest on true
    cross join lateral (
      select count(*) from (
        select from unprocessed_updates u
        where u.workspace_id = q.workspace_id and u.instance_id = q.instance_id limit ${MAX_COUNTED}
      ) counted
    ) u
    left join unprocessed_update_counts c on c.workspace_id = q.workspace_id and c.instance_id = q.instance_id
    where q.workspace_id = ${workspaceId} and q.instance_id = any (${ids}::uuid[])
      and (q.length > 0 or u.count > 0 or c.deleted > 0)
  `.execute(db);
  return new Map(rows.map(({ instance_id: id, ...queue }) => [id, queue]));
}

/** Counts instances for the quota. */
export async function countInstances(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('instances')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
