/** Ends jobs of group operations that end without a group. */
import { cancelJob, failJob, type JobError, takeUpJob } from '../../../core/jobs/job.service.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';

/** Completes a job whose work was not executed, or may not have been. */
export async function endGroupJob(
  unit: Unit,
  workspaceId: string,
  jobId: string,
  fault: JobError,
  isCanceled = false,
): Promise<void> {
  if (!(await takeUpJob(unit, workspaceId, jobId))) return;
  if (isCanceled) await cancelJob(unit, workspaceId, jobId, fault, {});
  else await failJob(unit, workspaceId, jobId, fault);
}
