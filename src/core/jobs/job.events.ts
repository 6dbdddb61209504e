/** Events of long-running jobs. */
import { eventKind } from '../events/event-kind.ts';
import { Job } from './job.schema.ts';

export const jobEvents = {
  'import.completed': eventKind({
    object: Job,
    description: 'An import ended. The `state` of its job is the outcome.',
    sample: {
      type: 'contacts.import',
      state: 'succeeded',
      progress: { done: 120, total: 120 },
      result: { created: 100, updated: 15, unchanged: 4, failed: 1, faults: [] },
      finished_at: '2026-01-15T09:31:00.000Z',
    },
  }),
};
