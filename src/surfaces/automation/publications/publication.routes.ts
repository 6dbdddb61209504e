/** Operations on publications. Publishing itself is in publishing-endpoints/ingress/. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import {
  Publication,
  PublicationDetail,
  PublicationList,
  ReplayPublication,
} from './records/publication.schema.ts';
import * as service from './publication.service.ts';
import { prepareReplay, type ReplayDeps, replayPublication } from './replay.service.ts';

const tag = 'Publications';
const params = IdParams('publication');

export function publicationOperations(deps: ReplayDeps): Operation[] {
  return [
    operation(
      {
        id: 'publications.list',
        method: 'GET',
        path: '/publications',
        tag,
        summary: 'List publications',
        access: 'publishing:read',
        query: PublicationList,
        success: {
          status: 200,
          description: 'A page of publications, newest first.',
          schema: toListSchema(Publication),
        },
      },
      async ({ actor, query, unit }) => ({
        body: await service.listPublications(unit, actor.workspaceId, getPage(query), {
          endpointId: query.endpoint_id,
          status: query.status,
          createdAfter: query.created_after,
          createdBefore: query.created_before,
        }),
      }),
    ),
    operation(
      {
        id: 'publications.get',
        method: 'GET',
        path: '/publications/{id}',
        tag,
        summary: 'Get a publication',
        description:
          'Includes the received payload and the rendered message for each destination. Values that look secret are masked.',
        access: 'publishing:read',
        params,
        success: { status: 200, description: 'The publication.', schema: PublicationDetail },
      },
      async ({ actor, params: { id }, unit }) => ({
        body: await service.getPublication(unit, actor.workspaceId, requireUuid('publication', id)),
      }),
    ),
    operation(
      {
        id: 'publications.cancel',
        method: 'POST',
        path: '/publications/{id}/cancel',
        whenFull: 'goes_on',
        tag,
        summary: 'Cancel a publication',
        description:
          'Cancels a publication that is `received` or `scheduled`. Canceling it again has no effect.',
        access: 'publishing:write',
        params,
        success: { status: 200, description: 'The canceled publication.', schema: Publication },
        errors: ['conflict'],
        events: ['publication.canceled'],
        audit: 'publication',
      },
      async ({ actor, params: { id }, unit }) => ({
        body: await service.cancelPublication(unit, actor.workspaceId, requireUuid('publication', id)),
      }),
    ),
    operation(
      {
        id: 'publications.replay',
        method: 'POST',
        path: '/publications/{id}/replay',
        tag,
        summary: 'Replay a publication',
        description:
          "Creates a new publication from the received payload immediately and ignores the endpoint's filter, schedule and dedupe key. Pending automatic retries of the original are canceled in favor of the new publication. Requires the scopes of its actions: `messages:write`, and `links:create` if the endpoint shortens links.",
        access: 'publishing:write',
        params,
        body: ReplayPublication,
        bodyExample: { template: 'original', only: 'failed' },
        success: { status: 202, description: 'The new publication.', schema: Publication },
        errors: [
          'conflict',
          'unprocessable',
          'instance_disconnected',
          'invalid_address',
          'unsupported_by_channel',
          'not_in_group',
          'address_not_allowed',
        ],
        events: ['publication.received', 'publication.rejected'],
        audit: 'publication',
      },
      ({ actor, params: { id }, body, unit }) =>
        prepareReplay(unit, deps, actor, requireUuid('publication', id), body),
      async ({ body, unit, prepared: rendered }) => ({
        body: await replayPublication(unit, deps, rendered, body.only),
      }),
    ),
  ];
}
