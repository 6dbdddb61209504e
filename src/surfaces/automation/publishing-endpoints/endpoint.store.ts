/** Stores publishing endpoints, their definitions and counters. */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { PublishingCounters, PublishingEndpoints } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { dropBucket } from '../../../core/api/rate-limit.system-store.ts';
import type { AUTH_TYPES, AuthObject } from './authentication/endpoint-auth.schema.ts';
import { readDefinition } from './endpoint-definition.ts';
import type { Scheme } from './authentication/endpoint-secret.ts';
import type { Definition } from './publishing-endpoint.schema.ts';

export type AuthType = (typeof AUTH_TYPES)[number];

/** Options of endpoints with signatures; empty for others. */
export interface SchemeOptions {
  hmac?: AuthObject['hmac'];
  tolerance_seconds?: number;
}

type Stored = Omit<
  Selectable<PublishingEndpoints>,
  'auth_type' | 'scheme' | 'scheme_options' | 'definition' | 'success_status' | 'metadata'
> & {
  auth_type: AuthType;
  scheme: Scheme | null;
  scheme_options: SchemeOptions;
  definition: Definition;
  success_status: 200 | 202;
  metadata: Record<string, string>;
};

/** Includes the counters. */
export type EndpointRow = Stored &
  Pick<
    Selectable<PublishingCounters>,
    | 'received'
    | 'last_received_at'
    | 'invalid'
    | 'last_invalid_at'
    | 'last_invalid_code'
    | 'last_invalid_detail'
  >;

export type NewEndpoint = Omit<Stored, 'workspace_id' | 'version' | 'revision'>;
export type EndpointChange = Partial<Omit<NewEndpoint, 'id' | 'auth_type' | 'created_at' | 'created_by'>>;

export interface EndpointFilter {
  search?: string;
  enabled?: boolean;
  /** Uuid. */
  instanceId?: string;
  authType?: AuthType;
  createdAfter?: string;
  createdBefore?: string;
}

const WITH_COUNTS = sql`
  select e.*, coalesce(c.received, 0) as received, c.last_received_at, coalesce(c.invalid, 0) as invalid,
         c.last_invalid_at, c.last_invalid_code, c.last_invalid_detail
  from publishing_endpoints e
  left join publishing_counters c on c.workspace_id = e.workspace_id and c.endpoint_id = e.id
`;

const readRow = <T extends Stored>(row: T): T => ({ ...row, definition: readDefinition(row.definition) });

/** Lists endpoints, newest first, with one row more than the page. */
export async function listEndpoints(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, enabled, instanceId, authType, ...created }: EndpointFilter,
): Promise<EndpointRow[]> {
  const { from, below } = idRange(page.after, created);
  const { rows } = await sql<EndpointRow>`
    ${WITH_COUNTS}
    where e.workspace_id = ${workspaceId} and e.id >= ${from} and e.id < ${below}
      and ${search === undefined ? sql`true` : sql`e.name ilike ${likePattern(search)}`}
      and ${enabled === undefined ? sql`true` : sql`e.enabled = ${enabled}`}
      and ${authType === undefined ? sql`true` : sql`e.auth_type = ${authType}`}
      and ${instanceId === undefined ? sql`true` : sql`e.instance_ids @> array[${instanceId}::uuid]`}
    order by e.id desc limit ${page.limit + 1}
  `.execute(db);
  return rows.map(readRow);
}

async function selectEndpoint(
  db: Db,
  workspaceId: string,
  id: string,
  locking = sql``,
): Promise<EndpointRow | undefined> {
  const { rows } = await sql<EndpointRow>`
    ${WITH_COUNTS} where e.workspace_id = ${workspaceId} and e.id = ${id} ${locking}
  `.execute(db);
  return rows[0] && readRow(rows[0]);
}

export const getEndpoint = (db: Db, workspaceId: string, id: string): Promise<EndpointRow | undefined> =>
  selectEndpoint(db, workspaceId, id);

/** Locks the row until the transaction ends. */
export const lockEndpoint = (db: Tx, workspaceId: string, id: string): Promise<EndpointRow | undefined> =>
  selectEndpoint(db, workspaceId, id, sql`for update of e`);

const toJson = <T extends object>(values: T, names: readonly (keyof T)[]): T =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      names.includes(name as keyof T) && value !== undefined ? JSON.stringify(value) : value,
    ]),
  ) as T;

const JSON_COLUMNS = ['scheme_options', 'definition', 'metadata'] as const;

/** Inserts an endpoint with its definition as revision 1. */
export async function insertEndpoint(db: Db, workspaceId: string, endpoint: NewEndpoint): Promise<void> {
  await db
    .insertInto('publishing_endpoints')
    .values({ ...toJson(endpoint, JSON_COLUMNS), workspace_id: workspaceId, revision: 1 } as never)
    .execute();
  await insertRevision(db, workspaceId, endpoint.id, 1, endpoint.definition, endpoint.created_at);
}

