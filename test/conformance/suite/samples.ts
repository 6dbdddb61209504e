/** Messages of every type, to be sent and to be received. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import {
  isMediaType,
  type MediaType,
  type MessageType,
} from '../../../src/channels/contract/capabilities.ts';
import type { OutboundFile, OutboundMessage } from '../../../src/channels/contract/connection.ts';
import type { Json } from '../../../src/channels/contract/json.ts';
import type { Peer, PeerMessage } from './harness.ts';

const MIME_TYPES: Record<MediaType, string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  voice: 'audio/ogg',
  document: 'application/pdf',
  sticker: 'image/webp',
};

/** As the API keeps it: what was left out is null. */
const DATA: Partial<Record<MessageType, Json>> = {
  location: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate', address: null },
  contacts: [{ name: 'Bob', phones: ['+49305550100'], emails: null, organization: null }],
  poll: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'], multiple: false },
  reaction: { message_id: 'msg_01h2xcejqtf2nbrexx3vqjhp41', emoji: '👍' },
  template: { name: 'hello', language: 'en', parameters: ['Ann'] },
  interactive: { body: 'Choose', choices: [{ id: 'a', title: 'A' }], header: null, footer: null },
  event: {
    name: 'Launch',
    start_at: '2030-01-01T10:00:00.000Z',
    end_at: null,
    location: null,
    description: null,
  },
};
/** Of types that have both. */
const TEXTS: Partial<Record<MessageType, string>> = { interactive: 'Choose' };

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function getFile(type: MediaType, bytes: Buffer, changes: Partial<OutboundFile> = {}): OutboundFile {
  return {
    mimeType: MIME_TYPES[type],
    size: bytes.length,
    fileName: `Prüfung ${type}.bin`,
    type,
    open: async () => Readable.from([bytes]),
    url: 'http://127.0.0.1:1/never-fetched',
    ...changes,
  };
}

export function outbound(
  peer: Peer,
  changes: Partial<OutboundMessage> & { text?: string } = {},
): OutboundMessage {
  const { text = 'Hello', ...rest } = changes;
  const id = publicId('message', newUuid());
  return {
    id,
    clientId: id,
    chat: peer.chat,
    type: 'text',
    content: { text, file: null, data: null },
    subject: null,
    threadId: null,
    replyTo: null,
    references: [],
    mentions: [],
    automatic: false,
    attempt: 0,
    ...rest,
  };
}

/** One of each type; `caption` is whether the channel has captions for it. */
export function getOutbound(peer: Peer, type: MessageType, bytes: Buffer, caption: boolean): OutboundMessage {
  if (type === 'text') return outbound(peer);
  if (isMediaType(type))
    return outbound(peer, {
      type,
      content: { text: caption ? `A caption of ${type}` : null, file: getFile(type, bytes), data: null },
    });
  return outbound(peer, {
    type,
    content: { text: TEXTS[type] ?? null, file: null, data: DATA[type] ?? null },
  });
}

export function getInbound(type: MessageType, bytes: Buffer): PeerMessage {
  const nothing = { text: null, file: null, data: null, replyTo: null };
  if (type === 'text') return { ...nothing, type, text: 'Hello from the other end' };
  if (isMediaType(type))
    return { ...nothing, type, file: { bytes, fileName: `Anlage ${type}.bin`, mimeType: MIME_TYPES[type] } };
  return { ...nothing, type, text: TEXTS[type] ?? null, data: DATA[type] ?? null };
}

export const textMessage = (text: string): PeerMessage => ({
  type: 'text',
  text,
  file: null,
  data: null,
  replyTo: null,
});
