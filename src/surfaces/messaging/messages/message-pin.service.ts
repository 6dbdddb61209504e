/** Pinning messages in their chat. */
import type { Unit } from '../../../core/unit-of-work.ts';
import { checkOperation } from './capability-check.ts';
import {
  ask,
  assertWithChannel,
  type ChangeDeps,
  type Changed,
  lock,
  lockOrderFor,
  speaking,
} from './message-change.ts';
import { toProblem } from './message-faults.ts';

/**
 * Asks the channel to pin or unpin a message. The channel is asked even if the message is in that state already: an
 * opposite request may be waiting in the queue, and channels don't report all changes.
 * @throws Problem not_found, conflict, instance_disconnected, unsupported_by_channel, not_in_group
 */
export async function pinMessage(
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  isPinned: boolean,
): Promise<Changed> {
  await lockOrderFor(unit, workspaceId, id);
  const row = await lock(unit, workspaceId, id);
  assertWithChannel(row);
  const { instance, capabilities } = await speaking(unit, deps, row);
  const fault = checkOperation(capabilities, 'pin', '');
  if (fault) throw toProblem([fault]);
  return ask(unit, row, instance, isPinned ? 'pin' : 'unpin');
}
