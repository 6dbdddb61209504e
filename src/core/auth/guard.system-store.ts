/**
 * Lookups that determine the workspace, so they don't take it as a parameter. Each reads the epoch in the same
 * snapshot, which makes caching the result safe (epoch.ts).
 */
import { sql } from 'kysely';
import type { RateLimit } from './actor.ts';
import type { Database } from '../../platform/db/database.ts';

export interface KeyRow {
  epoch: number;
  workspace_id: string;
  workspace_name: string;
  workspace_slug: string;
  key_id: string;
  name: string;
  scopes: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  /** When a rotated secret stops; null for the present one. */
  valid_until: Date | null;
  allowed_ips: string[];
  allowed_origins: string[];
  allowed_models: string[] | null;
  rate_limit_per_minute: number | null;
  rate_limit_burst: number | null;
  ancestors: string[];
  limited_ancestors: { keyId: string; rateLimit: RateLimit }[];
  disable_created_on_end: boolean;
}

/** The key that a secret's SHA-256 (hex) belongs to, in a workspace that still exists. */
export async function findKeyByHash(db: Database, hash: string): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow>`
    select (select epoch from auth_epoch) as epoch, k.workspace_id, w.name as workspace_name, w.slug as workspace_slug,
           k.id as key_id, k.name, k.scopes, k.expires_at, k.revoked_at, h.valid_until, k.allowed_ips, k.allowed_origins, k.allowed_models, k.rate_limit_per_minute, k.rate_limit_burst,
           k.ancestors, coalesce((
             select json_agg(json_build_object(
               'keyId', a.id,
               'rateLimit', json_build_object('limit', a.rate_limit_per_minute, 'burst', a.rate_limit_burst)
             ))
             from api_keys a
             where a.workspace_id = k.workspace_id and a.id = any(k.ancestors) and a.rate_limit_per_minute is not null
           ), '[]') as limited_ancestors,
            k.disable_created_on_end
    from key_hashes h
    join api_keys k on k.workspace_id = h.workspace_id and k.id = h.key_id
    join workspaces w on w.id = k.workspace_id and w.deleted_at is null
    where h.hash = decode(${hash}, 'hex')
  `.execute(db);
  return rows[0] ?? null;
}

export interface RoleRow {
  epoch: number;
  role: string;
  name: string;
  slug: string;
}

/** The role of a person in a workspace that still exists, or null. */
export async function findRole(db: Database, userId: string, workspaceId: string): Promise<RoleRow | null> {
  const { rows } = await sql<RoleRow>`
    select (select epoch from auth_epoch) as epoch, m.role, w.name, w.slug
    from members m join workspaces w on w.id = m.workspace_id and w.deleted_at is null
    where m.workspace_id = ${workspaceId} and m.user_id = ${userId}
  `.execute(db);
  return rows[0] ?? null;
}

/** Until when (ms since 1970) a key that is active now lists this origin; 0 where none does. */
export async function originListedUntil(
  db: Database,
  origin: string,
): Promise<{ epoch: number; until: number }> {
  const { rows } = await sql<{ epoch: number; until: number }>`
    select epoch, coalesce((
      select extract(epoch from max(coalesce(k.expires_at, 'infinity'))) * 1000
      from key_origins o
      join api_keys k on k.workspace_id = o.workspace_id and k.id = o.key_id
      join workspaces w on w.id = k.workspace_id and w.deleted_at is null
      where o.origin = ${origin} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
    ), 0)::float8 as until
    from auth_epoch
  `.execute(db);
  return rows[0]!;
}
