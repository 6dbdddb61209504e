/**
 * Maps message events to the publications that sent the messages, in the transaction that appends events to the log. It
 * only inserts, so the sequencer never waits for locks of the publisher.
 */
import type { FanOut } from '../../../../core/events/sequencer.system-store.ts';
import { toUuid } from '../../../../core/vocabulary/ids.ts';
import * as store from './publication-fan-out.system-store.ts';

/** Events that can change a result. */
const TYPES: ReadonlySet<string> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.canceled',
]);

/**
 * Creates the fan-out.
 * @param onRecorded called when updates were recorded; the transaction is still open
 */
export const createPublicationFanOut =
  (onRecorded: () => void): FanOut =>
  async (tx, events) => {
    const updates = events.flatMap(({ type, resource_id: resourceId, workspace_id: workspaceId }) => {
      const messageId = TYPES.has(type) && resourceId !== null ? toUuid('message', resourceId) : null;
      return messageId === null ? [] : [{ workspaceId, messageId }];
    });
    if (updates.length && (await store.recordUpdates(tx, updates))) onRecorded();
  };
