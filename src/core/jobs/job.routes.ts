/** Watching long work. */
import { requireUuid } from '../../platform/http/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { IdParams } from '../../platform/http/schema.ts';
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
      description: 'Returns the progress and result of long-running work that was accepted with a 202.',
      access: 'actor',
      embedsObjects: true,
      params: IdParams('job'),
      success: { status: 200, description: 'The job.', schema: Job },
    },
    async ({ actor, params, unit }) => ({
      body: await service.getJob(unit, actor.workspaceId, requireUuid('job', params.id)),
    }),
  ),
];
