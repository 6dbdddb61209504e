/** Cancels queued messages and revokes sent ones. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { assertMatches, type IfMatch } from '../../../platform/http/etag.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { takeWaiting } from '../records/queue-row.store.ts';
import { checkOperation } from '../records/capability-check.ts';
import {
  ask,
  assertOwn,
  assertWithChannel,
  assertWithin,
  change,
  type ChangeDeps,
  type Changed,
  lock,
  lockOrderFor,
  notThere,
  speaking,
} from './message-change.ts';
import { toFieldProblem } from '../records/message-problems.ts';
import { show } from './message.service.ts';
import { statusChange } from '../records/message-status.ts';
import type * as store from '../records/message.store.ts';

/** Cancels a queued message. @returns its row if it is not queued. @throws Problem not_found, precondition_failed */
async function cancelWaiting(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<{ canceled: Changed } | { row: store.MessageRow }> {
  await lockOrderFor(unit, workspaceId, id);
  const taken = await takeWaiting(unit.db, workspaceId, id);
  const row = await lock(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'message');
  if (!taken) return { row };
  const columns = statusChange(row, 'canceled', unit.clock());
  return { canceled: { ...(await change(unit, row, columns, 'message.canceled')), isPending: false } };
}

/** Cancels a message; repeating it has no effect. @throws Problem not_found, conflict once sending has started */
export async function cancelMessage(unit: Unit, workspaceId: string, id: string): Promise<Changed> {
  const outcome = await cancelWaiting(unit, workspaceId, id, null);
  if ('canceled' in outcome) return outcome.canceled;
  const { row } = outcome;
  if (row.status === 'canceled') return { ...show(row), isPending: false };
  if (row.status === 'queued' || row.status === 'sending') throw notThere(row);
  throw new Problem('conflict', `The message is ${row.status}. Only waiting messages can be canceled.`);
}

/**
 * Cancels a message, or revokes it at the channel.
 * @throws Problem not_found, precondition_failed, conflict, unprocessable, instance_disconnected,
 * unsupported_by_channel
 */
export async function deleteMessage(
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<Changed> {
  const outcome = await cancelWaiting(unit, workspaceId, id, ifMatch);
  if ('canceled' in outcome) return outcome.canceled;
  const { row } = outcome;
  if (row.status === 'canceled' || row.deleted_at !== null) return { ...show(row), isPending: false };
  assertOwn(row);
  assertWithChannel(row);
  if (row.pending_action === 'revoke') return { ...show(row), isPending: true };
  const { instance, capabilities } = await speaking(unit, deps, row);
  const fault = checkOperation(capabilities, 'revoke', '');
  if (fault) throw toFieldProblem([fault]);
  assertWithin(row, capabilities.limits.revokeWithin, 'revoke_within', unit.clock());
  return ask(unit, row, instance, 'revoke');
}
