/** Operations on many short links at once. */
import { type Operation, operation } from '../../core/api/operation.ts';
import { Problem, problemBody } from '../../platform/http/problem.ts';
import { CreateLinks, DeleteLinks, LinkBulk, type LinkBulkObject, UpdateLinks } from './link-bulk.schema.ts';
import * as service from './link-bulk.service.ts';
import type { LinkDeps } from './link-deps.ts';

const MAX_IDS_AUDITED = 100;

export const linkBulkOperations = (deps: LinkDeps): Operation[] => {
  const bulkOf = (outcomes: readonly service.BulkOutcome[], requestId: string): LinkBulkObject => {
    const results = outcomes.map((outcome, index): LinkBulkObject['results'][number] =>
      outcome instanceof Problem
        ? { index, status: outcome.status, link: null, error: problemBody(outcome, requestId, deps.baseUrl) }
        : { index, ...outcome, error: null },
    );
    const succeeded = results.filter(({ error }) => error === null).length;
    return { object: 'link_bulk', succeeded, failed: results.length - succeeded, results };
  };

  /** One entry of the audit log for all: how many, and the first of them. */
  const auditOf = ({ succeeded, results }: LinkBulkObject) => ({
    count: succeeded,
    ids: results.flatMap(({ link }) => link?.id ?? []).slice(0, MAX_IDS_AUDITED),
  });

  const success = {
    status: 200,
    description: 'A result for each, in their order.',
    schema: LinkBulk,
  } as const;

  return [
    operation(
      {
        id: 'links.create_bulk',
        method: 'POST',
        path: '/links/bulk',
        tag: 'Links',
        summary: 'Create many links',
        description:
          'Up to 1,000 at once, each with a result of its own: what is wrong with one stops no other. All that are made are stored together.',
        access: 'links:write',
        body: CreateLinks,
        bodyExample: { links: [{ url: 'https://example.com/spring', tags: ['spring'] }] },
        success,
        events: ['link.created'],
        audit: 'link',
      },
      ({ body }) => service.hashPasswords(deps, body.links),
      async ({ actor, body, unit, request, prepared }) => {
        const outcomes = await service.createMany(unit, deps, actor, body.links, prepared);
        // None was found instead: `find_if_exists` takes links:read.
        const result = bulkOf(outcomes, request.id);
        return { body: result, created: true, auditDetails: auditOf(result) };
      },
    ),
    operation(
      {
        id: 'links.update_bulk',
        method: 'PATCH',
        path: '/links/bulk',
        tag: 'Links',
        summary: 'Change many links',
        description:
          'The same change for up to 1,000 links; fields that are left out stay. Each has a result of its own.',
        access: 'links:write',
        body: UpdateLinks,
        bodyExample: { ids: ['lnk_01h2xcejqtf2nbrexx3vqjhp41'], add_tags: ['spring'] },
        success,
        events: ['link.updated'],
        audit: 'link',
      },
      async ({ actor, body, unit, request }) => {
        const result = bulkOf(await service.updateMany(unit, deps, actor, body), request.id);
        const { ids: _, ...change } = body;
        return { body: result, auditDetails: { ...auditOf(result), changed: Object.keys(change) } };
      },
    ),
    operation(
      {
        id: 'links.delete_bulk',
        method: 'DELETE',
        path: '/links/bulk',
        tag: 'Links',
        summary: 'Delete many links',
        description: 'Up to 1,000 at once, for good, each with a result of its own.',
        access: 'links:write',
        body: DeleteLinks,
        bodyExample: { ids: ['lnk_01h2xcejqtf2nbrexx3vqjhp41'] },
        success,
        events: ['link.deleted'],
        audit: 'link',
      },
      async ({ actor, body, unit, request }) => {
        const outcomes = await service.deleteMany(unit, deps, actor.workspaceId, body.ids);
        const result = bulkOf(outcomes, request.id);
        return {
          body: result,
          auditDetails: { deleted: result.succeeded, ids: body.ids.slice(0, MAX_IDS_AUDITED) },
        };
      },
    ),
  ];
};
