/** Writes received publications: many in as few statements as one. */
import { type RawBuilder, sql } from 'kysely';
import { crc32 } from 'node:zlib';
import type { Db } from '../../../../platform/db/database.ts';
import { storableJson } from '../../../../core/unit/event-payload.ts';
import type { InputRow, PublicationColumns } from './publication.store.ts';

const BUCKETS = 64;

/** All publications of an endpoint share a bucket, so that they are published in order. */
export const getBucket = (endpointId: string): number => crc32(endpointId) % BUCKETS;

/** Returns the current versions of existing endpoints. */
export async function getVersions(
  db: Db,
  workspaceId: string,
  endpointIds: readonly string[],
): Promise<Map<string, { version: number; enabled: boolean }>> {
  const { rows } = await sql<{ id: string; version: number; enabled: boolean }>`
    select id, version, enabled from publishing_endpoints
    where workspace_id = ${workspaceId} and id = any(${endpointIds}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface Key {
  endpointId: string;
  /** SHA-256. */
  hash: Buffer;
  publicationId: string;
}

export const keyName = ({ endpointId, hash }: Pick<Key, 'endpointId' | 'hash'>): string =>
  `${endpointId} ${hash.toString('base64')}`;

const keyColumns = (keys: readonly Key[]) => sql`
  ${keys.map(({ endpointId }) => endpointId)}::uuid[], ${keys.map(({ hash }) => hash)}::bytea[]`;

/**
 * Returns the publications that hold unexpired dedupe keys.
 * @returns `keyName` → publication
 */
export async function getKeyHolders(
  db: Db,
  workspaceId: string,
  keys: readonly Key[],
  now: Date,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ endpoint_id: string; key_hash: Buffer; publication_id: string }>`
    select k.endpoint_id, k.key_hash, k.publication_id
    from unnest(${keyColumns(keys)}) w (endpoint_id, key_hash)
    join publication_keys k
      on k.workspace_id = ${workspaceId} and k.endpoint_id = w.endpoint_id and k.key_hash = w.key_hash
    where k.expires_at > ${now}
  `.execute(db);
  return new Map(
    rows.map((row) => [keyName({ endpointId: row.endpoint_id, hash: row.key_hash }), row.publication_id]),
  );
}

/**
 * Claims keys that are free or expired.
 * @param keys without duplicates
 * @returns `keyName` of the claimed keys
 */
export async function claimKeys(
  db: Db,
  workspaceId: string,
  keys: readonly Key[],
  { now, until }: { now: Date; until: Date },
): Promise<Set<string>> {
  const { rows } = await sql<{ endpoint_id: string; key_hash: Buffer }>`
    insert into publication_keys as k (workspace_id, endpoint_id, key_hash, publication_id, expires_at)
    select ${workspaceId}::uuid, endpoint_id, key_hash, publication_id, ${until}::timestamptz
    from unnest(${keyColumns(keys)}, ${keys.map(({ publicationId }) => publicationId)}::uuid[])
      w (endpoint_id, key_hash, publication_id)
    order by endpoint_id, key_hash
    on conflict (workspace_id, endpoint_id, key_hash)
      do update set publication_id = excluded.publication_id, expires_at = excluded.expires_at
      where k.expires_at <= ${now}
    returning endpoint_id, key_hash
  `.execute(db);
  return new Set(rows.map((row) => keyName({ endpointId: row.endpoint_id, hash: row.key_hash })));
}

export type NewInput = Omit<InputRow, 'workspace_id' | 'publication_id' | 'erased'>;

const COLUMNS = sql.raw(
  [
    'workspace_id id endpoint_id revision status reason error source replay_of duplicate_of content_type size replaced_characters',
    'scheduled_at created_by finished_at created_at updated_at',
  ]
    .join(' ')
    .replaceAll(' ', ', '),
);

export interface NewPublication {
  row: PublicationColumns;
  input: NewInput;
  /** When to publish: `now` by the database clock; `answered` once the model answered; null for never. */
  dueAt: Date | 'now' | 'answered' | null;
}

/** Builds the inserts, to be run as CTEs. */
export function insertPublications(received: readonly NewPublication[]): RawBuilder<unknown>[] {
  const rows = received.map(({ row }) => row);
  // Encoded as JSON text: inside a JSON row, a payload of `null` would become SQL NULL.
  const json = (name: keyof NewInput) =>
    received.map(({ input }) =>
      name === 'faults' && input.faults === null ? null : storableJson(input[name]),
    );
  const queued = received.filter(({ dueAt }) => dueAt !== null);
  // Publications that are due immediately are counted and sampled when they are published.
  const later = received.filter(({ row }) => row.status !== 'received');
  return [
    sql`
      insert into publications (${COLUMNS})
      select ${COLUMNS} from json_populate_recordset(null::publications, ${storableJson(rows)})`,
    sql`
      insert into publication_inputs (workspace_id, publication_id, payload, headers, query, messages, faults)
      select * from unnest(
        ${rows.map((row) => row.workspace_id)}::uuid[], ${rows.map(({ id }) => id)}::uuid[], ${json('payload')}::jsonb[],
        ${json('headers')}::jsonb[], ${json('query')}::jsonb[], ${json('messages')}::jsonb[], ${json('faults')}::jsonb[]
      )`,
    ...(queued.length
      ? [
          sql`
            insert into publication_queue (publication_id, workspace_id, endpoint_id, bucket, due_at)
            select id, workspace_id, endpoint_id, bucket, coalesce(due_at, now()) from unnest(
              ${queued.map(({ row }) => row.id)}::uuid[], ${queued.map(({ row }) => row.workspace_id)}::uuid[],
              ${queued.map(({ row }) => row.endpoint_id)}::uuid[],
              ${queued.map(({ row }) => getBucket(row.endpoint_id))}::smallint[],
              ${queued.map(({ dueAt }) => (dueAt === 'now' ? null : dueAt === 'answered' ? 'infinity' : dueAt))}::timestamptz[]
            ) q (id, workspace_id, endpoint_id, bucket, due_at)`,
        ]
      : []),
    ...(later.length
      ? [
          sql`
            insert into publication_news (workspace_id, publication_id, is_arrival)
            select *, true from unnest(
              ${later.map(({ row }) => row.workspace_id)}::uuid[], ${later.map(({ row }) => row.id)}::uuid[]
            )`,
        ]
      : []),
  ];
}

/** Builds the CTE that counts and samples a publication that will not be published. */
export const recordRequest = ({
  workspace_id: workspaceId,
  id,
}: PublicationColumns): RawBuilder<unknown> => sql`
  insert into publication_news (workspace_id, publication_id, is_arrival)
  select ${workspaceId}::uuid, ${id}::uuid, true`;
