/** Values of the filters of the messages page. */
import type { Message, MessageType } from '../../api/types.ts';

export const MESSAGE_STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'canceled',
  'received',
] as const satisfies readonly Message['status'][];

export const MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
  'location',
  'contacts',
  'poll',
  'reaction',
  'template',
  'interactive',
  'event',
] as const satisfies readonly MessageType[];
