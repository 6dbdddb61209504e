/** Lists what this driver supports of XMPP. */
import type { Capabilities } from '../contract/capabilities.ts';

/** A character takes up to six bytes in XML, and most servers end the stream over a stanza of 256 KiB. */
const MAX_TEXT = 40_000;
/** The product's file limit. A server's upload service may accept less and then rejects the file as `too_large`. */
const MAX_BYTES = 67_108_864;
/** The number of group members that are stored. */
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
  // Servers slow a client down by pausing reads, not by rejecting stanzas.
  pacing: { perSecond: 20, perChat: null, concurrency: 4 },
  limits: { editWithin: null, revokeWithin: null, groupMembers: MAX_MEMBERS },
};