async function insertRevision(
  db: Db,
  workspaceId: string,
  endpointId: string,
  revision: number,
  definition: Definition,
  now: Date,
): Promise<void> {
  await db
    .insertInto('publishing_revisions')
    .values({
      workspace_id: workspaceId,
      endpoint_id: endpointId,
      revision,
      definition: JSON.stringify(definition),
      created_at: now,
    })
    .execute();
}

/** Maximum stored revisions of an endpoint. */
const MAX_REVISIONS = 1_000;

/** Updates an endpoint. The row must be locked. A changed definition creates a new revision. */
export async function updateEndpoint(
  db: Db,
  workspaceId: string,
  { id, revision }: Pick<EndpointRow, 'id' | 'revision'>,
  change: EndpointChange,
  now: Date,
): Promise<void> {
  const next = change.definition ? revision + 1 : revision;
  await db
    .updateTable('publishing_endpoints')
    .set({
      ...(toJson(change, JSON_COLUMNS) as object),
      revision: next,
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
  if (!change.definition) return;
  await insertRevision(db, workspaceId, id, next, change.definition, now);
  await db
    .deleteFrom('publishing_revisions')
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', id)
    .where('revision', '<=', next - MAX_REVISIONS)
    .execute();
}

/** Reads a current or earlier definition of an endpoint. */
export async function getRevision(
  db: Db,
  workspaceId: string,
  endpointId: string,
  revision: number,
): Promise<Definition | undefined> {
  const row = await db
    .selectFrom('publishing_revisions')
    .select('definition')
    .where('workspace_id', '=', workspaceId)
    .where('endpoint_id', '=', endpointId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row && readDefinition(row.definition);
}

/** Deletes an endpoint with its tokens, revisions, samples, counters and rate limit. Publications stay. */
export async function deleteEndpoint(db: Db, workspaceId: string, id: string): Promise<void> {
  for (const table of [
    'in_tokens',
    'publishing_revisions',
    'publishing_counters',
    'publishing_samples',
  ] as const)
    await db
      .deleteFrom(table)
      .where('workspace_id', '=', workspaceId)
      .where('endpoint_id', '=', id)
      .execute();
  await dropBucket(db, id);
  await db
    .deleteFrom('publishing_endpoints')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Counts endpoints for the quota. */
export async function countEndpoints(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from publishing_endpoints where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]!.count;
}

/** Auth of an endpoint with signatures. Sealed secrets are opened by `openEndpointSecret` and bound to the row. */
export interface SignatureAuth {
  type: 'signature';
  scheme: Scheme;
  /** Of the scheme `hmac`. */
  hmac: AuthObject['hmac'];
  toleranceSeconds: number;
  secretSealed: string;
  /** Valid until `previousSecretUntil`. */
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
}

/** The endpoint fields needed to receive requests. */
export interface ReceivingEndpoint {
  workspaceId: string;
  /** Uuid. */
  id: string;
  name: string;
  /** Incremented by each update. */
  version: number;
  /** Revision of the definition. */
  revision: number;
  enabled: boolean;
  auth: { type: 'bearer' } | { type: 'secret_url' } | SignatureAuth;
  definition: Definition;
  /** HTTP status of the response to accepted requests at `/in/`. */
  successStatus: 200 | 202;
  /** null for none. */
  rateLimit: { limit: number; burst: number } | null;
}

export function getReceiving(row: Stored): ReceivingEndpoint {
  const { auth_type: type, scheme_options: options } = row;
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    name: row.name,
    version: row.version,
    revision: row.revision,
    enabled: row.enabled,
    auth:
      type === 'signature'
        ? {
            type,
            scheme: row.scheme!,
            hmac: options.hmac ?? null,
            toleranceSeconds: options.tolerance_seconds!,
            secretSealed: row.secret_sealed!,
            previousSecretSealed: row.previous_secret_sealed,
            previousSecretUntil: row.previous_secret_until,
          }
        : { type },
    definition: row.definition,
    successStatus: row.success_status,
    rateLimit: getRate(row),
  };
}

export const getRate = (
  row: Pick<Stored, 'rate_limit_per_minute' | 'rate_limit_burst'>,
): { limit: number; burst: number } | null =>
  row.rate_limit_per_minute === null
    ? null
    : { limit: row.rate_limit_per_minute, burst: row.rate_limit_burst! };

/** Reads an endpoint for receiving, even if it is disabled. */
export async function receivingById(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<ReceivingEndpoint | undefined> {
  const { rows } = await sql<Stored>`
    select * from publishing_endpoints where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
  return rows[0] && getReceiving(readRow(rows[0]));
}
