/** What the event log tells of clicks. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Link } from '../link.schema.ts';
import { Click } from './click.schema.ts';

export const clickEvents = {
  'link.clicked': eventKind({
    object: Link,
    also: { click: Click },
    description:
      'Somebody followed a short link, or a bot did (`click.bot`). Comes within a second, the object with its counters of then. Made only while a webhook, a rule or an open stream wants it; the record of clicks is `GET /links/{id}/clicks`.',
  }),
};
