/** Contacts that are being erased, and the events about them. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { ErasedPerson, PersonAddress } from './person.ts';

export interface Erasure extends ErasedPerson {
  /** Of `contact.deleted`. */
  eventId: string;
  /** Sequence up to which the log was walked through. */
  walkedThrough: number;
  /** How often all was looked at. */
  looks: number;
}

export async function insertErasure(
  db: Db,
  workspaceId: string,
  erasure: Omit<Erasure, 'workspaceId' | 'walkedThrough' | 'looks'>,
): Promise<void> {
  const { erasureId: id, contactIds, chatIds, identities, eventId, erasedAt } = erasure;
  await sql`
    insert into contact_erasures (workspace_id, id, contact_ids, chat_ids, identities, event_id, created_at)
    values (
      ${workspaceId}, ${id}, ${contactIds}::uuid[], ${chatIds}::uuid[], ${JSON.stringify(identities)}, ${eventId}, ${erasedAt}
    )
  `.execute(db);
}

/** Undefined where it is done, or its workspace is deleted: that takes all along. */
export async function getErasure(db: Db, workspaceId: string, id: string): Promise<Erasure | undefined> {
  const row = await db
    .selectFrom('contact_erasures')
    .innerJoin('workspaces', 'workspaces.id', 'contact_erasures.workspace_id')
    .selectAll('contact_erasures')
    .where('contact_erasures.workspace_id', '=', workspaceId)
    .where('contact_erasures.id', '=', id)
    .where('workspaces.deleted_at', 'is', null)
    .executeTakeFirst();
  return (
    row && {
      workspaceId,
      erasureId: id,
      contactIds: row.contact_ids,
      chatIds: row.chat_ids,
      identities: row.identities as unknown as PersonAddress[],
      eventId: row.event_id,
      erasedAt: row.created_at,
      walkedThrough: row.walked_through,
      looks: row.looks,
    }
  );
}

/** @returns false if the erasure no longer exists, for example because its workspace was deleted */
export async function saveProgress(
  db: Db,
  workspaceId: string,
  id: string,
  change: { walked_through: number } | { looks: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('contact_erasures')
    .set(change)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** After the last pass: drops the person's identity. */
export async function removeErasure(db: Db, workspaceId: string, id: string): Promise<void> {
  await sql`
    with events as (delete from erased_events where workspace_id = ${workspaceId} and erasure_id = ${id})
    delete from contact_erasures where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
}

export async function recordErasedEvents(
  db: Db,
  { workspaceId, erasureId }: Pick<ErasedPerson, 'workspaceId' | 'erasureId'>,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return;
  await sql`
    insert into erased_events (workspace_id, erasure_id, event_id)
    select ${workspaceId}::uuid, ${erasureId}::uuid, id from unnest(${eventIds}::uuid[]) e (id) on conflict do nothing
  `.execute(db);
}

/** Returns the events that concern the contact. */
export async function findErasedAmong(
  db: Db,
  { workspaceId, erasureId }: Pick<ErasedPerson, 'workspaceId' | 'erasureId'>,
  eventIds: readonly string[],
): Promise<Set<string>> {
  if (eventIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select event_id as id from erased_events
    where workspace_id = ${workspaceId} and erasure_id = ${erasureId} and event_id = any(${eventIds}::uuid[])
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Returns events about the contact after a given one, by ID, at most `limit`. */
export async function listErasedAfter(
  db: Db,
  { workspaceId, erasureId }: Pick<ErasedPerson, 'workspaceId' | 'erasureId'>,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select event_id as id from erased_events
    where workspace_id = ${workspaceId} and erasure_id = ${erasureId} and event_id > ${after}
    order by event_id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}
