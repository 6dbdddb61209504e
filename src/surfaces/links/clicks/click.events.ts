/** Events of clicks. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { Link } from '../records/link.schema.ts';
import { Click } from './click.schema.ts';

export const clickEvents = {
  'link.clicked': eventKind({
    object: Link,
    also: { click: Click },
    description:
      'A short link was clicked by a person or a bot (`click.bot`). Emitted within a second, with the counters of that moment. Only emitted while a webhook, a rule or an open stream subscribes to it. For a complete list of clicks use `GET /links/{id}/clicks`.',
  }),
};
