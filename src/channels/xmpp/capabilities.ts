/** What XMPP can do, as this driver speaks it. */
import type { Capabilities } from '../contract/capabilities.ts';

/** In XML a character is up to six bytes long, and most servers end the stream over a stanza of 256 KiB. */
const MAX_TEXT = 40_000;
/** What the product takes of a file; a server's upload service may take less, and then refuses as `too_large`. */
const MAX_BYTES = 67_108_864;
/** As many as are kept of a group. */
const MAX_MEMBERS = 5000;
const file = { text: MAX_TEXT, bytes: MAX_BYTES, mimeTypes: null };

export const CAPABILITIES: Capabilities = {
  types: {
    text: { text: MAX_TEXT },
    image: file,
    video: file,
    audio: file,
    voice: file,
    document: file,
    location: { text: null },
    reaction: { text: null },
  },
  operations: [
    'edit',
    'revoke',
    'react',
    'reply',
    'mention',
    'read',
    'typing',
    'delivery_receipts',
    'read_receipts',
    'presence',
    'groups',
    'group_create',
    'group_join',
    'group_add',
    'group_promote',
    'group_description',
    'group_ban',
    'group_invite',
    'group_invite_revoke',
    'group_locked',
    'group_members_only',
    'check_address',
    'block',
    'contact_list',
    'history',
    'own_copies',
  ],
  // Servers slow a client down by not reading it, rather than by refusing.
  pacing: { perSecond: 20, perChat: null, concurrency: 4 },
  limits: { editWithin: null, revokeWithin: null, groupMembers: MAX_MEMBERS },
};
