/** Stores requests received by inspectors. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { InspectorRequests } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';
import type { SOURCES } from './inspector-request.schema.ts';

export type InspectorRequestRow = Selectable<InspectorRequests>;
export type SummaryRow = Omit<InspectorRequestRow, 'body' | 'head_sealed'> & { truncated: boolean };

const SUMMARY = [
  'workspace_id',
  'inspector_id',
  'number',
  'id',
  'source',
  'method',
  'path',
  'content_type',
  'size',
  'kept_bytes',
  'remote_address',
  'webhook_id',
  'event_type',
  'signature',
  'answer_status',
  'answer_delay_ms',
  'created_at',
] as const;

const isTruncated = sql<boolean>`octet_length(body) < size`.as('truncated');

const ofInspector = (db: Db, workspaceId: string, inspectorId: string) =>
  db
    .selectFrom('inspector_requests')
    .where('workspace_id', '=', workspaceId)
    .where('inspector_id', '=', inspectorId);

export interface InspectorRequestFilter {
  after?: number;
  source?: (typeof SOURCES)[number];
  createdAfter?: string;
  createdBefore?: string;
}

/** One row more than the page holds, newest first; without bodies and headers. `page.after` is a number. */
export function listRequests(
  db: Db,
  workspaceId: string,
  inspectorId: string,
  page: Page,
  { after, source, createdAfter, createdBefore }: InspectorRequestFilter,
): Promise<SummaryRow[]> {
  let query = ofInspector(db, workspaceId, inspectorId)
    .select(SUMMARY)
    .select(isTruncated)
    .orderBy('number', 'desc')
    .limit(page.limit + 1);
  if (page.after !== null) query = query.where('number', '<', Number(page.after));
  if (after !== undefined) query = query.where('number', '>', after);
  if (source) query = query.where('source', '=', source);
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export const getRequest = (
  db: Db,
  workspaceId: string,
  inspectorId: string,
  id: string,
): Promise<(InspectorRequestRow & { truncated: boolean }) | undefined> =>
  ofInspector(db, workspaceId, inspectorId)
    .where('id', '=', id)
    .selectAll()
    .select(isTruncated)
    .executeTakeFirst();

export async function insertRequest(
  db: Db,
  workspaceId: string,
  request: Omit<InspectorRequestRow, 'workspace_id'>,
): Promise<void> {
  await db
    .insertInto('inspector_requests')
    .values({ ...request, workspace_id: workspaceId })
    .execute();
}

/**
 * Deletes the oldest requests until at most `limit` are left with at most `maxBytes` in total. The newest stays
 * regardless of its size. Call under the lock of the inspector.
 */
export async function trimRequests(
  db: Db,
  workspaceId: string,
  inspectorId: string,
  limit: number,
  maxBytes: number,
): Promise<void> {
  await sql`
    delete from inspector_requests
    where workspace_id = ${workspaceId} and inspector_id = ${inspectorId} and number <= (
      select max(number) from (
        select number, row_number() over newest as place, sum(kept_bytes) over newest as bytes
        from inspector_requests where workspace_id = ${workspaceId} and inspector_id = ${inspectorId}
        window newest as (order by number desc)
      ) kept where place > ${limit} or (bytes > ${maxBytes} and place > 1)
    )
  `.execute(db);
}

/** Deletes all of them; there are few. */
export async function deleteRequests(db: Db, workspaceId: string, inspectorId: string): Promise<void> {
  await db
    .deleteFrom('inspector_requests')
    .where('workspace_id', '=', workspaceId)
    .where('inspector_id', '=', inspectorId)
    .execute();
}
