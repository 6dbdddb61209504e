/** Events of budgets. */
import Type from 'typebox';
import { eventKind } from '../../../core/events/event-kind.ts';
import { Budget } from './budget.schema.ts';

export const budgetEvents = {
  'budget.threshold_reached': eventKind({
    object: Budget,
    description:
      'Model calls have used 80 or 100 percent of a budget. Written once for each threshold and window.',
    sample: { used: 40, reserved: 0.08, remaining: 9.92 },
    also: {
      threshold: Type.Integer({
        description: 'The threshold in percent: 80 or 100.',
        examples: [80],
      }),
    },
  }),
};
