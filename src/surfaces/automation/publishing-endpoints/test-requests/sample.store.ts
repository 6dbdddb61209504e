/** Reads the latest samples of an endpoint. Secrets were masked before they were stored. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../../platform/db/database.ts';
import type { PublishingSamples } from '../../../../platform/db/tables.ts';
import { parseOwnLossless } from '../../../../platform/json/own-json.ts';

export type SampleRow = Omit<Selectable<PublishingSamples>, 'payload' | 'headers' | 'query'> & {
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
};

const select = (db: Db) =>
  db
    .selectFrom('publishing_samples')
    .select(['workspace_id', 'endpoint_id', 'id', 'content_type', 'headers', 'query', 'created_at'])
    .select(sql<string>`payload::text`.as('payload'));

const readRow = (row: { payload: string }): SampleRow =>
  ({ ...row, payload: parseOwnLossless(row.payload) }) as SampleRow;

/** Lists samples, newest first. */
export async function listSamples(
  db: Db,
  workspaceId: string,
  endpointId: string,
  limit: number,
): Promise<SampleRow[]> {
  const rows = await select(db)
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(readRow);
}

export async function getSample(
  db: Db,
  workspaceId: string,
  endpointId: string,
  id: string,
): Promise<SampleRow | undefined> {
  const row = await select(db)
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && readRow(row);
}
