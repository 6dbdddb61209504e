/** What the event log tells of publications. */
import { eventKind, type EventKindOptions } from '../../../core/events/event-kind.ts';
import { Publication } from './publication.schema.ts';

const kind = (description: string, sample: EventKindOptions['sample']) =>
  eventKind({ object: Publication, description, sample });
const UNFINISHED = { results: [], finished_at: null };

export const publicationEvents = {
  'publication.received': kind('Something came in through a publishing endpoint, and will be published.', {
    status: 'received',
    ...UNFINISHED,
  }),
  'publication.scheduled': kind('Something came in that is to be published later.', {
    status: 'scheduled',
    scheduled_at: '2026-01-16T07:00:00.000Z',
    ...UNFINISHED,
  }),
  'publication.published': kind('It was sent to all of its destinations.', { status: 'published' }),
  'publication.partially_published': kind(
    'It was sent to some of its destinations; `results` says why not to the others, and when they are tried again.',
    { status: 'partially_published' },
  ),
  'publication.failed': kind('It could be sent to none of its destinations.', { status: 'failed' }),
  'publication.rejected': kind('What came in could not be published, and was answered 422.', {
    status: 'rejected',
    results: [],
    error: {
      code: 'instance_disconnected',
      detail: '1 destination is refused',
      errors: [
        {
          pointer: '/destinations/0/instance_id',
          code: 'instance_disconnected',
          detail: 'The instance is disconnected.',
        },
      ],
    },
  }),
  'publication.duplicate': kind('The same came in again within 24 hours, and is not published twice.', {
    status: 'duplicate',
    results: [],
    duplicate_of: 'pub_01h2xcejqtf2nbrexx3vqjhp41',
  }),
  'publication.canceled': kind(
    'It is not published: somebody canceled it, the filter held it back, or its endpoint was deleted.',
    { status: 'canceled', reason: 'user', results: [] },
  ),
};
