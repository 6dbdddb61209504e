/** Events of link domains. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Domain } from './domain.schema.ts';

export const domainEvents = {
  'domain.verified': eventKind({
    object: Domain,
    description: 'The DNS record of a link domain was found. Its short links work from now on.',
    sample: {
      state: 'verified',
      verified_at: '2026-01-15T09:30:00.000Z',
      checked_at: '2026-01-15T09:30:00.000Z',
      next_check_at: null,
    },
  }),
  'domain.failed': eventKind({
    object: Domain,
    description:
      'The DNS record of a link domain was not found for seven days, or another workspace has already verified the host.',
    sample: {
      state: 'failed',
      checked_at: '2026-01-15T09:30:00.000Z',
      next_check_at: null,
      last_error: {
        code: 'record_missing',
        detail: 'There is no TXT record at _fairlead.links.example.com yet.',
      },
    },
  }),
};
