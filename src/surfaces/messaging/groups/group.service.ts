/**
 * Group operations. Operations on the channel wait in the instance's queue (group-task.ts), in the order of the group's
 * chat, and a job reports the result; data that is only stored in Fairlead changes immediately.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { assertMatches, type IfMatch } from '../../../platform/http/etag.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import type { JobObject } from '../../../core/jobs/job.schema.ts';
import { createJob, finishJob, getJob, reportProgress } from '../../../core/jobs/job.service.ts';
import type { ChannelOperation } from '../../../channels/contract/capabilities.ts';
import type { ParticipantAction } from '../../../channels/contract/connection.ts';
import type { AddressDeps } from '../contacts/contact-input.ts';
import { lockInstances, type LockedInstance } from '../records/sending-instance.store.ts';
import { noSuch, toFieldProblem } from '../records/message-problems.ts';
import { type Speaking, speakingFor } from '../records/speaking.ts';
import { enqueueAction } from '../records/queue-row.store.ts';
import * as input from './group-input.ts';
import { presentGroup } from './group-present.ts';
import type { GroupTask } from '../records/group-task.ts';
import type {
  ChangeParticipantsBody,
  CreateGroupBody,
  JoinGroupBody,
  UpdateGroupBody,
} from './group.schema.ts';
import * as store from './group.store.ts';

type Caller = Pick<WorkspaceActor, 'workspaceId' | 'id'>;

export interface GroupDeps extends AddressDeps {
  /** Notifies the sender after the commit; only a hint. */
  wakeSender: (instanceIds: readonly string[]) => void;
}

/** A caller waits for the result, so a longer wait is pointless, however full the instance's queue is. */
const MAX_WAIT_SECONDS = 600;

interface Ready extends Speaking {
  instance: LockedInstance;
}

/** Locks the queue of an instance that can send. @throws Problem not_found, instance_disconnected */
async function readyInstance(
  unit: Unit,
  { drivers }: GroupDeps,
  workspaceId: string,
  id: string,
): Promise<Ready> {
  const instance = (await lockInstances(unit.db, workspaceId, [id])).get(id);
  if (!instance) throw noSuch('instance', '/instance_id');
  return { instance, ...speakingFor(drivers, instance) };
}

export function assertJoined(row: store.GroupRow): void {
  if (row.membership === 'joined') return;
  throw new Problem('not_in_group', `The account is no longer in this group: ${row.membership}.`);
}

/**
 * Returns a group that operations are possible on, with its instance, whose queue is locked.
 * @throws Problem not_found, instance_disconnected, unsupported_by_channel, not_in_group
 */
async function readyGroup(
  unit: Unit,
  deps: GroupDeps,
  workspaceId: string,
  id: string,
  ...operations: ChannelOperation[]
): Promise<Ready & { row: store.GroupRow }> {
  const seen = await store.getGroup(unit.db, workspaceId, id);
  if (!seen) throw notFound('group');
  const ready = await readyInstance(unit, deps, workspaceId, seen.instance_id);
  input.assertCan(ready.capabilities, 'groups', ...operations);
  const row = await store.lockGroup(unit.db, workspaceId, id);
  if (!row) throw notFound('group');
  assertJoined(row);
  return { ...ready, row };
}

/** Durably queues an operation and wakes the sender. */
async function accept(
  unit: Unit,
  deps: GroupDeps,
  workspaceId: string,
  instance: LockedInstance,
  task: GroupTask,
  chatId: string | null = null,
): Promise<JobObject> {
  const { id: jobId, job } = await createJob(unit, workspaceId, `groups.${task.do}`);
  const payload = { job_id: jobId, group: task };
  const row = { id: unit.newUuid(), action: 'group' as const, chatId, messageId: null, payload };
  const ttl = Math.min(instance.queue_ttl_seconds, MAX_WAIT_SECONDS);
  await enqueueAction(unit.db, workspaceId, instance.id, row, ttl);
  unit.afterCommit(() => deps.wakeSender([instance.id]));
  return job;
}

/** @throws Problem not_found, instance_disconnected, unsupported_by_channel, invalid_address, unprocessable */
export async function createGroup(
  unit: Unit,
  deps: GroupDeps,
  { workspaceId, id: actorId }: Caller,
  body: CreateGroupBody,
): Promise<JobObject> {
  const ready = await readyInstance(unit, deps, workspaceId, toUuid('instance', body.instance_id)!);
  const { instance, capabilities } = ready;
  input.assertSupported(capabilities, body, true);
  const named = await input.getParticipants(unit, deps, workspaceId, instance, body.participants ?? []);
  const participants = named.filter((address) => address !== instance.address);
  input.assertCount(capabilities, participants.length + 1);
  return accept(unit, deps, workspaceId, instance, {
    do: 'create',
    group_id: unit.newUuid(),
    subject: body.subject.trim(),
    description: body.description?.trim() || null,
    settings: input.getSettings(body.settings),
    participants,
    metadata: body.metadata ?? {},
    created_by: actorId,
  });
}

