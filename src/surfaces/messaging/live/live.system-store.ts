/** Finds the chats and contacts of ephemeral signals, across workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface Asked {
  workspaceId: string;
  instanceId: string;
  address: string;
  /** The channel's key; '' if only the contact is requested. */
  chatKey: string;
}

export interface Found {
  chat_id: string | null;
  contact_id: string | null;
  /** The address under which the person's chat is kept, which may be another than the requested one (same-person.ts). */
  address: string;
  /** Whether signals are to be dropped: those of a blocked contact outside groups. */
  is_blocked: boolean;
}

/**
 * A direct chat is found by any address of its person.
 * @returns one result per request, in order; null if unknown
 */
export async function findChatsAndContacts(db: Db, asked: readonly Asked[]): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select c.id as chat_id, i.contact_id, coalesce(i.alias_of, a.address) as address,
      coalesce(p.blocked and c.kind is distinct from 'group', false) as is_blocked
    from unnest(
      ${asked.map(({ workspaceId }) => workspaceId)}::uuid[], ${asked.map(({ instanceId }) => instanceId)}::uuid[],
      ${asked.map(({ chatKey }) => chatKey)}::text[], ${asked.map(({ address }) => address)}::text[]
    ) with ordinality a (workspace_id, instance_id, chat_key, address, nth)
    left join contact_identities i
      on i.workspace_id = a.workspace_id and i.instance_id = a.instance_id and i.address = a.address
    left join chats c
      on c.workspace_id = a.workspace_id and c.instance_id = a.instance_id and a.chat_key <> ''
      and c.key = case when a.chat_key = a.address then coalesce(i.alias_of, a.address) else a.chat_key end
    left join contacts p on p.workspace_id = i.workspace_id and p.id = i.contact_id
    order by a.nth
  `.execute(db);
  return rows;
}
