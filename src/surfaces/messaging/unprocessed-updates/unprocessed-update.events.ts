/** Event types of unprocessed updates. They report that there are some, never their content. */
import { eventKind } from '../../../core/events/event-kind.ts';
import { UnprocessedUpdate } from './unprocessed-update.schema.ts';

export const unprocessedUpdateEvents = {
  'instance.update_unprocessed': eventKind({
    object: UnprocessedUpdate,
    description:
      'An instance received content that could not be processed. At most one event for each instance and hour.',
  }),
};
