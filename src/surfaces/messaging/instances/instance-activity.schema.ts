/** Activity of an instance as the API shows it. */
import Type, { type Static } from 'typebox';
import { Count, messageCounts } from '../../../core/activity/activity.schema.ts';
import { statsRangeFields, statsRangeQuery } from '../../../core/api/stats-range.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { Strict, Timestamp } from '../../../platform/http/schema.ts';

export const MAX_FAILURE_CODES = 50;

export const InstanceActivity = Type.Object(
  {
    object: Type.Literal('instance_activity', {
      description: 'Always `instance_activity`.',
      examples: ['instance_activity'],
    }),
    instance_id: Id('instance'),
    ...statsRangeFields,
    totals: Type.Object(messageCounts, {
      title: 'InstanceActivityTotals',
      description: 'Totals of the whole range.',
    }),
    failures: Type.Array(
      Type.Object(
        {
          code: Type.String({
            description: 'The `error.code` of the messages, shortened to 100 characters.',
            examples: ['recipient_unknown'],
          }),
          count: Count('Messages that failed with this code.', 2),
        },
        { title: 'InstanceFailures' },
      ),
      {
        description: `The error codes of failed messages in the range, most frequent first. At most ${MAX_FAILURE_CODES}.`,
      },
    ),
    data: Type.Array(
      Type.Object(
        { start: Timestamp('Start of the interval.'), ...messageCounts },
        { title: 'InstanceActivityInterval' },
      ),
      { description: 'All intervals of the range in order, including those without messages.' },
    ),
  },
  { title: 'InstanceActivity' },
);

export const InstanceActivityQuery = Strict(statsRangeQuery);

export type InstanceActivityObject = Static<typeof InstanceActivity>;
