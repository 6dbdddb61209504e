/**
 * Reads a workspace's event log. Rows exist here only once sequenced, so `sequence` has no gaps before its end, and no
 * row appears before one that was already read.
 *
 * When only some types are requested, each type is read from its own index and the results are merged: even a type that
 * is rare among millions costs only some index probes per page.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import type { CausationChain } from '../unit/event-writer.ts';

export interface EventRow {
  id: string;
  workspace_id: string;
  sequence: number;
  type: string;
  resource_id: string | null;
  data: Record<string, unknown>;
  truncated: boolean;
  /** The rules that led to it; null where none did. */
  chain: CausationChain | null;
  created_at: Date;
}

export interface EventFilter {
  /** Null for all. */
  types: readonly string[] | null;
  resourceId?: string;
  createdAfter?: Date;
  createdBefore?: Date;
}

export interface LogBounds {
  /** The latest sequence assigned; 0 before the first. */
  last: number;
  /** Events up to this one may be gone. */
  expiredThrough: number;
}

const COLUMNS = sql`e.id, e.workspace_id, e.sequence, e.type, e.resource_id, e.data, e.truncated, e.chain, e.created_at`;

/** An ID holds the time that it was made, which is its event's `created_at`; so whole days are passed over. */
function within({ createdAfter, createdBefore }: EventFilter): RawBuilder<unknown> {
  const after = createdAfter && firstUuidAt(new Date(createdAfter.getTime() + 1));
  const before = createdBefore && firstUuidAt(createdBefore);
  return sql`${after ? sql`and e.id >= ${after}` : sql``} ${before ? sql`and e.id < ${before}` : sql``}`;
}

async function read(
  db: Db,
  workspaceId: string,
  beyond: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
  filter: EventFilter,
): Promise<EventRow[]> {
  const ofResource = filter.resourceId === undefined ? sql`` : sql`and e.resource_id = ${filter.resourceId}`;
  const ofWorkspace = sql`e.workspace_id = ${workspaceId} ${ofResource} ${beyond} ${within(filter)}`;
  const query =
    filter.types === null
      ? sql<EventRow>`select ${COLUMNS} from events e where ${ofWorkspace} order by e.sequence ${order} limit ${limit}`
      : sql<EventRow>`
          select e.* from unnest(${[...filter.types]}::text[]) wanted (type)
          cross join lateral (
            select ${COLUMNS} from events e
            where ${ofWorkspace} and e.type = wanted.type
            order by e.sequence ${order} limit ${limit}
          ) e
          order by e.sequence ${order} limit ${limit}
        `;
  return (await query.execute(db)).rows;
}

/** Lists events newest first, below `before` if given. */
export function listNewest(
  db: Db,
  workspaceId: string,
  before: number | null,
  limit: number,
  filter: EventFilter,
): Promise<EventRow[]> {
  const beyond = before === null ? sql`` : sql`and e.sequence < ${before}`;
  return read(db, workspaceId, beyond, sql`desc`, limit, filter);
}

/** In order, beyond `after`. */
export function listAfter(
  db: Db,
  workspaceId: string,
  after: number,
  limit: number,
  filter: EventFilter,
): Promise<EventRow[]> {
  return read(db, workspaceId, sql`and e.sequence > ${after}`, sql`asc`, limit, filter);
}

export async function getEvent(db: Db, workspaceId: string, id: string): Promise<EventRow | undefined> {
  const { rows } = await sql<EventRow>`
    select ${COLUMNS} from events e where e.workspace_id = ${workspaceId} and e.id = ${id}
  `.execute(db);
  return rows[0];
}

export async function getBounds(db: Db, workspaceId: string): Promise<LogBounds> {
  const row = await db
    .selectFrom('workspace_sequences')
    .select(['last_sequence as last', 'expired_through as expiredThrough'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row ?? { last: 0, expiredThrough: 0 };
}
