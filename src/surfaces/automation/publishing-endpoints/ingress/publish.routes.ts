/** `POST /publish/{id}`: publishing with an API key. Other ways to publish are under `/in/` (ingress.routes.ts). */
import type { FastifyRequest } from 'fastify';
import type { Units } from '../../../../core/unit/unit-of-work.ts';
import { type Operation, operation } from '../../../../core/api/operation.ts';
import { IdParams } from '../../../../core/api/id-schema.ts';
import { Publication } from '../../publications/records/publication.schema.ts';
import type { ReceivedBody } from './payload.ts';
import { AnyQuery, publishBody } from './publish.schema.ts';
import {
  createEndpointReader,
  type PublishDeps,
  preparePublication,
  publish,
  readWithin,
} from './publish.service.ts';

const getOrigin = ({ headers, raw }: FastifyRequest, body: ReceivedBody) => ({
  headers,
  target: raw.url!,
  body,
});

export function publishOperations(deps: PublishDeps & { units: Pick<Units, 'read'> }): Operation[] {
  const read = createEndpointReader(deps.units);
  return [
    operation(
      {
        id: 'publications.publish',
        method: 'POST',
        path: '/publish/{id}',
        tag: 'Publications',
        summary: 'Publish through an endpoint',
        description:
          "For endpoints whose `auth` is `bearer`. The endpoint's templates render the request into messages; they see the body (JSON, a form or text) as `payload` and the query parameters as `query`. The response is sent once the publication is durably stored; `results` are filled in as it is published. A request that is known to fail gets 422 and is stored as `rejected`. A repetition within 24 hours is a `duplicate`.",
        access: 'publishing:publish',
        params: IdParams('publishing_endpoint'),
        query: AnyQuery,
        anyBody: publishBody,
        success: { status: 202, description: 'The publication.', schema: Publication },
        errors: [
          'request_timeout',
          'wrong_publishing_auth',
          'unprocessable',
          'instance_disconnected',
          'invalid_address',
          'unsupported_by_channel',
          'not_in_group',
          'address_not_allowed',
        ],
        events: [
          'publication.received',
          'publication.scheduled',
          'publication.duplicate',
          'publication.canceled',
          'publication.rejected',
        ],
        transaction: 'gathered',
      },
      ({ actor, params, body, request }) =>
        preparePublication(deps, read, actor, params.id, getOrigin(request, body)),
      async ({ actor, params, body, unit, ensureFresh, request, prepared: rendered }) => {
        const received = getOrigin(request, body);
        const readAgain = ensureFresh ? read : readWithin(unit);
        const publication = await publish(deps, rendered, ensureFresh ? { ensureFresh } : { unit }, () =>
          preparePublication(deps, readAgain, actor, params.id, received, false),
        );
        return { body: publication, created: true };
      },
    ),
  ];
}
