/** Reads, creates, updates and deletes a single short link. For bulk operations see link-bulk.service.ts. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { IfMatch, WithVersion } from '../../../platform/http/etag.ts';
import { invalid, notFound, Problem } from '../../../platform/http/problem.ts';
import { changeLinks } from '../changes/link-change.ts';
import { type LinkRequest, type CreatedLink, createLinks } from '../creation/link-create.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { normalizeDomain } from '../creation/link-input.ts';
import { lockNames } from '../creation/link-lookup.store.ts';
import { presentLink } from '../records/link-present.ts';
import type { CreateLinkBody, UpdateLinkBody, UpsertLinkBody, LinkObject } from '../records/link.schema.ts';
import { readSlug } from '../addresses/slug.ts';
import * as store from '../records/link.store.ts';

/** Unwraps the outcome of a single link. @throws the link's Problem */
function only<T>([outcome]: readonly (T | Problem)[]): T {
  if (outcome instanceof Problem) throw outcome;
  return outcome!;
}

/** Builds the creation request from a request body. @throws Problem insufficient_scope */
export function toLinkRequest(
  actor: WorkspaceActor,
  body: CreateLinkBody,
  passwordHash: string | null,
): LinkRequest {
  // An existing link is returned with its clicks, and it may have been created by someone else.
  if (body.find_if_exists && !actor.scopes.has('links:read'))
    throw new Problem('insufficient_scope', 'find_if_exists requires the links:read scope.');
  return { actorId: actor.id, body, passwordHash, mustLast: true };
}

/** @throws Problem invalid_request, unprocessable, slug_taken, conflict, quota_exceeded, insufficient_scope */
export async function createLink(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  request: LinkRequest,
): Promise<CreatedLink> {
  return only(await createLinks(unit, deps, workspaceId, [request]));
}

/** @throws Problem not_found */
export async function getLink(
  unit: ReadUnit,
  deps: LinkDeps,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ link: LinkObject }>> {
  const row = await store.getLink(unit.db, workspaceId, id);
  if (!row) throw notFound('link');
  return { link: presentLink(row, deps.baseUrl, unit.clock()), version: row.version };
}

/** @throws Problem not_found, precondition_failed; else as createLink */
export async function updateLink(
  unit: Unit,
  deps: LinkDeps,
  actor: WorkspaceActor,
  id: string,
  body: UpdateLinkBody,
  { passwordHash, ifMatch }: { passwordHash: string | null; ifMatch: IfMatch },
): Promise<WithVersion<{ link: LinkObject }>> {
  const change = { id, body: () => body, passwordHash, ifMatch };
  const externalIds = body.external_id == null ? [] : [body.external_id];
  return only(await changeLinks(unit, deps, actor.workspaceId, { actorId: actor.id }, [change], externalIds));
}

/** Finds the link that an upsert refers to. @returns its ID, or null if it does not exist yet */
async function findUpsertTarget(
  unit: Unit,
  deps: LinkDeps,
  workspaceId: string,
  body: UpsertLinkBody,
): Promise<string | null> {
  if (body.external_id != null) return store.idByExternalId(unit.db, workspaceId, body.external_id);
  const slug = readSlug(body.slug!);
  const domain = normalizeDomain(body.domain, deps.baseUrl);
  return slug === null || domain === null ? null : store.idByAddress(unit.db, workspaceId, domain, slug);
}

/** The link can be deleted or created between the lookup and the write; the upsert is then tried again. */
const MAX_TRIES = 5;

/** @throws Problem as createLink and updateLink */
export async function upsertLink(
  unit: Unit,
  deps: LinkDeps,
  actor: WorkspaceActor,
  body: UpsertLinkBody,
  passwordHash: string | null,
): Promise<CreatedLink> {
  const { workspaceId } = actor;
  if (body.external_id == null && body.slug === undefined)
    throw invalid([
      {
        pointer: '',
        code: 'required',
        detail: 'external_id or slug is required to find the link',
      },
    ]);
  if (body.external_id != null) await lockNames(unit.db, workspaceId, [`by ${body.external_id}`]);
  for (let tries = 0; ; tries += 1) {
    const id = await findUpsertTarget(unit, deps, workspaceId, body);
    try {
      if (id === null)
        return only(await createLinks(unit, deps, workspaceId, [{ actorId: actor.id, body, passwordHash }]));
      const changed = await updateLink(unit, deps, actor, id, body, { passwordHash, ifMatch: null });
      return { ...changed, isNew: false };
    } catch (error) {
      const isGone = id !== null && error instanceof Problem && error.code === 'not_found';
      const isThere =
        id === null &&
        error instanceof Problem &&
        error.code === 'slug_taken' &&
        (await findUpsertTarget(unit, deps, workspaceId, body)) !== null;
      if ((!isGone && !isThere) || tries === MAX_TRIES) throw error;
    }
  }
}
