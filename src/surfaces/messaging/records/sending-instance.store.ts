/** Reads the rows that outbound messages refer to, in batches. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface SendingInstance {
  id: string;
  channel: string;
  settings: unknown;
  state: string;
  address: string | null;
  queue_ttl_seconds: number;
}

export interface KnownChat {
  id: string;
  instance_id: string;
  kind: 'direct' | 'group';
  key: string;
  address: string;
  contact_id: string | null;
  /** The account's membership in a group. Null for other chats, and for groups whose chat alone is known. */
  membership: string | null;
  /** When the other side last wrote. */
  last_inbound_at: Date | null;
}

export interface RepliedTo {
  id: string;
  instance_id: string;
  chat_id: string;
  thread_id: string | null;
  deleted: boolean;
}

export interface SentMedia {
  id: string;
  state: 'pending' | 'ready' | 'failed';
  size: number | null;
  mime_type: string | null;
  file_name: string | null;
}

const byId = <T extends { id: string }>(rows: T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

export async function instancesById(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, SendingInstance>> {
  const { rows } = await sql<SendingInstance>`
    select id, channel, settings, state, address, queue_ttl_seconds from instances
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
  return byId(rows);
}

export interface LockedInstance extends SendingInstance {
  /** The newest of its numbers. */
  last_sequence: number;
  last_position: number;
}

/**
 * Locks the queues of instances until the commit, as `reserve` does, in ID order.
 * @param isDryRun reads the same rows without locking them
 * @returns the existing ones
 */
export async function lockInstances(
  db: Tx,
  workspaceId: string,
  ids: readonly string[],
  isDryRun = false,
): Promise<Map<string, LockedInstance>> {
  const { rows } = await sql<LockedInstance>`
    select i.id, i.channel, i.settings, i.state, i.address, i.queue_ttl_seconds, q.last_sequence, q.last_position
    from instance_queues q
    join instances i on i.workspace_id = q.workspace_id and i.id = q.instance_id
    where q.workspace_id = ${workspaceId} and q.instance_id = any(${ids}::uuid[])
    order by q.instance_id ${isDryRun ? sql`` : sql`for update of q`}
  `.execute(db);
  return byId(rows);
}

const CHAT = sql`c.id, c.instance_id, c.kind, c.key, c.address, c.contact_id, c.last_inbound_at,
  case when c.kind = 'group' then (
    select g.membership from groups g where g.workspace_id = c.workspace_id and g.chat_id = c.id
  ) end as membership`;

export async function chatsById(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, KnownChat>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<KnownChat>`
    select ${CHAT} from chats c where c.workspace_id = ${workspaceId} and c.id = any(${ids}::uuid[])
  `.execute(db);
  return byId(rows);
}

/** The chats of groups. @returns by group */
export async function chatsOfGroups(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, { id: string; chat_id: string }>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; chat_id: string }>`
    select id, chat_id from groups where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
  return byId(rows);
}

/**
 * The chats that messages to addresses go on in: the one with that address, or the newest thread with it. Threads of the
 * contact who has the address come first: who writes may name any other's for the answers.
 * @returns `instance id` + space + address → chat
 */
export async function chatsByAddress(
  db: Db,
  workspaceId: string,
  addresses: readonly { instanceId: string; address: string; threads: boolean }[],
): Promise<Map<string, KnownChat>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await sql<KnownChat>`
    select ${CHAT}
    from unnest(
      ${addresses.map(({ instanceId }) => instanceId)}::uuid[], ${addresses.map(({ address }) => address)}::text[],
      ${addresses.map(({ threads }) => threads)}::boolean[]
    ) a (instance_id, address, threads)
    cross join lateral (
      (
        select * from chats
        where workspace_id = ${workspaceId} and instance_id = a.instance_id and key = a.address and not a.threads
      )
      union all
      (
        select * from chats
        where workspace_id = ${workspaceId} and id = coalesce(
          (
            select id from chats
            where workspace_id = ${workspaceId} and instance_id = a.instance_id and address = a.address
              and contact_id = (
                select contact_id from contact_identities
                where workspace_id = ${workspaceId} and instance_id = a.instance_id and address = a.address
              )
            order by id desc limit 1
          ),
          (
            select id from chats
            where workspace_id = ${workspaceId} and instance_id = a.instance_id and address = a.address
            order by id desc limit 1
          )
        ) and a.threads
      )
    ) c
  `.execute(db);
  return new Map(rows.map((chat) => [`${chat.instance_id} ${chat.address}`, chat]));
}

/** Finds the addresses of contacts on instances; IDs of merged contacts stay valid. */
export async function addressesOfContacts(
  db: Db,
  workspaceId: string,
  wanted: readonly { contactId: string; instanceId: string }[],
): Promise<Map<string, { exists: boolean; address: string | null }>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{
    contact_id: string;
    instance_id: string;
    found: string | null;
    address: string | null;
  }>`
    select w.contact_id, w.instance_id, c.id as found, i.address
    from unnest(
      ${wanted.map(({ contactId }) => contactId)}::uuid[], ${wanted.map(({ instanceId }) => instanceId)}::uuid[]
    ) w (contact_id, instance_id)
    left join contact_aliases a on a.workspace_id = ${workspaceId} and a.id = w.contact_id
    left join contacts c on c.workspace_id = ${workspaceId} and c.id = coalesce(a.contact_id, w.contact_id)
    left join lateral (
      select coalesce(alias_of, address) as address from contact_identities
      where workspace_id = ${workspaceId} and contact_id = c.id and instance_id = w.instance_id
      order by alias_of is not null, address limit 1
    ) i on true
  `.execute(db);
  return new Map(
    rows.map((row) => [
      `${row.instance_id} ${row.contact_id}`,
      { exists: row.found !== null, address: row.address },
    ]),
  );
}

export async function repliesById(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, RepliedTo>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<RepliedTo>`
    select id, instance_id, chat_id, thread_id, deleted_at is not null as deleted from messages
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
  return byId(rows);
}

export async function mediaById(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, SentMedia>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SentMedia>`
    select id, state, size, mime_type, file_name from media
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
  return byId(rows);
}
