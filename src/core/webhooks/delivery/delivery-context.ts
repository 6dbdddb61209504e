import type { KeyObject } from 'node:crypto';

/** The delivery that brings a request. */
export interface DeliveryContext {
  workspaceId: string;
  /** UUID of the webhook; null for other senders. */
  webhookId: string | null;
  eventType: string;
  /** Keys that a signature may be by. */
  keys: readonly KeyObject[];
}