/** @throws Problem not_found, instance_disconnected, unsupported_by_channel */
export async function joinGroup(
  unit: Unit,
  deps: GroupDeps,
  { workspaceId, id: actorId }: Caller,
  { instance_id: instanceId, invite, metadata = {} }: JoinGroupBody,
): Promise<JobObject> {
  const ready = await readyInstance(unit, deps, workspaceId, toUuid('instance', instanceId)!);
  input.assertCan(ready.capabilities, 'groups', 'group_join');
  const task = { do: 'join', invite: invite.trim(), metadata, created_by: actorId } as const;
  return accept(unit, deps, workspaceId, ready.instance, task);
}

/** Metadata belongs to the workspace and is not sent to the channel. */
async function setMetadata(unit: Unit, before: store.GroupRow, metadata: object): Promise<store.GroupRow> {
  const { workspace_id: workspaceId, id } = before;
  await store.updateGroup(unit.db, workspaceId, id, { metadata }, unit.clock());
  const after = (await store.getGroup(unit.db, workspaceId, id))!;
  const shown = presentGroup(after);
  await unit.events.write(unit, {
    workspaceId,
    type: 'group.updated',
    resourceId: shown.id,
    object: shown,
    previous: changedFields(presentGroup(before), shown),
    also: { by: null },
  });
  return after;
}

/**
 * Changes stored data immediately and queues the rest for the channel. If nothing is left to do, the job has already
 * succeeded.
 * @throws Problem not_found, precondition_failed, instance_disconnected, unsupported_by_channel, not_in_group,
 *   unprocessable
 */
export async function updateGroup(
  unit: Unit,
  deps: GroupDeps,
  workspaceId: string,
  id: string,
  { metadata, ...change }: UpdateGroupBody,
  ifMatch: IfMatch,
): Promise<JobObject> {
  const isForChannel = Object.keys(change).length > 0;
  const ready = isForChannel ? await readyGroup(unit, deps, workspaceId, id) : null;
  const row = ready?.row ?? (await store.lockGroup(unit.db, workspaceId, id));
  if (!row) throw notFound('group');
  assertMatches(ifMatch, row, 'group');
  const task: GroupTask = { do: 'update', group_id: id };
  if (ready) {
    input.assertSupported(ready.capabilities, change, false);
    const { subject, description, settings, picture } = change;
    if (subject !== undefined) task.subject = subject.trim();
    if (description !== undefined) task.description = description?.trim() || null;
    if (settings) task.settings = input.getSettings(settings);
    if (picture !== undefined)
      task.picture_id = picture && (await input.getPicture(unit, workspaceId, picture.media_id));
  }
  const after = metadata ? await setMetadata(unit, row, metadata) : row;
  if (ready) return accept(unit, deps, workspaceId, ready.instance, task, row.chat_id);
  const { id: jobId } = await createJob(unit, workspaceId, 'groups.update');
  await reportProgress(unit, workspaceId, jobId, { done: 0, total: null });
  await finishJob(unit, workspaceId, jobId, { group: presentGroup(after) });
  return getJob(unit, workspaceId, jobId);
}

/** Capabilities that changes of participants require besides `groups`. */
const NEEDED: Partial<Record<ParticipantAction, ChannelOperation>> = {
  add: 'group_add',
  promote: 'group_promote',
  demote: 'group_promote',
  ban: 'group_ban',
  unban: 'group_ban',
};

/** @throws Problem not_found, instance_disconnected, unsupported_by_channel, not_in_group, invalid_address, unprocessable */
export async function changeParticipants(
  unit: Unit,
  deps: GroupDeps,
  workspaceId: string,
  id: string,
  { action, participants }: ChangeParticipantsBody,
): Promise<JobObject> {
  const needed = NEEDED[action];
  const ready = await readyGroup(unit, deps, workspaceId, id, ...(needed ? [needed] : []));
  const { instance, capabilities, row } = ready;
  input.assertCount(capabilities, participants.length);
  const addresses = await input.getParticipants(unit, deps, workspaceId, instance, participants, id);
  if (instance.address !== null && addresses.includes(instance.address)) {
    const detail = 'is the account itself: POST /groups/{id}/leave takes it out of the group';
    throw toFieldProblem([{ pointer: '/participants', code: 'own_account', detail }]);
  }
  const task = { do: 'participants', group_id: id, action, addresses } as const;
  return accept(unit, deps, workspaceId, instance, task, row.chat_id);
}

/** @throws Problem not_found, instance_disconnected, unsupported_by_channel, not_in_group */
export async function ask(
  unit: Unit,
  deps: GroupDeps,
  workspaceId: string,
  id: string,
  deed: 'leave' | 'refresh' | 'revoke_invite',
): Promise<JobObject> {
  const needed: ChannelOperation[] = deed === 'revoke_invite' ? ['group_invite_revoke'] : [];
  const { instance, row } = await readyGroup(unit, deps, workspaceId, id, ...needed);
  return accept(unit, deps, workspaceId, instance, { do: deed, group_id: id }, row.chat_id);
}
