/** Activity of a workspace as the API shows it. */
import Type, { type Static } from 'typebox';
import { Strict, Timestamp } from '../../platform/http/schema.ts';
import { statsRangeFields, statsRangeQuery } from '../api/stats-range.ts';

export const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

export const messageCounts = {
  inbound: Count('Messages received.', 120),
  outbound: Count('Messages that their channel accepted.', 98),
  failed: Count('Messages that could not be sent.', 2),
};

const COUNTS = {
  messages: Type.Object(messageCounts, { title: 'MessageActivity', description: 'Messages.' }),
  clicks: Count('Clicks on short links by people.', 1204),
  deliveries: Type.Object(
    {
      succeeded: Count('Webhook deliveries that the receiver accepted.', 310),
      failed: Count('Delivery attempts that failed. Failed attempts are retried.', 4),
    },
    { title: 'DeliveryActivity', description: 'Webhook deliveries.' },
  ),
  requests: Type.Object(
    {
      total: Count('API requests of API keys. Those of people in the console are not counted.', 5200),
      errors: Count('API requests of API keys with a status of 400 or higher.', 12),
    },
    { title: 'RequestActivity', description: 'API requests of API keys.' },
  ),
};

export const Activity = Type.Object(
  {
    object: Type.Literal('activity', { description: 'Always `activity`.', examples: ['activity'] }),
    ...statsRangeFields,
    totals: Type.Object(COUNTS, { title: 'ActivityTotals', description: 'Totals of the whole range.' }),
    data: Type.Array(
      Type.Object({ start: Timestamp('Start of the interval.'), ...COUNTS }, { title: 'ActivityInterval' }),
      { description: 'All intervals of the range in order, including those without activity.' },
    ),
  },
  { title: 'Activity' },
);

export const ActivityQuery = Strict(statsRangeQuery);

export type ActivityObject = Static<typeof Activity>;
