/** What the event log tells of short links, from whichever path: one, bulk, upsert, import, messages. Never a password. */
import { eventKind } from '../events/event-kind.ts';
import { Link } from './link.schema.ts';

const about = { surface: 'short_links', scope: 'links:read', object: Link } as const;

export const linkEvents = {
  'link.created': eventKind({ ...about, description: 'A short link was made.' }),
  'link.updated': eventKind({
    ...about,
    description: 'A short link was changed. Clicks are no change: `link.clicked` tells of them.',
    previous: { title: 'Spring' },
  }),
  'link.deleted': eventKind({
    ...about,
    description: 'A short link was deleted. The object is as it was.',
  }),
};
