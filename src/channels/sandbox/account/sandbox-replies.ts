/**
 * Replies of scripted contacts. A pure function of the message: a message that is sent again gets the same replies with
 * the same IDs. docs/sandbox.md lists the commands.
 */
import type { OutboundMessage } from '../../contract/connection.ts';
import type { InboundChat } from '../../contract/signal.ts';
import { toName } from './sandbox-address.ts';
import type { Fault } from './sandbox-faults.ts';
import type { StoredMessage, StoredSignal } from './sandbox-signal.ts';

/** After the message. */
export const ANSWER_MS = 800;
/** After the answer. */
const CHANGE_MS = 600;
const MAX_GROUP_WORD = 20;
/** Number of replies to `many`. */
const MANY = 10;

export interface ScriptedRequest {
  message: OutboundMessage;
  /** Size of its file in bytes. */
  size: number;
  self: string;
  fault: Fault | null;
  replies: boolean;
  now: Date;
  /** In a group: the member that replies, and the part of the text addressed to it. */
  inGroup?: { contact: string; chat: InboundChat; text: string };
  /** Invitation to the group that the message made the contact create. */
  invitation?: string;
}

/** Returns the command if the message makes a contact create a group; otherwise null. */
export function getGroupCommand({ type, content }: OutboundMessage): 'group' | 'invite' | null {
  const text = content.text ?? '';
  // Runs for every message: skip long texts.
  if (type !== 'text' || text.length > MAX_GROUP_WORD) return null;
  const word = getWord(text);
  return word === 'group' ? word : word === 'invite' || word === 'invite me' ? 'invite' : null;
}

const getWord = (text: string): string => trimPunctuation(text.trim().toLowerCase());

const HELP =
  'Words that I know: hi, image, document, location, contacts, poll, react, reply, edit, delete, phone, profile, many, group, invite, quiet. Anything else I repeat.';

/** Signals that are emitted together. */
export interface ReplyStep {
  afterMs: number;
  signals: StoredSignal[];
}

export function buildScene({ message, self, now, inGroup }: ScriptedRequest) {
  const contact = inGroup?.contact ?? message.chat.address;
  const name = toName(contact);
  const chat: InboundChat = inGroup?.chat ?? { kind: 'direct', key: contact, address: contact, title: name };
  const at = (ms: number): Date => new Date(now.getTime() + ms);
  // In a group, several members may reply.
  const whose = inGroup ? `-${contact}` : '';
  const getId = (nth: number): string => `re${nth}-${message.clientId}${whose}`;
  const buildReply = (nth: number, ms: number, content: Partial<StoredMessage>): StoredMessage => ({
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
  return { contact, name, chat, at, toReplyId: getId, buildReply };
}

export type Scene = ReturnType<typeof buildScene>;

/** Returns the replies to a command. Delays count from the first reply. */
function buildReplies(
  word: string,
  { message, self, inGroup, invitation }: ScriptedRequest,
  { contact, name, at, toReplyId, buildReply }: Scene,
): ReplyStep[] {
  const own = { externalId: message.clientId };
  const one = (content: Partial<StoredMessage>): ReplyStep[] => [
    { afterMs: 0, signals: [buildReply(1, ANSWER_MS, content)] },
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
              externalId: toReplyId(1),
              changeId: `${toReplyId(1)}-edit`,
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
          signals: [{ kind: 'revoked', externalId: toReplyId(1), at: at(ANSWER_MS + CHANGE_MS) }],
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
            buildReply(nth + 1, ANSWER_MS, { text: `${nth + 1} of ${MANY}` }),
          ),
        },
      ];
    default:
      if (invitation !== undefined)
        return one({
          text: word === 'group' ? 'I have made a group with you in it' : `Join my group: ${invitation}`,
        });
      if (message.automatic) return [];
      return one({ ...getEcho(message), ...(inGroup ? { text: inGroup.text } : {}), mentions: [] });
  }
}

function getEcho({ type, content: { text, data } }: OutboundMessage): Partial<StoredMessage> {
  return type === 'text' ? { text } : { type, text, data };
}

/** Not a regular expression, which would take quadratic time on long runs of punctuation. */
function trimPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && '.!?'.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

export function getResponses(request: ScriptedRequest, scene: Scene): ReplyStep[] {
  const { type, content } = request.message;
  // A rule that matches the reply to its own message would run forever, so only requests for a reply get one.
  if (type === 'reaction' || (content.file && request.message.automatic)) return [];
  if (content.file)
    return [
      {
        afterMs: 0,
        signals: [
          scene.buildReply(1, ANSWER_MS, {
            text: `Got your ${type}: ${content.file.fileName ?? 'no name'}, ${request.size} bytes`,
          }),
        ],
      },
    ];
  const word = type === 'text' ? getWord(request.inGroup?.text ?? content.text ?? '') : '';
  return word === 'quiet' ? [] : buildReplies(word, request, scene);
}
