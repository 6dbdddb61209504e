/** Event types of publishing endpoints. They contain neither secret URLs nor secrets. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { PublishingEndpoint } from './publishing-endpoint.schema.ts';

export const publishingEndpointEvents = {
  'publishing_endpoint.created': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was created.',
  }),
  'publishing_endpoint.updated': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was updated, or its secret or URL was rotated.',
    previous: { name: 'News' },
  }),
  'publishing_endpoint.deleted': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was deleted.',
  }),
};
