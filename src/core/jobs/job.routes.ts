/** Watching long work. */
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { IdParams } from '../api/id-schema.ts';
import { Job } from './job.schema.ts';
import * as service from './job.service.ts';

export const jobOperations = (): Operation[] => [
  operation(
    {
      id: 'jobs.get',
      method: 'GET',
      path: '/jobs/{id}',
      tag: 'Jobs',
      summary: 'Get a job',
      description:
        'Returns the progress and result of long-running work that was accepted with a 202. Requires a scope of what the job is about, such as `groups:read` or `groups:write` for `groups.create`.',
      access: 'actor',
      embedsObjects: true,
      params: IdParams('job'),
      success: { status: 200, description: 'The job.', schema: Job },
      errors: ['insufficient_scope'],
    },
    async ({ actor, params, unit }) => ({
      body: await service.readJob(unit, actor, requireUuid('job', params.id)),
    }),
  ),
];
