/** Operations on API keys. A secret only exists in clear in the response that creates or rotates it. */
import type { RateLimit, WorkspaceActor } from '../auth/actor.ts';
import { generateSecret, hashSecret, maskSecret } from '../../platform/crypto/api-key-secret.ts';
import { raiseEpoch } from '../auth/epoch.ts';
import { ALL_SCOPES, type Preset, type Scope } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { changedFields } from '../unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { type FieldError, invalid, notFound, Problem } from '../../platform/http/problem.ts';
import { getRateLimit } from '../api/rate-limit.schema.ts';
import type { CreatedKind } from '../created-objects/created-kind.ts';
import type { CreatedObjectEntry, CreatedObjectQuery } from '../created-objects/created-object.schema.ts';
import { endCreatedObjects, listCreatedObjects } from '../created-objects/created-object.service.ts';
import type { ApiKeyObject, CreateApiKeyBody, RevokeApiKeyBody, UpdateApiKeyBody } from './api-key.schema.ts';
import * as store from './api-key.store.ts';
import {
  assertHasScopes,
  assertWithinActor,
  DEFAULT_RATE,
  expandPreset,
  validateGrant,
  type Grant,
  isLimited,
  readNetworks,
  readOrigins,
} from './grant.ts';

/** The row as the API shows it. */
function presentApiKey(row: store.ApiKeyRow, now: Date): ApiKeyObject {
  const expired = row.expires_at !== null && row.expires_at <= now;
  return {
    id: publicId('api_key', row.id),
    object: 'api_key',
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    state: row.revoked_at ? 'revoked' : expired ? 'expired' : 'active',
    scopes: row.scopes as Scope[],
    preset: row.preset as Preset | null,
    expires_at: row.expires_at?.toISOString() ?? null,
    allowed_ips: row.allowed_ips,
    allowed_origins: row.allowed_origins,
    allowed_models: row.allowed_models,
    rate_limit: rateOfRow(row),
    disable_created_on_end: row.disable_created_on_end,
    metadata: row.metadata as Record<string, string>,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    last_used_ip: row.last_used_ip,
    last_used_operation: row.last_used_operation,
    created_by: row.created_by,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

const rateOfRow = (row: store.ApiKeyRow): RateLimit | null =>
  row.rate_limit_per_minute === null
    ? null
    : { limit: row.rate_limit_per_minute, burst: row.rate_limit_burst! };

const grantOfRow = (row: store.ApiKeyRow): Grant => ({
  scopes: row.scopes as Scope[],
  preset: row.preset as Preset | null,
  expiresAt: row.expires_at,
  allowedIps: row.allowed_ips,
  allowedOrigins: row.allowed_origins,
  allowedModels: row.allowed_models,
  rateLimit: rateOfRow(row),
  disablesCreatedOnEnd: row.disable_created_on_end,
});

/** @throws Problem invalid_request or unprocessable with every fault; escalation. */
function readGrant(
  actor: WorkspaceActor,
  body: CreateApiKeyBody | UpdateApiKeyBody,
  base: Grant,
  now: Date,
): Grant {
  const shape: FieldError[] = [];
  if (body.preset && body.scopes)
    shape.push({ pointer: '/scopes', code: 'ambiguous', detail: 'send either preset or scopes' });
  const chosen = body.preset ? expandPreset(actor, body.preset) : (body.scopes ?? base.scopes);
  const limits = {
    scopes: ALL_SCOPES.filter((scope) => chosen.includes(scope)),
    preset: body.preset ?? (body.scopes ? null : base.preset),
    expiresAt:
      body.expires_at === undefined
        ? base.expiresAt
        : body.expires_at === null
          ? null
          : new Date(body.expires_at),
    allowedIps: body.allowed_ips ? readNetworks(body.allowed_ips, shape) : base.allowedIps,
    allowedOrigins: body.allowed_origins ? readOrigins(body.allowed_origins, shape) : base.allowedOrigins,
    allowedModels: body.allowed_models === undefined ? base.allowedModels : body.allowed_models,
    rateLimit: body.rate_limit === undefined ? base.rateLimit : getRateLimit(body.rate_limit),
  };
  // A key with new limits must not create objects without them, unless its creator allows it.
  const becomesLimited = isLimited(limits) && !isLimited(base);
  const grant: Grant = {
    ...limits,
    disablesCreatedOnEnd: body.disable_created_on_end ?? (base.disablesCreatedOnEnd || becomesLimited),
  };
  if (!grant.scopes.length)
    shape.push({ pointer: '/scopes', code: 'required', detail: 'send a preset or at least one scope' });
  if (shape.length) throw invalid(shape);
  const faults = validateGrant(grant, now);
  if (faults.length)
    throw new Problem('unprocessable', faults.map(({ detail }) => detail).join('; '), { errors: faults });
  return grant;
}

const toColumns = (grant: Grant) => ({
  scopes: grant.scopes,
  preset: grant.preset,
  expires_at: grant.expiresAt,
  allowed_ips: grant.allowedIps,
  allowed_origins: grant.allowedOrigins,
  allowed_models: grant.allowedModels,
  rate_limit_per_minute: grant.rateLimit?.limit ?? null,
  rate_limit_burst: grant.rateLimit?.burst ?? null,
  disable_created_on_end: grant.disablesCreatedOnEnd,
});

function startingRate(actor: WorkspaceActor): RateLimit {
  const own = actor.kind === 'api_key' ? actor.rateLimit : null;
  if (!own) return DEFAULT_RATE;
  return { limit: Math.min(own.limit, DEFAULT_RATE.limit), burst: Math.min(own.burst, DEFAULT_RATE.burst) };
}

/** Keys that create keys that create keys: each call counts against the limits of all of them. */
const MAX_ANCESTORS = 8;

/** @throws Problem unprocessable */
function getAncestors(actor: WorkspaceActor): string[] {
  if (actor.kind === 'session') return [];
  const ancestors = [actor.keyId, ...actor.ancestors];
  if (ancestors.length > MAX_ANCESTORS)
    throw new Problem(
      'unprocessable',
      `This key was created through ${MAX_ANCESTORS} other keys and can't create another. Use one of those instead.`,
    );
  return ancestors;
}

export async function listApiKeys(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.ApiKeyFilter,
): Promise<List<ApiKeyObject>> {
  const rows = await store.listApiKeys(unit.db, workspaceId, page, filter);
  const now = unit.clock();
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentApiKey(row, now),
  );
}

export async function getApiKey(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ key: ApiKeyObject }>> {
  const row = await store.getApiKey(unit.db, workspaceId, id);
  if (!row) throw notFound('API key');
  return { key: presentApiKey(row, unit.clock()), version: row.version };
}

/** @throws Problem not_found */
export async function listCreatedByKey(
  unit: ReadUnit,
  createdKinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  id: string,
  query: CreatedObjectQuery,
): Promise<List<CreatedObjectEntry>> {
  const { key } = await getApiKey(unit, actor.workspaceId, id);
  return listCreatedObjects(unit, createdKinds, actor, key.id, query);
}

async function lock(unit: Unit, workspaceId: string, id: string): Promise<store.ApiKeyRow> {
  const row = await store.lockApiKey(unit.db, workspaceId, id);
  if (!row) throw notFound('API key');
  return row;
}

/** @throws Problem escalation, unprocessable, invalid_request */
export async function createApiKey(
  unit: Unit,
  actor: WorkspaceActor,
  body: CreateApiKeyBody,
): Promise<WithVersion<{ key: ApiKeyObject; secret: string }>> {
  const now = unit.clock();
  const allowedModels = actor.kind === 'api_key' && actor.allowedModels ? [...actor.allowedModels] : null;
  const base = {
    scopes: [],
    preset: null,
    expiresAt: null,
    allowedIps: [],
    allowedOrigins: [],
    allowedModels,
  };
  const disablesCreatedOnEnd = actor.kind === 'api_key' && actor.disablesCreatedOnEnd;
  const grant = readGrant(
    actor,
    body,
    { ...base, rateLimit: startingRate(actor), disablesCreatedOnEnd },
    now,
  );
  assertWithinActor(actor, grant);
  const secret = generateSecret();
  const id = unit.newUuid();
  await store.insertApiKey(unit.db, {
    id,
    workspace_id: actor.workspaceId,
    name: body.name.trim(),
    ...maskSecret(secret),
    ...toColumns(grant),
    metadata: body.metadata ?? {},
    ancestors: getAncestors(actor),
    created_by: actor.id,
    created_at: now,
  });
  await store.insertKeyHash(unit.db, actor.workspaceId, id, hashSecret(secret));
  if (grant.allowedOrigins.length) {
    await store.replaceKeyOrigins(unit.db, actor.workspaceId, id, grant.allowedOrigins);
    await raiseEpoch(unit);
  }
  const { key, version } = await getApiKey(unit, actor.workspaceId, id);
  await writeEvent(unit, actor.workspaceId, 'api_key.created', key);
  return { key, secret, version };
}

const writeEvent = (
  unit: Unit,
  workspaceId: string,
  type: 'api_key.created' | 'api_key.updated' | 'api_key.rotated' | 'api_key.revoked',
  key: ApiKeyObject,
  previous?: object,
): Promise<void> => unit.events.write(unit, { workspaceId, type, resourceId: key.id, object: key, previous });

/** @throws Problem conflict on a revoked key, escalation, precondition_failed */
export async function updateApiKey(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  body: UpdateApiKeyBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ key: ApiKeyObject }>> {
  const row = await lock(unit, actor.workspaceId, id);
  assertMatches(ifMatch, row, 'key');
  if (row.revoked_at) throw new Problem('conflict', 'A revoked key cannot be changed.');
  const now = unit.clock();
  assertWithinActor(actor, grantOfRow(row));
  const onlyNames = Object.keys(body).every((name) => name === 'name' || name === 'metadata');
  const grant = onlyNames ? grantOfRow(row) : readGrant(actor, body, grantOfRow(row), now);
  assertWithinActor(actor, grant);
  const before = presentApiKey(row, now);
  const changes = {
    ...(body.name ? { name: body.name.trim() } : {}),
    ...(body.metadata ? { metadata: body.metadata } : {}),
    ...(onlyNames ? {} : toColumns(grant)),
    ...(grant.expiresAt?.getTime() === row.expires_at?.getTime()
      ? {}
      : { reminded_at: null, created_disabled_at: null }),
  };
  await store.updateApiKey(unit.db, actor.workspaceId, id, changes, now);
  await store.replaceKeyOrigins(unit.db, actor.workspaceId, id, grant.allowedOrigins);
  await raiseEpoch(unit);
  const after = await getApiKey(unit, actor.workspaceId, id);
  await writeEvent(unit, actor.workspaceId, 'api_key.updated', after.key, changedFields(before, after.key));
  return after;
}

/** The old secret works for `overlapSeconds` more; one in an overlap already ends now. */
export async function rotateApiKey(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  overlapSeconds: number,
): Promise<WithVersion<{ key: ApiKeyObject; secret: string }>> {
  const row = await lock(unit, actor.workspaceId, id);
  const now = unit.clock();
  if (presentApiKey(row, now).state !== 'active')
    throw new Problem('conflict', 'Only an active key can be rotated. Create a new one.');
  assertWithinActor(actor, grantOfRow(row));
  const secret = generateSecret();
  await store.retireKeyHashes(
    unit.db,
    actor.workspaceId,
    id,
    new Date(now.getTime() + overlapSeconds * 1000),
    now,
  );
  await store.insertKeyHash(unit.db, actor.workspaceId, id, hashSecret(secret));
  await store.updateApiKey(unit.db, actor.workspaceId, id, maskSecret(secret), now);
  await raiseEpoch(unit);
  const { key, version } = await getApiKey(unit, actor.workspaceId, id);
  await writeEvent(unit, actor.workspaceId, 'api_key.rotated', key);
  return { key, secret, version };
}

/** Ends every secret of a key. @param row locked, not revoked yet */
export async function endKey(unit: Unit, { workspace_id: workspaceId, id }: store.ApiKeyRow): Promise<void> {
  const now = unit.clock();
  await store.updateApiKey(unit.db, workspaceId, id, { revoked_at: now }, now);
  await store.replaceKeyOrigins(unit.db, workspaceId, id, []);
  await raiseEpoch(unit);
  const { key } = await getApiKey(unit, workspaceId, id);
  await writeEvent(unit, workspaceId, 'api_key.revoked', key);
}

/**
 * Revokes a key and, if asked to by the caller or the key itself, disables what it created. Revoking again only does the
 * latter, and only if the caller asks.
 * @throws Problem escalation, insufficient_scope
 */
export async function revokeApiKey(
  unit: Unit,
  createdKinds: readonly CreatedKind[],
  actor: WorkspaceActor,
  id: string,
  { disable_created: asked }: RevokeApiKeyBody,
): Promise<WithVersion<{ key: ApiKeyObject }> & { createdObjects: List<CreatedObjectEntry> }> {
  const { workspaceId } = actor;
  const row = await lock(unit, workspaceId, id);
  const isAgain = row.revoked_at !== null;
  const isOwn = actor.kind === 'api_key' && actor.keyId === id;
  if (!isAgain && !isOwn) assertHasScopes(actor, row.scopes as Scope[]);
  const disablesItself = row.disable_created_on_end && !isAgain;
  if (disablesItself && asked === false)
    assertWithinActor(actor, { ...grantOfRow(row), disablesCreatedOnEnd: false });
  if (!isAgain) await endKey(unit, row);
  const disables = asked ?? disablesItself;
  const createdObjects = await endCreatedObjects(
    unit,
    createdKinds,
    actor,
    { workspaceId, createdBy: publicId('api_key', id), reason: 'api_key_revoked' },
    disables ? (disablesItself ? 'disable_anyway' : 'disable') : 'keep',
  );
  return { ...(await getApiKey(unit, workspaceId, id)), createdObjects };
}
