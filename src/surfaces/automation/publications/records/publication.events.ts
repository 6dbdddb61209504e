/** Event types of publications. */
import { eventKind, type EventKindOptions } from '../../../../core/events/event-kind.ts';
import { Publication } from './publication.schema.ts';

const kind = (description: string, sample: EventKindOptions['sample']) =>
  eventKind({ object: Publication, description, sample });
const UNFINISHED = { results: [], finished_at: null };

export const publicationEvents = {
  'publication.received': kind('A publishing endpoint accepted a request and will publish it.', {
    status: 'received',
    ...UNFINISHED,
  }),
  'publication.scheduled': kind('A publishing endpoint accepted a request and scheduled it for later.', {
    status: 'scheduled',
    scheduled_at: '2026-01-16T07:00:00.000Z',
    ...UNFINISHED,
  }),
  'publication.published': kind('The publication was sent to all of its destinations.', {
    status: 'published',
  }),
  'publication.partially_published': kind(
    'The publication was sent to some of its destinations. `results` has the errors of the others and when they are retried.',
    { status: 'partially_published' },
  ),
  'publication.failed': kind('The publication could not be sent to any of its destinations.', {
    status: 'failed',
  }),
  'publication.rejected': kind('The request could not be published and got a 422 response.', {
    status: 'rejected',
    results: [],
    error: {
      code: 'instance_disconnected',
      detail: '1 destination was rejected',
      errors: [
        {
          pointer: '/destinations/0/instance_id',
          code: 'instance_disconnected',
          detail: 'The instance is disconnected.',
        },
      ],
    },
  }),
  'publication.duplicate': kind('The request repeats another within 24 hours and is not published again.', {
    status: 'duplicate',
    results: [],
    duplicate_of: 'pub_01h2xcejqtf2nbrexx3vqjhp41',
  }),
  'publication.canceled': kind(
    'The publication was canceled by a user, by the filter, or because its endpoint was deleted or its contacts were erased.',
    { status: 'canceled', reason: 'user', results: [] },
  ),
};
