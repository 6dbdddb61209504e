import { expect, test } from 'vitest';
import type { Capabilities, Chat, Message } from '../../api/types.ts';
import { toBody, bodyOfCopy, EMPTY, getDraftError, sendableAs } from './draft.ts';

const CAPABILITIES = {
  types: {
    text: { max_text: 5, max_bytes: null, mime_types: null },
    image: { max_text: 100, max_bytes: 1000, mime_types: ['image/*'] },
    sticker: { max_text: null, max_bytes: 100, mime_types: ['image/webp'] },
    document: { max_text: 100, max_bytes: 5000, mime_types: null },
  },
} as unknown as Capabilities;
const CHAT = { id: 'cht_1', instance_id: 'ins_1' } as Chat;
const file = (name: string, type: string, size: number) => new File([new Uint8Array(size)], name, { type });

test('offers the types that a file can be sent as, best first', () => {
  expect(sendableAs(CAPABILITIES, { type: 'image/webp', size: 50 })).toEqual([
    'image',
    'document',
    'sticker',
  ]);
  expect(sendableAs(CAPABILITIES, { type: 'image/png', size: 2000 })).toEqual(['document']);
  expect(sendableAs(CAPABILITIES, { type: 'video/mp4', size: 9000 })).toEqual([]);
});

test('explains why a draft cannot be sent', () => {
  expect(getDraftError({ ...EMPTY, text: 'Hi 👋🏽' }, CAPABILITIES)).toBeNull();
  expect(getDraftError({ ...EMPTY, text: 'Hello!' }, CAPABILITIES)).toBe(
    'The message is too long: 6 of 5 characters.',
  );
  expect(getDraftError({ ...EMPTY, text: 'Hi', at: '' }, CAPABILITIES)).toBe(
    'Choose when to send the message.',
  );
  const sticker = { ...EMPTY, file: file('a.webp', 'image/webp', 10), as: 'sticker' as const };
  expect(getDraftError(sticker, CAPABILITIES)).toBeNull();
  expect(getDraftError({ ...sticker, text: 'Hi' }, CAPABILITIES)).toBe(
    "This channel doesn't support captions for this type: Sticker.",
  );
  expect(getDraftError({ ...EMPTY, text: 'x', as: 'voice' }, CAPABILITIES)).toBe(
    "This channel doesn't support this type: Voice message.",
  );
});

test('builds the body of a message', () => {
  const draft = { ...EMPTY, text: ' Hi ', reply: { id: 'msg_1' } as Message };
  expect(toBody(draft, CHAT, null, ['bob'])).toEqual({
    instance_id: 'ins_1',
    chat_id: 'cht_1',
    type: 'text',
    text: { body: 'Hi' },
    reply_to: 'msg_1',
    mentions: ['bob'],
  });
  const inThread = { ...EMPTY, text: 'Hi', thread: '45' };
  expect(toBody(inThread, CHAT, null, [])).toMatchObject({ thread_id: '45' });
  expect(toBody({ ...inThread, reply: draft.reply }, CHAT, null, [])).not.toHaveProperty('thread_id');
  expect(toBody({ ...inThread, thread: null }, CHAT, null, [])).not.toHaveProperty('thread_id');
  const image = { ...EMPTY, text: 'Look', file: file('a.png', 'image/png', 10), as: 'image' as const };
  expect(toBody(image, CHAT, 'med_1', [])).toMatchObject({
    type: 'image',
    image: { media_id: 'med_1', file_name: 'a.png', caption: 'Look' },
  });
});

test('sends a failed message again, unless its file was deleted', () => {
  const message = {
    instance_id: 'ins_1',
    chat: { id: 'cht_1' },
    type: 'image',
    image: { media_id: 'med_1', caption: null },
    thread_id: '45',
    reply_to: null,
    mentions: [],
  };
  expect(bodyOfCopy(message as unknown as Message)).toEqual({
    instance_id: 'ins_1',
    chat_id: 'cht_1',
    type: 'image',
    image: { media_id: 'med_1' },
    thread_id: '45',
  });
  const deleted = { ...message, image: { media_id: null, caption: null } };
  expect(bodyOfCopy(deleted as unknown as Message)).toBeNull();
});
