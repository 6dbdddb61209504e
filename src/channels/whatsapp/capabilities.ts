/** Capabilities of WhatsApp: limits as in Meta's documentation of the Cloud API. */
import type { Capabilities } from '../contract/capabilities.ts';

const MB = 1024 * 1024;
const CAPTION = 1024;
const DAY_SECONDS = 86_400;
/** Without the account. One request can name as many. */
const GROUP_MEMBERS = 8;

const AUDIO = ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'];
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const DOCUMENTS = [
  'text/plain',
  'application/pdf',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  `${OFFICE}.wordprocessingml.document`,
  `${OFFICE}.spreadsheetml.sheet`,
  `${OFFICE}.presentationml.presentation`,
];

export const CAPABILITIES: Capabilities = {
  types: {
    text: { text: 4096 },
    image: { text: CAPTION, bytes: 5 * MB, mimeTypes: ['image/jpeg', 'image/png'] },
    video: { text: CAPTION, bytes: 16 * MB, mimeTypes: ['video/mp4', 'video/3gpp'] },
    audio: { text: null, bytes: 16 * MB, mimeTypes: AUDIO },
    voice: { text: null, bytes: 16 * MB, mimeTypes: ['audio/ogg'] },
    document: { text: CAPTION, bytes: 100 * MB, mimeTypes: DOCUMENTS },
    // Meta accepts 500 KB for animated stickers and 100 KB for others.
    sticker: { text: null, bytes: 500 * 1024, mimeTypes: ['image/webp'] },
    location: { text: null },
    contacts: { text: null },
    reaction: { text: null },
    template: { text: null },
    interactive: { text: CAPTION },
  },
  operations: [
    'react',
    'reply',
    'read',
    'typing',
    'delivery_receipts',
    'read_receipts',
    'groups',
    'group_description',
    'group_picture',
    'group_invite',
    'group_invite_revoke',
    'block',
    'history',
    'own_copies',
    'templates',
    'forms',
  ],
  // One message in 6 s to the same person, over which Meta responds with error 131056.
  pacing: { perSecond: 80, perChat: 1 / 6, concurrency: 64 },
  limits: { editWithin: null, revokeWithin: null, groupMembers: GROUP_MEMBERS, replyWindow: DAY_SECONDS },
};
