/** Pinning messages in their chat. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { askChannel, type ChangeDeps, type Changed } from './message-change.ts';

/**
 * Asks the channel to pin or unpin a message. The channel is asked even if the message is in that state already: an
 * opposite request may be waiting in the queue, and channels don't report all changes.
 * @throws Problem not_found, conflict, instance_disconnected, unsupported_by_channel, not_in_group
 */
export const pinMessage = (
  unit: Unit,
  deps: ChangeDeps,
  workspaceId: string,
  id: string,
  isPinned: boolean,
): Promise<Changed> => askChannel(unit, deps, workspaceId, id, 'pin', isPinned ? 'pin' : 'unpin');
