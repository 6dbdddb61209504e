/**
 * Tests that every field of a Telegram message is read, kept unchanged, or listed in docs/telegram.md as dropped:
 * removes each field of Telegram's description from messages, and compares the results.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readDescription } from '../../../test/support/channels/telegram/description.ts';
import { createInbound } from './inbound.ts';
import { createPosition } from './position.ts';

type Sample = { [name: string]: unknown };
const { types } = readDescription();
const guide = readFileSync(new URL('../../../docs/telegram.md', import.meta.url), 'utf8');
const section = /^## Fields that Fairlead drops\n(.*?)^## /ms.exec(guide)?.[1] ?? '';
const dropped = new Set([...section.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));

const user = (id: number) => ({ ...createSample('User', 1), id, is_bot: true });
const chat = (id: number, type: string) => ({ ...createSample('Chat', 1), id, type });
const entity = (type: string) => ({ ...createSample('MessageEntity', 1), type, offset: 0, length: 1 });
/** Samples of types for which a single generated sample is not enough. */
const VARIANTS: Record<string, () => unknown[]> = {
  User: () => [user(78)],
  Chat: () => [chat(-1_001_234_567_891, 'channel'), chat(77, 'private')],
  Message: () => [{ message_id: 3 }],
  MaybeInaccessibleMessage: () => [{ message_id: 3 }],
  MessageEntity: () => [entity('text_link'), entity('text_mention')],
  Contact: () => [{ ...createSample('Contact', 1), vcard: 'TEL:+16505550123' }],
  Sticker: () =>
    [true, false].map((animated) => ({
      ...createSample('Sticker', 1),
      is_animated: animated,
      is_video: !animated,
    })),
};
const PRIMITIVES: Record<string, unknown> = { Integer: 7, Float: 1.5, String: 'some words', Boolean: true };

const getSubtypes = (type: string): string[] => types[type]?.subtypes?.flatMap(getSubtypes) ?? [type];
const MIN_DEPTH = -3;
function toSample(type: string, depth: number): unknown {
  const item = /^Array of (.+)$/.exec(type)?.[1];
  if (item !== undefined) return [toSample(item, depth)];
  if (type in PRIMITIVES || depth < MIN_DEPTH) return PRIMITIVES[type];
  return VARIANTS[type] ? VARIANTS[type]()[0] : createSample(getSubtypes(type)[0]!, depth);
}
/** One of each kind. */
function toSamples(type: string, depth: number): unknown[] {
  const item = /^Array of (.+)$/.exec(type)?.[1];
  if (item !== undefined) return toSamples(item, depth).map((one) => [one]);
  return VARIANTS[type]?.() ?? getSubtypes(type).map((one) => toSample(one, depth));
}
/** An object with all fields of its type, so deep that those which are read are in it. */
function createSample(type: string, depth: number): Sample {
  const fields = (types[type]?.fields ?? []).filter(({ required }) => required || depth > 0);
  return Object.fromEntries(fields.map((field) => [field.name, toSample(field.types[0]!, depth - 1)]));
}

/** Fields whose ID alone is read. */
const REFERENCES = new Set(['reply_to_message', 'pinned_message', 'left_chat_member']);

/** All that an update changes. Malformed ones are no reading. */
async function read(kind: string, message: Sample): Promise<string> {
  const position = createPosition(null);
  const toSignals = createInbound({
    bot: { id: 42, username: 'bot' },
    position,
    isNews: () => true,
    receive: async (file) => ({ size: file.size ?? 0, sha256: JSON.stringify(file) }),
    findEmoji: async () => null,
    onCallback() {},
    now: () => new Date(0),
  });
  const signals = await toSignals({ update_id: 1, [kind]: message }, new AbortController().signal);
  const known = signals.filter((signal) => signal.kind !== 'unprocessed' || signal.reason !== 'malformed');
  return JSON.stringify([known, position.toJson(null)]);
}

const BASE: Sample = { message_id: 5, date: 1_750_000_000, from: user(77) };
const IN: Sample[] = [
  { ...BASE, chat: chat(77, 'private') },
  { ...BASE, chat: chat(-1_001_234_567_890, 'supergroup') },
];
const TOPIC = { is_topic_message: true, message_thread_id: 9 };
/** Messages that are each without most fields. */
const BARE: Sample[] = [
  { message_id: 5, date: 1_750_000_000, chat: chat(-1_001_234_567_891, 'channel'), text: 'Hi' },
  ...IN.flatMap((base) => [
    base,
    { ...base, text: 'Hi' },
    { ...base, text: 'Hi', ...TOPIC },
    { ...base, photo: toSample('PhotoSize', 1), caption: 'Hi' },
  ]),
];

const without = (message: Sample, name: string): Sample =>
  Object.fromEntries(Object.entries(message).filter(([one]) => one !== name));
/** Whether a message with `whole` gives something else than the same one with `part`; undefined for none. */
async function differs(name: string, whole: unknown, part?: unknown): Promise<boolean> {
  for (const kind of ['message', 'edited_message'])
    for (const bare of BARE) {
      const rest = without(bare, name);
      const [one, other] = [
        { ...rest, [name]: whole },
        part === undefined ? rest : { ...rest, [name]: part },
      ];
      if ((await read(kind, one)) !== (await read(kind, other))) return true;
    }
  return false;
}

test('each field of a message is read, kept, or named as dropped', async () => {
  const wrong: string[] = [];
  for (const { name, types: given } of types['Message']!.fields!) {
    const samples = toSamples(given[0]!, 2);
    const readSamples = [];
    for (const sample of samples) if (await differs(name, sample)) readSamples.push(sample);
    const isRead = readSamples.length > 0;
    if (isRead ? dropped.has(name) && !REFERENCES.has(name) : !dropped.has(name)) wrong.push(name);
    if (REFERENCES.has(name)) continue;
    const getFields = (sample: unknown): Sample =>
      (Array.isArray(sample) ? sample[0] : typeof sample === 'object' ? sample : {}) as Sample;
    for (const inner of new Set(readSamples.flatMap((sample) => Object.keys(getFields(sample))))) {
      let isInnerRead = false;
      for (const sample of readSamples) {
        const part = without(getFields(sample), inner);
        isInnerRead ||= await differs(name, sample, Array.isArray(sample) ? [part] : part);
      }
      const path = `${name}.${inner}`;
      if (!isInnerRead && !dropped.has(inner) && !dropped.has(path)) wrong.push(path);
      if (isInnerRead && dropped.has(path)) wrong.push(path);
    }
  }
  expect(wrong).toEqual([]);
});
