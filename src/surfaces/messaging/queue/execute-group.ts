/**
 * Executes a group operation on a connection, then reads the group: events show its actual state, not the requested
 * one. Does not touch the database.
 */
import type {
  Connection,
  GroupCalls,
  GroupInfo,
  OutboundFile,
  ParticipantOutcome,
} from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { GroupTask } from '../records/group-task.ts';

/** The outcome of a group operation. */
export interface GroupOutcome {
  /** null if the account is no longer a member or can't see it. */
  group: GroupInfo | null;
  /** The outcome of each participant concerned, in order. */
  participants?: readonly ParticipantOutcome[];
}

/** Calls the driver with a time limit. */
export type Ask = <T>(ms: number, call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface GroupWork {
  task: GroupTask;
  /** The channel's key of the group; null if the task creates or joins one. */
  key: string | null;
  /** @throws FileGone */
  picture: () => OutboundFile | null;
}

/** Minimum time limit; each participant adds to it, because the channel needs time for each. */
const MIN_MS = 30_000;
const MS_EACH = 500;

const timeFor = (task: GroupTask, ackTimeoutMs: number): number => {
  const count =
    task.do === 'create' ? task.participants.length : task.do === 'participants' ? task.addresses.length : 0;
  return Math.max(ackTimeoutMs, MIN_MS) + count * MS_EACH;
};

/** Returns the current group; null if the account can no longer see it although the operation succeeded. */
async function groupNow(groups: GroupCalls, key: string, ask: Ask, ms: number): Promise<GroupInfo | null> {
  try {
    return await ask(ms, (signal) => groups.get(key, signal));
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'rejected') return null;
    throw error;
  }
}

/**
 * @returns null if the channel does not support it
 * @throws DriverError, FileGone, any error of `ask`
 */
export async function executeGroup(
  { task, key, picture }: GroupWork,
  connection: Connection,
  ask: Ask,
  ackTimeoutMs: number,
): Promise<GroupOutcome | null> {
  const { groups } = connection;
  if (!groups) return null;
  const ms = timeFor(task, ackTimeoutMs);
  if (task.do === 'create') {
    if (!groups.create) return null;
    const { subject, description, settings, participants } = task;
    const clientId = publicId('group', task.group_id);
    return ask(ms, (signal) =>
      groups.create!({ clientId, subject, description, settings, participants }, signal),
    );
  }
  if (task.do === 'join') {
    if (!groups.join) return null;
    return { group: await ask(ms, (signal) => groups.join!(task.invite, signal)) };
  }
  if (key === null) return null;
  switch (task.do) {
    case 'leave':
      await ask(ms, (signal) => groups.leave(key, signal));
      return { group: null };
    case 'participants': {
      const { action, addresses } = task;
      const participants = await ask(ms, (signal) =>
        groups.changeParticipants(key, action, addresses, signal),
      );
      return { group: await groupNow(groups, key, ask, ms), participants };
    }
    case 'update': {
      const { subject, description, settings, picture_id: pictureId } = task;
      const change = {
        ...(subject === undefined ? {} : { subject }),
        ...(description === undefined ? {} : { description }),
        ...(settings === undefined ? {} : { settings }),
        ...(pictureId === undefined ? {} : { picture: pictureId === null ? null : picture() }),
      };
      await ask(ms, (signal) => groups.update(key, change, signal));
      break;
    }
    case 'revoke_invite': {
      if (!groups.revokeInvite) return null;
      const inviteUrl = await ask(ms, (signal) => groups.revokeInvite!(key, signal));
      const group = await groupNow(groups, key, ask, ms);
      return { group: group && { inviteUrl, ...group } };
    }
    default:
      return { group: await ask(ms, (signal) => groups.get(key, signal)) };
  }
  return { group: await groupNow(groups, key, ask, ms) };
}
