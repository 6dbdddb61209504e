/** Capabilities of bots on Telegram. */
import type { Capabilities } from '../contract/capabilities.ts';

const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
const MAX_UPLOAD = 50_000_000;
const MAX_STICKER = 512_000;
const STICKER_TYPES = ['image/webp', 'video/webm', 'application/x-tgsticker'];
const TWO_DAYS = 172_800;
const MAX_MEMBERS = 200_000;

const file = { text: MAX_CAPTION, bytes: MAX_UPLOAD, mimeTypes: null };

export const CAPABILITIES: Capabilities = {
  types: {
    text: { text: MAX_TEXT },
    image: file,
    video: file,
    audio: file,
    voice: file,
    document: file,
    sticker: { text: null, bytes: MAX_STICKER, mimeTypes: STICKER_TYPES },
    location: { text: null },
    contacts: { text: null },
    poll: { text: null },
    reaction: { text: null },
    interactive: { text: MAX_TEXT },
  },
  operations: [
    'edit',
    'revoke',
    'react',
    'pin',
    'reply',
    'thread_ids',
    'mention',
    'typing',
    'groups',
    'group_promote',
    'group_description',
    'group_picture',
    'group_ban',
    'group_invite',
    'group_invite_revoke',
    'group_announce_only',
    'group_locked',
    'history',
  ],
  // Telegram's published limits: 30 messages per second, 1 per second to a chat, 20 per minute to a group.
  pacing: { perSecond: 30, perChat: 1, perGroup: 20 / 60, concurrency: 8 },
  limits: { editWithin: null, revokeWithin: TWO_DAYS, groupMembers: MAX_MEMBERS },
};
