/**
 * Checks with a channel whether addresses exist. The request goes through the instance's queue to the holder of its
 * connection, and the answer becomes the result of a job: `{results: [{address, normalised, exists}]}`, in order. If
 * the channel can't check addresses, the job completes immediately.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { JobObject } from '../../../core/jobs/job.schema.ts';
import { createJob, finishJob, getJob, reportProgress } from '../../../core/jobs/job.service.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { can } from '../../../channels/contract/capabilities.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { getDriver } from '../instances/instance-input.ts';
import { type InstanceState, takesMessages } from '../instances/instance-state.ts';
import { disconnected } from '../records/message-problems.ts';
import { enqueueAction } from '../records/queue-row.store.ts';
import type { BlockDeps } from './contact-block.service.ts';
import { requireInstance, toChannelAddress } from './contact-input.ts';
import type { CheckContactsBody } from './contact.schema.ts';

/** A caller waits for the result, so a longer wait is pointless, however full the instance's queue is. */
const MAX_WAIT_SECONDS = 600;

/** @throws Problem not_found, instance_disconnected */
export async function checkAddresses(
  unit: Unit,
  deps: BlockDeps,
  workspaceId: string,
  body: CheckContactsBody,
): Promise<JobObject> {
  const instance = await requireInstance(unit, workspaceId, body.instance_id);
  const asked = body.addresses.map((address) => {
    const found = toChannelAddress(deps, instance, address);
    return { address, normalised: typeof found === 'string' ? found : null };
  });
  const addresses = [...new Set(asked.flatMap((one) => one.normalised ?? []))];
  const capabilities = getDriver(deps.drivers, instance.channel).capabilities(instance.settings as Json);
  const canAsk = can(capabilities, 'check_address') && addresses.length > 0;
  if (canAsk && !takesMessages(instance.state as InstanceState)) throw disconnected(instance.state);

  const { id, job } = await createJob(unit, workspaceId, 'contacts.check', asked.length);
  if (!canAsk) {
    // Invalid addresses do not exist.
    const results = asked.map((one) => ({ ...one, exists: one.normalised === null ? false : null }));
    await reportProgress(unit, workspaceId, id, { done: asked.length, total: asked.length });
    await finishJob(unit, workspaceId, id, { results });
    return getJob(unit, workspaceId, id);
  }
  const payload = { addresses, asked, job_id: id };
  const row = { id: unit.newUuid(), action: 'check' as const, chatId: null, messageId: null, payload };
  const ttl = Math.min(instance.queue_ttl_seconds, MAX_WAIT_SECONDS);
  if (!(await enqueueAction(unit.db, workspaceId, instance.id, row, ttl))) throw notFound('instance');
  unit.afterCommit(() => deps.wakeSender([instance.id]));
  return job;
}
