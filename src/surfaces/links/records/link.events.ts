/** Events of short links, whether changed singly, in bulk, by upsert, import or message. They never contain passwords. */
import { eventKind } from '../../../core/events/event-kind.ts';
import Type from 'typebox';
import { Enum } from '../../../platform/http/schema.ts';
import { Link, LINK_FILTERS, LINK_SORTS } from './link.schema.ts';

const Listed = Type.Object(
  {
    object: Type.Literal('list', { description: 'Always `list`.', examples: ['list'] }),
    of: Type.Literal('link', { description: 'Type of the listed objects.', examples: ['link'] }),
    filter: Type.Object(LINK_FILTERS, {
      description: 'Filters of the list.',
      examples: [{ tag: 'spring' }],
    }),
    sort: Enum(LINK_SORTS, { description: 'Sort order of the list.', examples: ['created_at'] }),
    count: Type.Integer({ description: 'Number of links on the latest page.', examples: [25] }),
    times: Type.Integer({
      description: 'Number of pages listed since the previous event.',
      examples: [1],
    }),
  },
  { title: 'LinkListing' },
);

export const linkEvents = {
  'link.created': eventKind({ object: Link, description: 'A short link was created.' }),
  'link.updated': eventKind({
    object: Link,
    description: 'A short link was updated. Clicks do not count as updates: see `link.clicked`.',
    previous: { title: 'Spring' },
  }),
  'link.deleted': eventKind({
    object: Link,
    description: 'A short link was deleted. The object shows its last state.',
  }),
  'link.listed': eventKind({
    object: Listed,
    description:
      'Links were listed with an API key, with the filters and the number of results. Listings in the console emit no event. Identical listings within a second are merged into one event. Only emitted while a webhook, a rule or an open stream subscribes to it.',
  }),
};
