/** Rows of invitations and the hashes of their tokens. */
import { type Selectable, sql } from 'kysely';
import type { Role } from '../vocabulary/scopes.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { firstUuidAt } from '../../platform/db/uuid-time.ts';
import type { Invitations } from '../../platform/db/tables.ts';
import type { Page } from '../../platform/http/pagination.ts';
import type { InvitationState } from './invitation.schema.ts';

export type InvitationRow = Selectable<Invitations>;

export interface InvitationFilter {
  state?: InvitationState;
  email?: string;
  createdAfter?: string;
  createdBefore?: string;
}

const getInvitations = (db: Db, workspaceId: string) =>
  db.selectFrom('invitations').selectAll().where('workspace_id', '=', workspaceId);

/** Newest first, one more than the page holds. A pending one past its time counts as expired. */
export function listInvitations(
  db: Db,
  workspaceId: string,
  page: Page,
  { state, email, createdAfter, createdBefore }: InvitationFilter,
  now: Date,
): Promise<InvitationRow[]> {
  let query = getInvitations(db, workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('id', '<', page.after);
  if (email) query = query.where('email', '=', email);
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  if (state) query = query.where('state', '=', state === 'expired' ? 'pending' : state);
  if (state === 'pending') query = query.where('expires_at', '>', now);
  if (state === 'expired') query = query.where('expires_at', '<=', now);
  return query.execute();
}

export function getInvitation(db: Db, workspaceId: string, id: string): Promise<InvitationRow | undefined> {
  return getInvitations(db, workspaceId).where('id', '=', id).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export function lockInvitation(db: Tx, workspaceId: string, id: string): Promise<InvitationRow | undefined> {
  return getInvitations(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst();
}

/** How many were made since, in all and for one address. */
export async function countSince(
  db: Db,
  workspaceId: string,
  since: Date,
  email: string,
): Promise<{ all: number; forAddress: number }> {
  const row = await db
    .selectFrom('invitations')
    .select(sql<number>`count(*)`.as('all'))
    .select(sql<number>`count(*) filter (where email = ${email})`.as('forAddress'))
    .where('workspace_id', '=', workspaceId)
    .where('id', '>=', firstUuidAt(since))
    .executeTakeFirstOrThrow();
  return row;
}

/** The pending invitation of an address, locked; expired ones are found too. */
export function lockPendingFor(
  db: Tx,
  workspaceId: string,
  email: string,
): Promise<InvitationRow | undefined> {
  return getInvitations(db, workspaceId)
    .where('email', '=', email)
    .where('state', '=', 'pending')
    .forUpdate()
    .executeTakeFirst();
}

export interface NewInvitation {
  id: string;
  email: string;
  role: Role;
  invited_by: string | null;
  invited_by_key: string | null;
  created_at: Date;
  expires_at: Date;
}

/** @param tokenHash SHA-256 of the token, all that is kept of it */
export async function insertInvitation(
  db: Db,
  workspaceId: string,
  invitation: NewInvitation,
  tokenHash: Buffer,
): Promise<InvitationRow> {
  const row = await db
    .insertInto('invitations')
    .values({ workspace_id: workspaceId, ...invitation, updated_at: invitation.created_at })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .insertInto('invite_tokens')
    .values({ hash: tokenHash, workspace_id: workspaceId, invitation_id: invitation.id })
    .execute();
  return row;
}

/** The row must be locked, and pending. */
export function closeInvitation(
  db: Db,
  workspaceId: string,
  id: string,
  change: { state: 'revoked' } | { state: 'accepted'; accepted_by: string },
  now: Date,
): Promise<InvitationRow> {
  return db
    .updateTable('invitations')
    .set({ ...change, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
