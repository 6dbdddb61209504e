/** Operations on single short links. For bulk operations see link-bulk.routes.ts. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import { currentTraceparent } from '../../../platform/tracing/tracing.ts';
import { createBatcher } from '../../../core/unit/batcher.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { type LinkRequest, type CreatedLink, createLinks } from '../creation/link-create.ts';
import { removeLink } from '../changes/link-deletion.ts';
import type { LinkDeps } from '../creation/link-deps.ts';
import { countLinks, type ListDeps, listLinks, withoutListed } from '../listing/link-list.service.ts';
import {
  CreateLink,
  Link,
  LinkCount,
  LinkCountQuery,
  LinkList,
  UpdateLink,
  UpsertLink,
} from '../records/link.schema.ts';
import { hashLinkPassword, type LinkPasswordDeps } from '../creation/link-password.ts';
import * as service from './link.service.ts';
import { onlyArchives } from '../../../core/api/storage-guard.ts';

/** Maximum number of links created in one transaction. */
const MAX_BATCH = 100;

const LINK_ERRORS = ['unprocessable', 'slug_taken', 'conflict'] as const;

interface Creation {
  workspaceId: string;
  request: LinkRequest;
}

/** Hashes the password before the transaction begins, so that hashing does not prolong the transaction. */
const hashPassword = async (
  deps: LinkPasswordDeps,
  actor: WorkspaceActor,
  { password }: { password?: string | null },
): Promise<string | null> => (typeof password === 'string' ? hashLinkPassword(deps, actor, password) : null);

