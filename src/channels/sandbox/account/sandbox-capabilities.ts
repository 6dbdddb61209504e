/** Capabilities of the sandbox: all of them except threads. */
import type { Capabilities, TypeCapability } from '../../contract/capabilities.ts';
import { MAX_MEMBERS } from './group-rules.ts';

const MIB = 1024 * 1024;
const DAY_SECONDS = 86_400;
const TEXT = 65_536;
const CAPTION = 4_096;

const file = (bytes: number, mimeTypes: string[] | null, text: number | null = CAPTION): TypeCapability => ({
  text,
  bytes,
  mimeTypes,
});

export const SANDBOX_CAPABILITIES: Capabilities = {
  types: {
    text: { text: TEXT },
    image: file(16 * MIB, ['image/*']),
    video: file(64 * MIB, ['video/*']),
    audio: file(16 * MIB, ['audio/*']),
    voice: file(16 * MIB, ['audio/*'], null),
    document: file(64 * MIB, null),
    sticker: file(MIB, ['image/webp', 'image/png'], null),
    location: { text: null },
    contacts: { text: null },
    poll: { text: null },
    reaction: { text: null },
    template: { text: null },
    interactive: { text: CAPTION },
    event: { text: null },
  },
  operations: [
    'edit',
    'revoke',
    'react',
    'pin',
    'reply',
    'mention',
    'read',
    'typing',
    'forward',
    'delivery_receipts',
    'read_receipts',
    'presence',
    'groups',
    'group_create',
    'group_join',
    'group_add',
    'group_promote',
    'group_description',
    'group_picture',
    'group_ban',
    'group_invite',
    'group_invite_revoke',
    'group_announce_only',
    'group_locked',
    'group_members_only',
    'check_address',
    'block',
    'contact_list',
    'history',
    'own_copies',
  ],
  // Enough concurrent chats for efficient batches.
  pacing: { perSecond: null, perChat: null, concurrency: 256 },
  limits: { editWithin: DAY_SECONDS, revokeWithin: DAY_SECONDS, groupMembers: MAX_MEMBERS },
};
