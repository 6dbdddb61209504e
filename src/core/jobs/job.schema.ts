/** Jobs as the API shows them: long work that was answered with 202. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, timeFields, Timestamp } from '../../platform/http/schema.ts';
import { objectFields } from '../api/id-schema.ts';
import { JOB_STATES } from '../../platform/jobs/job-state.ts';

export const Job = Type.Object(
  {
    ...objectFields('job', 'job'),
    type: Type.String({ description: 'Type of the job.', examples: ['links.import'] }),
    state: Enum(JOB_STATES, {
      description: 'Current state of the job. The last three are final.',
      examples: ['running'],
    }),
    progress: Type.Object(
      {
        done: Type.Integer({ minimum: 0, description: 'Number of completed items.', examples: [120] }),
        total: Nullable(Type.Integer({ minimum: 0 }), {
          description: 'Total number of items, if known.',
          examples: [500],
        }),
      },
      { description: 'Progress of the job.' },
    ),
    result: Nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: 'Result of the job once it has succeeded, or the partial result if it was canceled.',
      examples: [null],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['invalid_file'] }),
        detail: Type.String({ description: 'Explanation of the error.', examples: ['Line 3 has no url.'] }),
      }),
      { description: 'Why it failed or was canceled.', examples: [null] },
    ),
    ...timeFields,
    updated_at: Timestamp('When its state or progress last changed.'),
    finished_at: Nullable(Timestamp('When the job ended.'), { examples: [null] }),
  },
  { title: 'Job' },
);

export type JobObject = Static<typeof Job>;
