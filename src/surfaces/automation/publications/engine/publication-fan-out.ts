/**
 * From what is told of messages to the publications that they belong to, in the transaction that enters events into the log.
 * It inserts only: the sequencer waits for no lock that publishing holds.
 */
import type { FanOut } from '../../../../core/events/sequencer.system-store.ts';
import { uuidOf } from '../../../../platform/http/ids.ts';
import * as store from './publication-fan-out.system-store.ts';

/** What a result changes by. */
const TYPES: ReadonlySet<string> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.canceled',
]);

/** @param onLeft called where word was left; the transaction is still running */
export const createPublicationFanOut =
  (onLeft: () => void): FanOut =>
  async (tx, events) => {
    const updates = events.flatMap(({ type, resource_id: resourceId, workspace_id: workspaceId }) => {
      const messageId = TYPES.has(type) && resourceId !== null ? uuidOf('message', resourceId) : null;
      return messageId === null ? [] : [{ workspaceId, messageId }];
    });
    if (updates.length && (await store.leaveNews(tx, updates))) onLeft();
  };