export const linkOperations = (deps: LinkDeps & ListDeps): Operation[] => {
  /** Runs one transaction per workspace at a time; requests that arrive meanwhile share the next one. */
  const batcher = createBatcher<Creation, CreatedLink>({
    units: deps.units,
    max: MAX_BATCH,
    work: (unit, items) =>
      createLinks(
        unit,
        deps,
        items[0]!.workspaceId,
        items.map(({ request }) => request),
      ),
  });

  return [
    operation(
      {
        id: 'links.create',
        method: 'POST',
        path: '/links',
        tag: 'Links',
        summary: 'Create a link',
        description:
          'Creates a short link. If you omit `slug`, it is generated. The response is sent after the link is durably stored. The link works on every node within a second.',
        access: 'links:create',
        body: CreateLink,
        bodyExample: { url: 'https://example.com/spring', slug: 'launch', tags: ['spring'], max_clicks: 100 },
        success: { status: 201, description: 'The link.', schema: Link },
        otherSuccess: {
          status: 200,
          description: 'The existing link (`find_if_exists`).',
          schema: Link,
        },
        errors: [...LINK_ERRORS, 'quota_exceeded'],
        events: ['link.created'],
        audit: 'link',
        transaction: 'gathered',
      },
      ({ actor, body }) => hashPassword(deps, actor, body),
      async ({ actor, body, unit, ensureFresh, audit, prepared }) => {
        const { workspaceId } = actor;
        const linkRequest = {
          ...service.toLinkRequest(actor, body, prepared),
          audit,
          traceparent: currentTraceparent(),
        };
        const { link, version, isNew } = ensureFresh
          ? await batcher.add(workspaceId, { workspaceId, request: linkRequest }, ensureFresh)
          : await service.createLink(unit, deps, workspaceId, linkRequest);
        return { body: link, version, created: isNew, status: isNew ? 201 : 200 };
      },
    ),
    operation(
      {
        id: 'links.list',
        method: 'GET',
        path: '/links',
        tag: 'Links',
        summary: 'List and search links',
        description:
          'Sorted by creation time, clicks or last click, descending. A page may have fewer items than requested even if there are more (`has_more`).',
        access: 'links:read',
        query: LinkList,
        success: { status: 200, description: 'A page of links.', schema: toListSchema(Link) },
      },
      // The console lists links continuously, so only listings by integrations emit events.
      async ({ actor, query, unit }) => ({
        body: await listLinks(
          unit,
          actor.kind === 'api_key' ? deps : withoutListed(deps),
          actor.workspaceId,
          query,
        ),
      }),
    ),
    operation(
      {
        id: 'links.count',
        method: 'GET',
        path: '/links/count',
        tag: 'Links',
        summary: 'Count links',
        description: 'Accepts the same filters as the list. Counts at most 10,000.',
        access: 'links:read',
        query: LinkCountQuery,
        success: { status: 200, description: 'The number of links.', schema: LinkCount },
      },
      async ({ actor, query, unit }) => ({
        body: await countLinks(unit, deps, actor.workspaceId, query),
      }),
    ),
    operation(
      {
        id: 'links.upsert',
        method: 'PUT',
        path: '/links/upsert',
        tag: 'Links',
        summary: 'Create or update a link',
        description:
          'Updates the link with this `external_id`, or without one the link with this `domain` and `slug`. Omitted fields stay unchanged. If there is no such link, it is created. Concurrent requests result in a single link.',
        access: 'links:write',
        body: UpsertLink,
        bodyExample: { external_id: 'campaign-42', url: 'https://example.com/spring' },
        success: { status: 200, description: 'The updated link.', schema: Link },
        otherSuccess: { status: 201, description: 'The created link.', schema: Link },
        errors: [...LINK_ERRORS, 'quota_exceeded'],
        events: ['link.created', 'link.updated'],
        audit: 'link',
      },
      ({ actor, body }) => hashPassword(deps, actor, body),
      async ({ actor, body, unit, prepared }) => {
        const { link, version, isNew, unchanged } = await service.upsertLink(
          unit,
          deps,
          actor,
          body,
          prepared,
        );
        const auditDetails = isNew ? { created: true } : { changed: Object.keys(body) };
        return { body: link, version, created: isNew, unchanged, auditDetails, status: isNew ? 201 : 200 };
      },
    ),
    operation(
      {
        id: 'links.get',
        method: 'GET',
        path: '/links/{id}',
        tag: 'Links',
        summary: 'Get a link',
        access: 'links:read',
        params: IdParams('link'),
        success: { status: 200, description: 'The link.', schema: Link },
      },
      async ({ actor, params, unit }) => {
        const id = requireUuid('link', params.id);
        const { link, version } = await service.getLink(unit, deps, actor.workspaceId, id);
        return { body: link, version };
      },
    ),
    operation(
      {
        id: 'links.update',
        method: 'PATCH',
        path: '/links/{id}',
        whenFull: onlyArchives,
        tag: 'Links',
        summary: 'Update a link',
        description:
          'Omitted fields stay unchanged; `tags`, `targeting`, `utm` and `metadata` are each replaced as a whole. If you change `slug` or `domain`, the old short URL can be reused immediately. An update without changes sends no event.',
        access: 'links:write',
        params: IdParams('link'),
        body: UpdateLink,
        bodyExample: { title: 'Spring launch', expires_at: '2027-01-15T09:30:00.000Z' },
        success: { status: 200, description: 'The updated link.', schema: Link },
        errors: LINK_ERRORS,
        events: ['link.updated'],
        audit: 'link',
      },
      ({ actor, body }) => hashPassword(deps, actor, body),
      async ({ actor, params, body, unit, ifMatch, prepared }) => {
        const id = requireUuid('link', params.id);
        const { link, version, unchanged } = await service.updateLink(unit, deps, actor, id, body, {
          passwordHash: prepared,
          ifMatch,
        });
        return { body: link, version, unchanged, auditDetails: { changed: Object.keys(body) } };
      },
    ),
    operation(
      {
        id: 'links.delete',
        method: 'DELETE',
        path: '/links/{id}',
        tag: 'Links',
        summary: 'Delete a link',
        description:
          'Permanently deletes the link with its clicks. Its address can be reused immediately. Totals of the workspace are kept. To keep the link, archive it.',
        access: 'links:write',
        params: IdParams('link'),
        success: { status: 204, description: 'Deleted.' },
        events: ['link.deleted'],
        audit: 'link',
      },
      async ({ actor, params, unit, ifMatch }) => {
        await removeLink(unit, deps, actor.workspaceId, requireUuid('link', params.id), ifMatch);
        return { body: undefined };
      },
    ),
  ];
};
