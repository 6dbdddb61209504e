/** Content of channels that could not be processed: rows of `unprocessed_updates`. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { UnprocessedUpdates } from '../../../platform/db/tables.ts';
import { idRange, timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';

/** The newest of an instance are kept, up to a number and a sum of bytes. */
const MAX_KEPT = 10_000;
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Longer content is cut. */
export const MAX_RAW_BYTES = 65_536;

export type UpdateRow = Omit<Selectable<UnprocessedUpdates>, 'raw' | 'fingerprint'> & {
  is_cut: boolean;
};

export interface UpdateFilter {
  reason?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface NewUpdate {
  id: string;
  reason: string;
  type: string | null;
  /** JSON, maybe cut. */
  raw: string;
  /** Bytes of the JSON before it was cut. */
  size: number;
  isSignal: boolean;
  /** The same for the same content. */
  fingerprint: Buffer;
}

const COLUMNS = [
  'workspace_id',
  'instance_id',
  'id',
  'reason',
  'type',
  'size',
  'is_signal',
  'replay_requested_at',
  'created_at',
] as const;
const isCut = sql<boolean>`size > octet_length(raw)`.as('is_cut');

/**
 * Stores updates. Content that is stored already keeps its row, which no longer waits to be read again.
 * @param updates with different fingerprints
 * @returns IDs of those that are new
 */
export async function insertUpdates(
  tx: Tx,
  workspaceId: string,
  instanceId: string,
  updates: readonly NewUpdate[],
): Promise<Set<string>> {
  const rows = await tx
    .insertInto('unprocessed_updates')
    .values(
      updates.map(({ isSignal, ...update }) => ({
        ...update,
        is_signal: isSignal,
        workspace_id: workspaceId,
        instance_id: instanceId,
        // Lists filter by the time in IDs.
        created_at: timeOfUuid(update.id),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'instance_id', 'fingerprint']).doUpdateSet((row) => ({
        reason: row.ref('excluded.reason'),
        type: row.ref('excluded.type'),
        replay_requested_at: null,
      })),
    )
    .returning('id')
    .execute();
  const given = new Set(updates.map(({ id }) => id));
  return new Set(rows.map(({ id }) => id).filter((id) => given.has(id)));
}

/** Deletes those of an instance that are too many, and counts them. */
export async function deleteExcess(tx: Tx, workspaceId: string, instanceId: string): Promise<void> {
  await sql`
    with kept as (
      select id, row_number() over newest as nth, sum(least(size, ${MAX_RAW_BYTES})) over newest as bytes
      from unprocessed_updates where workspace_id = ${workspaceId} and instance_id = ${instanceId}
      window newest as (order by id desc)
    ), gone as (
      delete from unprocessed_updates where workspace_id = ${workspaceId} and id in (
        select id from kept where nth > ${MAX_KEPT} or bytes > ${MAX_KEPT_BYTES}
      ) returning 1
    )
    insert into unprocessed_update_counts as c (workspace_id, instance_id, deleted)
    select ${workspaceId}::uuid, ${instanceId}::uuid, count(*) from gone having count(*) > 0
    on conflict (workspace_id, instance_id) do update set deleted = c.deleted + excluded.deleted
  `.execute(tx);
}

/** One row more than the page holds, newest first. */
export function listUpdates(
  db: Db,
  workspaceId: string,
  instanceId: string,
  page: Page,
  { reason, ...created }: UpdateFilter,
): Promise<UpdateRow[]> {
  const { from, below } = idRange(page.after, created);
  let query = db
    .selectFrom('unprocessed_updates')
    .select([...COLUMNS, isCut])
    .where('workspace_id', '=', workspaceId)
    .where('instance_id', '=', instanceId)
    .where('id', '>=', from)
    .where('id', '<', below)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (reason !== undefined) query = query.where('reason', '=', reason);
  return query.execute();
}

export const getUpdate = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<(UpdateRow & { raw: string }) | undefined> =>
  db
    .selectFrom('unprocessed_updates')
    .select([...COLUMNS, 'raw', isCut])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();

/**
 * Queues updates of an instance to be read again, oldest first. Updates that are already queued are left unchanged;
 * truncated ones cannot be replayed.
 * @param id replays only this update
 * @returns the number of updates queued
 */
export async function queueReplay(
  tx: Tx,
  workspaceId: string,
  instanceId: string,
  now: Date,
  id: string | null = null,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with found as materialized (
      select id, replay_requested_at from unprocessed_updates
      where workspace_id = ${workspaceId} and instance_id = ${instanceId} and size = octet_length(raw)
        and (${id}::uuid is null or id = ${id}::uuid)
      order by id for update
    ), marked as (
      update unprocessed_updates u set replay_requested_at = ${now} from found
      where u.workspace_id = ${workspaceId} and u.id = found.id and found.replay_requested_at is null
      returning u.id, u.raw, u.is_signal
    ), queued as (
      insert into ingress_parts (workspace_id, instance_id, part_id, body, replay_of, is_signal)
      select ${workspaceId}, ${instanceId}, 'replay/' || id, raw, id, is_signal from marked order by id
      on conflict (workspace_id, instance_id, part_id) do nothing
    )
    select count(*) from found
  `.execute(tx);
  return rows[0]!.count;
}

/** @returns whether the instance has stored any after `since` */
export async function hasAnySince(
  db: Db,
  workspaceId: string,
  instanceId: string,
  since: Date,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from unprocessed_updates
    where workspace_id = ${workspaceId} and instance_id = ${instanceId}
      and id >= ${idRange(null, { createdAfter: since }).from}
    limit 1
  `.execute(db);
  return rows.length > 0;
}

/**
 * Deletes updates whose content matches, and their queued replays.
 * @param likes case-insensitive LIKE patterns for JSON
 * @param expressions regular expressions
 * @returns the number deleted
 */
export async function deleteMentioning(
  tx: Tx,
  workspaceId: string,
  { likes, expressions }: { likes: readonly string[]; expressions: readonly string[] },
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from unprocessed_updates where workspace_id = ${workspaceId} and id = any (array (
        select id from unprocessed_updates
        where workspace_id = ${workspaceId} and (raw ilike any (${likes}::text[]) or raw ~ any (${expressions}::text[]))
        limit ${limit}
      )) returning instance_id, id
    ), waiting as (
      delete from ingress_parts p using gone
      where p.workspace_id = ${workspaceId} and p.instance_id = gone.instance_id and p.replay_of = gone.id
    )
    select count(*) from gone
  `.execute(tx);
  return rows[0]!.count;
}
