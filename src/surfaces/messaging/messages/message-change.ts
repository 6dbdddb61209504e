/**
 * Changes existing messages. A queued message is changed in place or canceled. For a message that the channel has, the
 * change is an action in the queue of its chat: `pending_action` is set until the connection has done it, and
 * `action_error` if it failed.
 *
 * Lock order: `instance_queues`, queue rows, messages.
 */
import { changedFields } from '../../../core/unit/event-writer.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { enqueueAction, lockQueue, type QueueAction } from '../records/queue-row.store.ts';
import { instancesById, type SendingInstance } from '../records/sending-instance.store.ts';
import { checkOperation } from '../records/capability-check.ts';
import { assertIn } from '../records/group-membership.ts';
import { toFieldProblem } from '../records/message-problems.ts';
import { show } from './message.service.ts';
import { isWithChannel } from '../records/message-status.ts';
import * as store from '../records/message.store.ts';
import { type Speaking, speakingFor } from '../records/speaking.ts';
import type { MessageObject } from '../records/message.schema.ts';

export interface ChangeDeps {
  drivers: Drivers;
}

/** `isPending`: the channel has yet to execute it. */
export type Changed = WithVersion<{ message: MessageObject }> & { isPending: boolean };

type EventOfChange = 'message.edited' | 'message.canceled';

export async function read(unit: Unit, workspaceId: string, id: string): Promise<store.MessageRow> {
  const row = await store.getMessage(unit.db, workspaceId, id);
  if (!row) throw notFound('message');
  return row;
}

/** Locks the queue of the message's instance. @throws Problem not_found */
export async function lockOrderFor(unit: Unit, workspaceId: string, id: string): Promise<string> {
  const { instance_id: instanceId } = await read(unit, workspaceId, id);
  if (!(await lockQueue(unit.db, workspaceId, instanceId))) throw notFound('message');
  return instanceId;
}

export async function lock(unit: Unit, workspaceId: string, id: string): Promise<store.MessageRow> {
  const [row] = await store.lockMessages(unit.db, workspaceId, [id]);
  if (!row) throw notFound('message');
  return row;
}

/** Changes the row in place, with its event. @param before locked */
export async function change(
  unit: Unit,
  before: store.MessageRow,
  columns: store.MessageChange,
  type: EventOfChange,
): Promise<WithVersion<{ message: MessageObject }>> {
  await store.updateMessage(unit.db, before.workspace_id, before.id, columns, unit.clock());
  const after = show(await read(unit, before.workspace_id, before.id));
  const previous = changedFields(show(before).message, after.message);
  await unit.events.write(unit, {
    workspaceId: before.workspace_id,
    type,
    resourceId: after.message.id,
    object: after.message,
    ...(type === 'message.edited' ? { previous } : {}),
  });
  return after;
}

/** @throws Problem instance_disconnected, not_found */
export async function speaking(
  unit: Unit,
  { drivers }: ChangeDeps,
  row: store.MessageRow,
): Promise<Speaking & { instance: SendingInstance }> {
  const instance = (await instancesById(unit.db, row.workspace_id, [row.instance_id])).get(row.instance_id);
  if (!instance) throw notFound('message');
  return { instance, ...speakingFor(drivers, instance) };
}

export const notThere = (row: store.MessageRow): Problem => {
  if (row.deleted_at !== null) return new Problem('conflict', 'The message was deleted.');
  if (row.status === 'queued' || row.status === 'sending')
    return new Problem('conflict', 'The message is being sent. Try again in a moment.', {
      headers: { 'retry-after': '1' },
    });
  return new Problem('conflict', `The message is ${row.status} and does not exist at the channel.`);
};

/** @throws Problem conflict if the channel does not have the message */
export function assertWithChannel(row: store.MessageRow): void {
  if (row.deleted_at !== null || !isWithChannel(row.status)) throw notThere(row);
}

/** @throws Problem unsupported_by_channel after the channel's time limit */
export function assertWithin(row: store.MessageRow, seconds: number | null, name: string, now: Date): void {
  const since = (row.sent_at ?? row.created_at).getTime();
  if (seconds === null || now.getTime() - since <= seconds * 1000) return;
  throw new Problem(
    'unsupported_by_channel',
    `The channel allows this for ${seconds} s after sending (limits.${name}).`,
  );
}

export const assertOwn = (row: store.MessageRow): void => {
  if (row.direction === 'inbound')
    throw new Problem('unprocessable', 'Only messages sent by the account itself can be edited or revoked.');
};

/** Puts an action into the queue of the message's chat. @param row locked. @throws Problem not_found, not_in_group */
export async function ask(
  unit: Unit,
  row: store.MessageRow,
  instance: SendingInstance,
  action: Extract<QueueAction, 'edit' | 'revoke' | 'react' | 'pin' | 'unpin' | 'read'>,
  payload?: object,
): Promise<Changed> {
  const { workspace_id: workspaceId, id } = row;
  await assertIn(unit.db, workspaceId, { id: row.chat_id, kind: row.chat_kind });
  const added = { id: unit.newUuid(), action, chatId: row.chat_id, messageId: id, payload };
  if (!(await enqueueAction(unit.db, workspaceId, instance.id, added, instance.queue_ttl_seconds)))
    throw notFound('message');
  const columns = { pending_action: action, action_error: null };
  await store.updateMessage(unit.db, workspaceId, id, columns, unit.clock());
  return { ...show(await read(unit, workspaceId, id)), isPending: true };
}

/**
 * Locks a message that the channel has, and puts an action that the channel must offer into its chat's queue.
 * @param operation the capability
 * @throws Problem not_found, conflict, instance_disconnected, unsupported_by_channel, not_in_group
 */
export async function askChannel(
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  operation: 'pin' | 'react',
  action: Parameters<typeof ask>[3],
  payload?: object,
): Promise<Changed> {
  await lockOrderFor(unit, workspaceId, id);
  const row = await lock(unit, workspaceId, id);
  assertWithChannel(row);
  const { instance, capabilities } = await speaking(unit, deps, row);
  const fault = checkOperation(capabilities, operation, '');
  if (fault) throw toFieldProblem([fault]);
  return ask(unit, row, instance, action, payload);
}
