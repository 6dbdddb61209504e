/**
 * What a scripted contact answers. A pure function of the message, so that a message that is sent again has the same answers
 * under the same ids. docs/sandbox.md lists the words.
 */
import type { OutboundMessage } from '../contract/connection.ts';
import type { InboundChat } from '../contract/signal.ts';
import { nameOfAddress } from './sandbox-address.ts';
import type { Fault } from './sandbox-faults.ts';
import type { StoredMessage, StoredSignal } from './sandbox-signal.ts';

/** After the message. */
export const ANSWER_MS = 800;
/** After the answer. */
const CHANGE_MS = 600;
const MAX_GROUP_WORD = 20;
/** What `many` makes. */
const MANY = 10;

export interface Exchange {
  message: OutboundMessage;
  /** Bytes of its file that came. */
  size: number;
  self: string;
  fault: Fault | null;
  replies: boolean;
  now: Date;
  /** Where it was said in a group: who answers, and what of it was said to that one. */
  inGroup?: { contact: string; chat: InboundChat; text: string };
  /** To a group that the contact was asked to make. */
  invitation?: string;
}

/** Said to a contact, that makes it make a group; null where it does not. */
export function groupWord({ type, content }: OutboundMessage): 'group' | 'invite' | null {
  const text = content.text ?? '';
  // Asked of every message: long ones are not even looked at.
  if (type !== 'text' || text.length > MAX_GROUP_WORD) return null;
  const word = getWord(text);
  return word === 'group' ? word : word === 'invite' || word === 'invite me' ? 'invite' : null;
}

const getWord = (text: string): string => withoutMarks(text.trim().toLowerCase());

const HELP =
  'Words that I know: hi, image, document, location, contacts, poll, react, reply, edit, delete, phone, profile, many, group, invite, quiet. Anything else I repeat.';

/** One step: all of it told together. */
export interface Turn {
  afterMs: number;
  signals: StoredSignal[];
}

export function getScene({ message, self, now, inGroup }: Exchange) {
  const contact = inGroup?.contact ?? message.chat.address;
  const name = nameOfAddress(contact);
  const chat: InboundChat = inGroup?.chat ?? { kind: 'direct', key: contact, address: contact, title: name };
  const at = (ms: number): Date => new Date(now.getTime() + ms);
  // In a group several may answer.
  const whose = inGroup ? `-${contact}` : '';
  const getId = (nth: number): string => `re${nth}-${message.clientId}${whose}`;
  const says = (nth: number, ms: number, content: Partial<StoredMessage>): StoredMessage => ({
    kind: 'message',
    externalId: getId(nth),
    chat,
    from: contact,
    fromName: name,
    fromMe: false,
    to: inGroup ? chat.address : self,
    type: 'text',
    text: null,
    file: null,
    data: null,
    subject: null,
    replyTo: null,
    mentions: [],
    at: at(ms),
    ...content,
  });
  return { contact, name, chat, at, idOf: getId, says };
}

export type Scene = ReturnType<typeof getScene>;

/** What a contact answers to a word. Times count from the answer. */
function answerTo(
  word: string,
  { message, self, inGroup, invitation }: Exchange,
  { contact, name, at, idOf, says }: Scene,
): Turn[] {
  const own = { externalId: message.clientId };
  const one = (content: Partial<StoredMessage>): Turn[] => [
    { afterMs: 0, signals: [says(1, ANSWER_MS, content)] },
  ];
  switch (word) {
    case 'hi':
    case 'hello':
    case 'hey':
      return one({ text: `Hello, I am ${name}. ${HELP}` });
    case 'help':
      return one({ text: HELP });
    case 'image':
      return one({
        type: 'image',
        text: 'A picture for you',
        file: { from: 'script', fileName: 'picture.png', mimeType: 'image/png' },
      });
    case 'document':
      return one({
        type: 'document',
        file: { from: 'script', fileName: 'document.png', mimeType: 'image/png' },
      });
    case 'location':
      return one({
        type: 'location',
        data: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate', address: null },
      });
    case 'contacts':
      return one({
        type: 'contacts',
        data: [{ name: 'Bob', phones: ['+49305550100'], emails: null, organization: null }],
      });
    case 'poll':
      return one({
        type: 'poll',
        data: { question: 'Tea or coffee?', options: ['Tea', 'Coffee'], multiple: false },
      });
    case 'react':
      return [
        {
          afterMs: 0,
          signals: [
            {
              kind: 'reacted',
              ...own,
              clientId: message.clientId,
              author: contact,
              fromMe: false,
              emoji: '👍',
              at: at(ANSWER_MS),
            },
          ],
        },
      ];
    case 'reply':
      return one({ text: 'This is a reply', replyTo: own });
    case 'edit':
      return [
        ...one({ text: 'This will chnage' }),
        {
          afterMs: CHANGE_MS,
          signals: [
            {
              kind: 'edited',
              externalId: idOf(1),
              changeId: `${idOf(1)}-edit`,
              text: 'This was changed',
              at: at(ANSWER_MS + CHANGE_MS),
            },
          ],
        },
      ];
    case 'delete':
      return [
        ...one({ text: 'This will go' }),
        {
          afterMs: CHANGE_MS,
          signals: [{ kind: 'revoked', externalId: idOf(1), at: at(ANSWER_MS + CHANGE_MS) }],
        },
      ];
    case 'phone':
      return one({ text: 'Written on my phone', from: self, fromName: null, fromMe: true, to: contact });
    case 'profile':
      return [
        { afterMs: 0, signals: [{ kind: 'profile', address: contact, name: `${name} (new)` }] },
        ...one({ text: 'I have another name now' }),
      ];
    case 'many':
      return [
        {
          afterMs: 0,
          signals: Array.from({ length: MANY }, (_, nth) =>
            says(nth + 1, ANSWER_MS, { text: `${nth + 1} of ${MANY}` }),
          ),
        },
      ];
    default:
      if (invitation !== undefined)
        return one({
          text: word === 'group' ? 'I have made a group with you in it' : `Join my group: ${invitation}`,
        });
      return one({ ...getEcho(message), ...(inGroup ? { text: inGroup.text } : {}), mentions: [] });
  }
}

function getEcho({ type, content: { text, data } }: OutboundMessage): Partial<StoredMessage> {
  return type === 'text' ? { text } : { type, text, data };
}

/** No pattern: on a long text of such signs it begins anew at each. */
function withoutMarks(text: string): string {
  let end = text.length;
  while (end > 0 && '.!?'.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

export function getResponses(exchange: Exchange, set: Scene): Turn[] {
  const { type, content } = exchange.message;
  if (type === 'reaction') return [];
  if (content.file)
    return [
      {
        afterMs: 0,
        signals: [
          set.says(1, ANSWER_MS, {
            text: `Got your ${type}: ${content.file.fileName ?? 'no name'}, ${exchange.size} bytes`,
          }),
        ],
      },
    ];
  const word = type === 'text' ? getWord(exchange.inGroup?.text ?? content.text ?? '') : '';
  return word === 'quiet' ? [] : answerTo(word, exchange, set);
}
