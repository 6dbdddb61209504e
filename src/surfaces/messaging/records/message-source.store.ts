/** Reads the original sources of messages as media: rows of `message_sources`. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Builds the `insert`, to be run as a CTE. */
export const insertSources = (
  workspaceId: string,
  instanceId: string,
  sources: readonly { message_id: string; media_id: string }[],
): RawBuilder<unknown> => sql`
  insert into message_sources (workspace_id, instance_id, message_id, media_id)
  select ${workspaceId}::uuid, ${instanceId}::uuid, message_id, media_id
  from json_to_recordset(${JSON.stringify(sources)}) s (message_id uuid, media_id uuid)
`;

/** Builds the `delete` of a CTE's messages, to be run as a CTE. @param gone its name; it has the column `id` */
export const deleteSources = (workspaceId: string, gone: string): RawBuilder<{ media_id: string }> => sql`
  delete from message_sources
  where workspace_id = ${workspaceId} and message_id in (select id from ${sql.raw(gone)}) returning message_id, media_id
`;

/** Returns the ID of the media object with the original source of a message; undefined if there is none. */
export async function getSourceId(
  db: Db,
  workspaceId: string,
  messageId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ media_id: string }>`
    select media_id from message_sources where workspace_id = ${workspaceId} and message_id = ${messageId}
  `.execute(db);
  return rows[0]?.media_id;
}
