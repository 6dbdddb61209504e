/** Reads the latest samples of an endpoint. Secrets were masked before they were stored. */
import type { Selectable } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { PublishingSamples } from '../../../platform/db/tables.ts';

export type SampleRow = Omit<Selectable<PublishingSamples>, 'payload' | 'headers' | 'query'> & {
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
};

/** Lists samples, newest first. */
export async function listSamples(
  db: Db,
  workspaceId: string,
  endpointId: string,
  limit: number,
): Promise<SampleRow[]> {
  const rows = await db
    .selectFrom('publishing_samples')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows as SampleRow[];
}

export async function getSample(
  db: Db,
  workspaceId: string,
  endpointId: string,
  id: string,
): Promise<SampleRow | undefined> {
  const row = await db
    .selectFrom('publishing_samples')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as SampleRow | undefined;
}
