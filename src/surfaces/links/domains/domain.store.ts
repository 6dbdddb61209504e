/** Stores link domains. */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Domains } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import type { DOMAIN_STATES, DomainError } from './domain.schema.ts';

export type DomainRow = Omit<Selectable<Domains>, 'last_error'> & { last_error: DomainError | null };
type State = (typeof DOMAIN_STATES)[number];

export interface DomainFilter {
  search?: string;
  state?: State;
  host?: string;
  createdAfter?: string;
  createdBefore?: string;
}

/** Lists domains, newest first, one row more than the page holds. */
export async function listDomains(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, state, host, ...created }: DomainFilter,
): Promise<DomainRow[]> {
  const { from, below } = idRange(page.after, created);
  const { rows } = await sql<DomainRow>`
    select * from domains
    where workspace_id = ${workspaceId} and id >= ${from} and id < ${below}
      and ${state === undefined ? sql`true` : sql`state = ${state}`}
      and ${search === undefined ? sql`true` : sql`host ilike ${likePattern(search)}`}
      and ${host === undefined ? sql`true` : sql`host = ${host}`}
    order by id desc limit ${page.limit + 1}
  `.execute(db);
  return rows;
}

async function selectDomain(
  db: Db,
  workspaceId: string,
  id: string,
  locking = sql``,
): Promise<DomainRow | undefined> {
  const { rows } = await sql<DomainRow>`
    select * from domains where workspace_id = ${workspaceId} and id = ${id} ${locking}
  `.execute(db);
  return rows[0];
}

export const getDomain = (db: Db, workspaceId: string, id: string): Promise<DomainRow | undefined> =>
  selectDomain(db, workspaceId, id);

/**
 * Locks the row until the transaction ends. Links may still be added to the domain with `change`, not with `delete`.
 */
export const lockDomain = (
  db: Tx,
  workspaceId: string,
  id: string,
  purpose: 'change' | 'delete',
): Promise<DomainRow | undefined> =>
  selectDomain(db, workspaceId, id, purpose === 'change' ? sql`for no key update` : sql`for update`);

type NewDomain = Pick<
  DomainRow,
  'id' | 'host' | 'token' | 'not_found_url' | 'root_url' | 'created_by' | 'created_at' | 'check_at'
> & { metadata: object };

/** Inserts a domain. @returns false if the workspace already has the host */
export async function insertDomain(
  db: Db,
  workspaceId: string,
  { metadata, ...domain }: NewDomain,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('domains')
    .values({
      workspace_id: workspaceId,
      ...domain,
      metadata: JSON.stringify(metadata),
      pending_since: domain.created_at,
      updated_at: domain.created_at,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'host']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

export type DomainChange = Partial<
  Pick<
    DomainRow,
    | 'not_found_url'
    | 'root_url'
    | 'checked_at'
    | 'check_at'
    | 'pending_since'
    | 'verified_at'
    | 'last_error'
    | 'updated_at'
  > & { state: State; metadata: object }
>;

/** Updates a domain. The row must be locked. */
export async function updateDomain(
  db: Db,
  workspaceId: string,
  id: string,
  { metadata, last_error: error, ...rest }: DomainChange,
): Promise<void> {
  await db
    .updateTable('domains')
    .set({
      ...rest,
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      ...(error === undefined ? {} : { last_error: error === null ? null : JSON.stringify(error) }),
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a domain and frees its host. The row must be locked with `delete`. */
export async function deleteDomain(db: Db, workspaceId: string, id: string): Promise<void> {
  await sql`delete from hostnames where workspace_id = ${workspaceId} and domain_id = ${id}`.execute(db);
  await db.deleteFrom('domains').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Frees all hosts of a deleted workspace, so that others may verify them. */
export async function freeHosts(db: Db, workspaceId: string): Promise<void> {
  await db.deleteFrom('hostnames').where('workspace_id', '=', workspaceId).execute();
}

/** Counts the links of a host, at most `limit`. */
export async function countLinksOfHost(
  db: Db,
  workspaceId: string,
  host: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from links where workspace_id = ${workspaceId} and domain = ${host} limit ${limit}
    ) counted
  `.execute(db);
  return rows[0]!.count;
}

/** Counts the domains of a workspace, for the quota. */
export async function countDomains(db: Db, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from domains where workspace_id = ${workspaceId}
  `.execute(db);
  return rows[0]!.count;
}
