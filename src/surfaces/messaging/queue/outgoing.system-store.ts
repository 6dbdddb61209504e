/** Reads the rows that outbound messages refer to, in batches and across workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { MessageKey } from '../records/message-change.system-store.ts';

export interface ReferredMessage {
  id: string;
  direction: string;
  source: string;
  external_id: string | null;
  from_address: string | null;
}

export interface ReferredFile {
  id: string;
  state: string;
  mime_type: string | null;
  size: number | null;
  sha256: Buffer | null;
  file_name: string | null;
}

const pairs = (keys: readonly MessageKey[]) => sql`
  select * from unnest(${keys.map((key) => key.workspace_id)}::uuid[], ${keys.map(({ id }) => id)}::uuid[])
`;

export async function readReferredMessages(
  db: Db,
  keys: readonly MessageKey[],
): Promise<Map<string, ReferredMessage>> {
  if (!keys.length) return new Map();
  const { rows } = await sql<ReferredMessage>`
    select id, direction, source, external_id, from_address from messages where (workspace_id, id) in (${pairs(keys)})
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export async function readReferredFiles(
  db: Db,
  keys: readonly MessageKey[],
): Promise<Map<string, ReferredFile>> {
  if (!keys.length) return new Map();
  const { rows } = await sql<ReferredFile>`
    select id, state, mime_type, size, sha256, file_name from media where (workspace_id, id) in (${pairs(keys)})
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Newest messages of a thread that are looked through for such as the channel knows. */
const LOOKED_THROUGH = 100;

/**
 * Returns the external IDs of the messages before a message in its chat, oldest first.
 * @param messages messages with their chats
 * @param limit maximum IDs per message
 * @returns by message
 */
export async function readReferences(
  db: Db,
  messages: readonly (MessageKey & { chat_id: string })[],
  limit: number,
): Promise<Map<string, string[]>> {
  if (!messages.length) return new Map();
  const { rows } = await sql<{ id: string; external_ids: string[] }>`
    select g.id, array(
      select external_id from (
        select external_id, sequence from (
          select external_id, sequence from messages m
          where m.workspace_id = g.workspace_id and m.chat_id = g.chat_id and m.id < g.id order by m.id desc limit ${LOOKED_THROUGH}
        ) newest where external_id is not null order by sequence desc limit ${limit}
      ) said order by sequence
    ) as external_ids
    from unnest(
      ${messages.map((one) => one.workspace_id)}::uuid[], ${messages.map(({ id }) => id)}::uuid[], ${messages.map((one) => one.chat_id)}::uuid[]
    ) g (workspace_id, id, chat_id)
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row.external_ids]));
}
