/** Capabilities of email: no edits, receipts or groups. */
import type { Capabilities } from '../contract/capabilities.ts';

/** The API's limit for one message. */
export const MAX_TEXT = 65_536;
/** The product's file limit. Most servers accept less and then reject the mail as `too_large`. */
export const MAX_BYTES = 67_108_864;
const file = { text: MAX_TEXT, bytes: MAX_BYTES, mimeTypes: null };

export const CAPABILITIES: Capabilities = {
  types: { text: { text: MAX_TEXT }, image: file, video: file, audio: file, document: file },
  operations: ['reply', 'read', 'history', 'own_copies', 'threads'],
  pacing: { perSecond: 5, perChat: null, concurrency: 4 },
  limits: { editWithin: null, revokeWithin: null, groupMembers: null },
};
