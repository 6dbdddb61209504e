/** What the event log tells of publishing endpoints. Neither addresses that are secret nor secrets are in it. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { PublishingEndpoint } from './publishing-endpoint.schema.ts';

export const publishingEndpointEvents = {
  'publishing_endpoint.created': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was made.',
  }),
  'publishing_endpoint.updated': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was changed, or its secret or address rotated.',
    previous: { name: 'News' },
  }),
  'publishing_endpoint.deleted': eventKind({
    object: PublishingEndpoint,
    description: 'A publishing endpoint was deleted.',
  }),
};
