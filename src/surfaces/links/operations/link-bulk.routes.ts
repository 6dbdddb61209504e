/** Bulk operations on short links. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import { Problem, problemBody } from '../../../platform/http/problem.ts';
import { CreateLinks, DeleteLinks, LinkBulk, type LinkBulkObject, UpdateLinks } from './link-bulk.schema.ts';
import * as service from './link-bulk.service.ts';
import type { LinkDeps } from '../creation/link-deps.ts';

const MAX_IDS_AUDITED = 100;

export const linkBulkOperations = (deps: LinkDeps): Operation[] => {
  const toBulkObject = (outcomes: readonly service.BulkOutcome[], requestId: string): LinkBulkObject => {
    const results = outcomes.map((outcome, index): LinkBulkObject['results'][number] =>
      outcome instanceof Problem
        ? { index, status: outcome.status, link: null, error: problemBody(outcome, requestId, deps.baseUrl) }
        : { index, ...outcome, error: null },
    );
    const succeeded = results.filter(({ error }) => error === null).length;
    return { object: 'link_bulk', succeeded, failed: results.length - succeeded, results };
  };

  /** One audit log entry for the whole call: the count and the first IDs. */
  const toAuditDetails = ({ succeeded, results }: LinkBulkObject) => ({
    count: succeeded,
    ids: results.flatMap(({ link }) => link?.id ?? []).slice(0, MAX_IDS_AUDITED),
  });

  const success = {
    status: 200,
    description: 'One result for each item, in request order.',
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
          'Creates up to 1,000 links. Each link has its own result: an invalid one does not affect the others. All valid links are stored in one transaction.',
        access: 'links:write',
        body: CreateLinks,
        bodyExample: { links: [{ url: 'https://example.com/spring', tags: ['spring'] }] },
        success,
        events: ['link.created'],
        audit: 'link',
      },
      ({ actor, body }) => service.hashPasswords(deps, actor, body.links),
      async ({ actor, body, unit, request, prepared }) => {
        const outcomes = await service.createMany(unit, deps, actor, body.links, prepared);
        // All links are new: `find_if_exists` requires links:read.
        const result = toBulkObject(outcomes, request.id);
        return { body: result, created: true, auditDetails: toAuditDetails(result) };
      },
    ),
    operation(
      {
        id: 'links.update_bulk',
        method: 'PATCH',
        path: '/links/bulk',
        tag: 'Links',
        summary: 'Update many links',
        description:
          'Applies the same update to up to 1,000 links. Omitted fields stay unchanged. Each link has its own result.',
        access: 'links:write',
        body: UpdateLinks,
        bodyExample: { ids: ['lnk_01h2xcejqtf2nbrexx3vqjhp41'], add_tags: ['spring'] },
        success,
        events: ['link.updated'],
        audit: 'link',
      },
      async ({ actor, body, unit, request }) => {
        const result = toBulkObject(await service.updateMany(unit, deps, actor, body), request.id);
        const { ids: _, ...change } = body;
        return { body: result, auditDetails: { ...toAuditDetails(result), changed: Object.keys(change) } };
      },
    ),
    operation(
      {
        id: 'links.delete_bulk',
        method: 'DELETE',
        path: '/links/bulk',
        tag: 'Links',
        summary: 'Delete many links',
        description: 'Permanently deletes up to 1,000 links. Each link has its own result.',
        access: 'links:write',
        body: DeleteLinks,
        bodyExample: { ids: ['lnk_01h2xcejqtf2nbrexx3vqjhp41'] },
        success,
        events: ['link.deleted'],
        audit: 'link',
      },
      async ({ actor, body, unit, request }) => {
        const outcomes = await service.deleteMany(unit, deps, actor.workspaceId, body.ids);
        const result = toBulkObject(outcomes, request.id);
        return {
          body: result,
          auditDetails: { deleted: result.succeeded, ids: body.ids.slice(0, MAX_IDS_AUDITED) },
        };
      },
    ),
  ];
};
