/** Completes group operations of callers: updates the group and ends the job. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { finishJob, reportProgress, takeUpJob } from '../../../core/jobs/job.service.ts';
import type { ParticipantOutcome } from '../../../channels/contract/connection.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { channelKey } from '../records/channel-key.ts';
import { endGroupJob } from '../queue/group-job.ts';
import { type Done, toErrorText } from '../queue/outcome.ts';
import type { GroupOutcome } from '../queue/execute-group.ts';
import type { InboundFiles } from '../media/inbound-files.ts';
import { applyGroups, type GroupNews } from './group-apply.ts';
import { presentGroup } from './group-present.ts';
import type { GroupTask } from '../records/group-task.ts';
import * as store from './group.store.ts';

export interface GroupCompletionDeps {
  /** For pictures. */
  inboundFiles: Pick<InboundFiles, 'keep' | 'discard'>;
  log: Pick<Log, 'warn'>;
}

/** Converts the outcome of one participant for the job's result. */
const getOutcome = ({ address, error }: ParticipantOutcome) => ({
  address: channelKey(address),
  error: error && toErrorText({ code: error.code, message: error.detail }),
});

/** Reasons for participants that a caller removed. */
function getReason(task: GroupTask): GroupNews['why'] {
  if (task.do !== 'participants' || (task.action !== 'remove' && task.action !== 'ban')) return undefined;
  const why = task.action === 'ban' ? 'banned' : 'removed';
  return new Map(task.addresses.map((address) => [address, why]));
}

/** Returns the participants that a caller removed. */
function getGone(
  task: GroupTask,
  outcomes: readonly ParticipantOutcome[],
): { address: string; role: null; gone: 'removed' | 'banned' }[] {
  const why = getReason(task);
  return outcomes.flatMap(({ address, error }) => {
    const gone = error ? undefined : why?.get(address);
    return gone ? [{ address, role: null, gone }] : [];
  });
}

/** @returns null if the group does not change */
function getChanges(
  task: GroupTask,
  { group, participants: outcomes = [] }: GroupOutcome,
  known: store.GroupRow | undefined,
  { key, address, by }: { key: string | null; address: string | null; by: string | null },
  newId: string,
): GroupNews | null {
  // The channel may already have reported it, with more detail: the group may have been destroyed.
  if (task.do === 'leave')
    return known?.membership === 'joined'
      ? { key: key!, address: address ?? key!, membership: 'left', by }
      : null;
  if (!group) return null;
  const { key: toldKey, address: toldAddress, participants, isPartial = false, ...about } = group;
  const named = {
    // The stored key; very long keys are not stored as reported.
    key: key ?? toldKey,
    address: toldAddress,
    membership: 'joined' as const,
    about,
    participants: isPartial
      ? { changed: [...participants, ...getGone(task, outcomes)] }
      : { all: participants },
    by: task.do === 'refresh' ? null : by,
    why: getReason(task),
  };
  if (task.do === 'create' || task.do === 'join') {
    const { metadata, created_by: createdBy } = task;
    const isCreated = task.do === 'create';
    return { ...named, asked: { id: isCreated ? task.group_id : newId, metadata, createdBy, isCreated } };
  }
  return { ...named, ...(task.do === 'update' ? { pictureId: task.picture_id } : {}) };
}

/** Completes the job of a group operation that succeeded or failed permanently. The instance's queue is locked. */
export async function completeGroup(
  unit: Unit,
  { inboundFiles: files, log }: GroupCompletionDeps,
  { row, outcome, ownAddress }: Done,
): Promise<void> {
  const { workspace_id: workspaceId, instance_id: instanceId, payload, chat } = row;
  const task = payload?.group;
  if (!task || !payload.job_id || outcome.kind === 'again') return;
  if (outcome.kind !== 'done') {
    const fault =
      outcome.kind === 'failed'
        ? { code: outcome.error.code, detail: outcome.error.detail }
        : { code: 'gone', detail: 'The group no longer exists.' };
    return endGroupJob(unit, workspaceId, payload.job_id, fault);
  }
  // The channel's response could not be stored, but the operation was executed.
  const told = (outcome.result ?? { group: null }) as GroupOutcome;
  const known =
    'group_id' in task && task.do !== 'create'
      ? await store.lockGroup(unit.db, workspaceId, task.group_id)
      : undefined;
  const named = { key: chat?.key ?? null, address: chat?.address ?? null, by: ownAddress };
  const news = getChanges(task, told, known, named, unit.newUuid());
  const place = { workspaceId, instanceId, ownAddress };
  const [applied] = news ? await applyGroups(unit, { files }, place, [news]) : [known];
  const picture = told.group?.picture;
  if (picture && 'received' in picture)
    unit.afterCommit(
      () =>
        void files.discard(picture.received).catch((error: unknown) => {
          log.warn(
            { err: error, instance: instanceId },
            'what is left of a received picture stays for the sweep',
          );
        }),
    );
  const progress = await takeUpJob(unit, workspaceId, payload.job_id);
  if (!progress) return;
  await reportProgress(unit, workspaceId, payload.job_id, progress);
  await finishJob(unit, workspaceId, payload.job_id, {
    group: applied ? presentGroup(applied) : null,
    ...(told.participants ? { participants: told.participants.map(getOutcome) } : {}),
  });
}
