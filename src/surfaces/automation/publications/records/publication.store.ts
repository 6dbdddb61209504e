/** Stores publications with the results of their destinations. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../../platform/db/database.ts';
import type { PublicationInputs, PublicationResults, Publications } from '../../../../platform/db/tables.ts';
import { parseOwnLossless } from '../../../../platform/json/own-json.ts';
import { idRange } from '../../../../platform/db/uuid-time.ts';
import type { Page } from '../../../../platform/http/pagination.ts';
import type { MessageBody } from '../../ports/ports.ts';
import type { PublicationStatus, ResultStatus } from './publication-state.ts';
import type { PublicationObject } from './publication.schema.ts';

export type Source = PublicationObject['source'];

export interface ResultRow extends Selectable<PublicationResults> {
  status: ResultStatus;
}

/** Columns without results. */
export interface PublicationColumns extends Selectable<Publications> {
  status: PublicationStatus;
  source: Source;
}

export interface PublicationRow extends PublicationColumns {
  /** In the order of the endpoint's destinations. */
  results: ResultRow[];
}

/** Why no message could be rendered for a destination. */
export interface RenderingError {
  code: string;
  detail: string;
  /** Instance (public ID), recipient and type as configured in the destination. */
  instance_id: string;
  to: string;
  type: string;
}

export interface InputRow extends Pick<Selectable<PublicationInputs>, 'workspace_id' | 'publication_id'> {
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
  /** By destination; null if nothing is sent there. */
  messages: (MessageBody | null)[];
  faults: Record<string, RenderingError> | null;
  /** Whether the input was cleared because it named an erased contact. */
  erased: boolean;
}

/** Maximum publications scanned per page for a status filter without an index. */
const WINDOW = 20_000;

/** Parses timestamps: JSON has them as text. */
export const readResult = (row: ResultRow): ResultRow => ({
  ...row,
  next_attempt_at: row.next_attempt_at && new Date(row.next_attempt_at),
  updated_at: new Date(row.updated_at),
});

/** Selects publications of a relation with their results. */
const withResults = (relation: RawBuilder<unknown>): RawBuilder<PublicationRow> => sql`
  select p.*, coalesce(r.results, '[]') as results
  from ${relation} p
  left join lateral (
    select json_agg(r order by r.position) as results from publication_results r
    where r.workspace_id = p.workspace_id and r.publication_id = p.id
  ) r on true`;

const readRow = (row: PublicationRow): PublicationRow => ({ ...row, results: row.results.map(readResult) });

export async function getPublication(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PublicationRow | undefined> {
  const { rows } = await sql<PublicationRow>`
    ${withResults(sql`publications`)} where p.workspace_id = ${workspaceId} and p.id = ${id}
  `.execute(db);
  return rows[0] && readRow(rows[0]);
}

/** Locks a publication until the end of the transaction and reads its current state. */
export async function lockPublication(
  db: Tx,
  workspaceId: string,
  id: string,
): Promise<PublicationRow | undefined> {
  await sql`
    select 1 from publications where workspace_id = ${workspaceId} and id = ${id} for update
  `.execute(db);
  return getPublication(db, workspaceId, id);
}

export async function getInput(
  db: Db,
  workspaceId: string,
  publicationId: string,
): Promise<InputRow | undefined> {
  const row = await db
    .selectFrom('publication_inputs')
    .select(['workspace_id', 'publication_id', 'headers', 'query', 'messages', 'faults', 'erased'])
    .select(sql<string>`payload::text`.as('payload'))
    .where('workspace_id', '=', workspaceId)
    .where('publication_id', '=', publicationId)
    .executeTakeFirst();
  return row && ({ ...row, payload: parseOwnLossless(row.payload) } as InputRow);
}

export interface PublicationFilter {
  /** Uuid. */
  endpointId?: string;
  status?: PublicationStatus;
  createdAfter?: string;
  createdBefore?: string;
}

export interface Found {
  rows: PublicationRow[];
  /** Where the next page starts if the scan window was exhausted. */
  windowEnd: string | null;
}

/** Lists publications, newest first, with one row more than the page. */
export async function listPublications(
  db: Db,
  workspaceId: string,
  page: Page,
  { endpointId, status, ...created }: PublicationFilter,
): Promise<Found> {
  const { from, below } = idRange(page.after, created);
  const more = page.limit + 1;
  const walk = (limit: number) => sql`
    select * from publications
    where workspace_id = ${workspaceId} ${endpointId === undefined ? sql`` : sql`and endpoint_id = ${endpointId}`}
      and id >= ${from} and id < ${below}
    order by id desc limit ${limit}`;
  if (status === undefined) {
    const { rows } = await sql<PublicationRow>`
      ${withResults(sql`(${walk(more)})`)} order by p.id desc
    `.execute(db);
    return { rows: rows.map(readRow), windowEnd: null };
  }
  const { rows } = await sql<PublicationRow & { window_end: string | null }>`
    with scanned as materialized (${walk(WINDOW)}),
    bound as (
      select case when count(*) = ${sql.lit(WINDOW)} then (array_agg(id order by id))[1] end as window_end from scanned
    ), found as (
      select * from scanned where status = ${status} order by id desc limit ${more}
    )
    select f.*, bound.window_end from bound left join (${withResults(sql`found`)}) f on true order by f.id desc
  `.execute(db);
  const found = rows.filter(({ id }) => id !== null);
  return { rows: found.map(readRow), windowEnd: rows[0]?.window_end ?? null };
}
