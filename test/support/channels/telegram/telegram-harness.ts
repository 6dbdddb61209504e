/** Telegram for the conformance suite: an emulator of the Bot API, and people who write to its bots. */
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { telegramDriver } from '../../../../src/channels/telegram/telegram.driver.ts';
import type { MessageType } from '../../../../src/channels/contract/capabilities.ts';
import type { Json } from '../../../../src/channels/contract/json.ts';
import type { Harness, Peer, PeerMessage, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import { allowing } from '../../egress.ts';
import { startFileServer } from '../file-server.ts';
import { newUuid } from '../../../../src/platform/http/ids.ts';
import { type BotApiServer, type BotCall, startBotApiServer, type TestBot } from './bot-api-server.ts';

/** How long Telegram shows that a bot types. */
const TYPING_MS = 5_000;
const INVISIBLE = /^\u2063+/;

const FILE_METHODS: Record<string, MessageType> = {
  sendPhoto: 'image',
  sendVideo: 'video',
  sendAudio: 'audio',
  sendVoice: 'voice',
  sendDocument: 'document',
  sendSticker: 'sticker',
};

interface Entity {
  type: string;
  user?: { id: number };
}

/** The content of a message as a person sees it. */
function readSent({
  method,
  params,
}: BotCall): { type: MessageType; text: string | null; data: Json } | null {
  const fileType = FILE_METHODS[method];
  if (fileType)
    return { type: fileType, text: (params['caption'] as string | undefined) ?? null, data: null };
  switch (method) {
    case 'sendMessage': {
      const text = (params['text'] as string).replace(INVISIBLE, '');
      const markup = params['reply_markup'] as
        | { inline_keyboard: { text: string; callback_data: string }[][] }
        | undefined;
      if (!markup) return { type: 'text', text, data: null };
      const choices = markup.inline_keyboard
        .flat()
        .map((one) => ({ id: one.callback_data, title: one.text }));
      return { type: 'interactive', text, data: { body: text, choices, header: null, footer: null } };
    }
    case 'sendVenue':
    case 'sendLocation': {
      const { latitude, longitude, title = null, address = null } = params as Record<string, Json>;
      const isPoint = address === `${latitude as number}, ${longitude as number}`;
      const data = { latitude, longitude, name: title, address: isPoint ? null : address } as Json;
      return { type: 'location', text: null, data };
    }
    case 'sendContact': {
      const { first_name: name, phone_number: phone } = params as Record<string, Json>;
      return {
        type: 'contacts',
        text: null,
        data: [{ name: name!, phones: [phone!], emails: null, organization: null }],
      };
    }
    case 'sendPoll': {
      const options = (params['options'] as { text: string }[]).map(({ text }) => text);
      const multiple = params['allows_multiple_answers'] === true;
      return {
        type: 'poll',
        text: null,
        data: { question: params['question'] as string, options, multiple },
      };
    }
    default:
      return null;
  }
}

function getSights(call: BotCall, chat: number): Sight[] {
  const { params, messageId, file, at } = call;
  const externalId = `${chat}/${messageId ?? String(params['message_id'])}`;
  const sent = readSent(call);
  if (sent) {
    const reply = params['reply_parameters'] as { message_id: number } | undefined;
    const entities = (params['entities'] ?? []) as Entity[];
    const mentions = entities.flatMap(({ user }) => (user ? [String(user.id)] : []));
    return [
      {
        kind: 'message',
        externalId,
        ...sent,
        file,
        threadId: 'message_thread_id' in params ? String(params['message_thread_id']) : null,
        replyTo: reply ? `${chat}/${reply.message_id}` : null,
        mentions,
      },
    ];
  }
  switch (call.method) {
    case 'editMessageText':
      return [{ kind: 'edited', externalId, text: params['text'] as string }];
    case 'deleteMessage':
      return [{ kind: 'revoked', externalId }];
    case 'setMessageReaction': {
      const [reaction] = params['reaction'] as { emoji: string }[];
      return [{ kind: 'reacted', externalId, emoji: reaction?.emoji ?? null }];
    }
    case 'pinChatMessage':
    case 'unpinChatMessage':
      return [{ kind: 'pinned', externalId, isPinned: call.method === 'pinChatMessage' }];
    case 'sendChatAction':
      return [
        { kind: 'typing', isTyping: true },
        ...(Date.now() - at > TYPING_MS ? [{ kind: 'typing' as const, isTyping: false }] : []),
      ];
    default:
      return [];
  }
}

const INBOUND_FILES: Partial<Record<MessageType, string>> = {
  image: 'photo',
  video: 'video',
  audio: 'audio',
  voice: 'voice',
  document: 'document',
  sticker: 'sticker',
};

/** Fields of a message as Telegram tells them. */
function writeMessage(
  { type, text, file, data }: PeerMessage,
  server: BotApiServer,
): Record<string, unknown> {
  const field = INBOUND_FILES[type];
  if (field && file) {
    const one = { file_id: server.addFile(file.bytes), file_size: file.bytes.length, width: 10, height: 10 };
    const small = { ...one, file_id: 'small', width: 1 };
    return { [field]: field === 'photo' ? [small, one] : one, ...(text === null ? {} : { caption: text }) };
  }
  const given = data as never as Record<string, never>;
  switch (type) {
    case 'location': {
      const { latitude, longitude, name, address } = given as unknown as Record<string, unknown>;
      const location = { latitude, longitude };
      return {
        location,
        venue: { location, title: name, address: address ?? `${latitude as number}, ${longitude as number}` },
      };
    }
    case 'contacts': {
      const [card] = data as unknown as { name: string; phones: string[] }[];
      return { contact: { phone_number: card!.phones[0]!.slice(1), first_name: card!.name } };
    }
    case 'poll': {
      const { question, options, multiple } = given as unknown as {
        question: string;
        options: string[];
        multiple: boolean;
      };
      return {
        poll: { question, options: options.map((one) => ({ text: one })), allows_multiple_answers: multiple },
      };
    }
    default:
      return { text };
  }
}

export async function startTelegramHarness(): Promise<
  Harness & { stop(): Promise<void>; server: BotApiServer }
> {
  const server = await startBotApiServer();
  const files = await startFileServer();
  const egress = createEgress({ allow: allowing('127.0.0.1') });
  const bots = new Map<string, TestBot>();
  const getBot = ({ address }: TestAccount): TestBot => bots.get(address)!;
  let nextPeer = 500;

  const makeAccount = (url: string): TestAccount => {
    const bot = server.addBot();
    bots.set(String(bot.id), bot);
    return {
      workspaceId: newUuid(),
      instanceId: newUuid(),
      name: `bot-${bot.id}`,
      settings: { api_root: url },
      credentials: { token: bot.token },
      address: String(bot.id),
    };
  };

  const makePeer = async (): Promise<Peer> => {
    const id = (nextPeer += 1);
    const person = { id, is_bot: false, first_name: `Person ${id}` };
    const chat = { id, type: 'private', first_name: person.first_name };
    const now = (): number => Math.floor(Date.now() / 1000);
    const address = String(id);
    const number = (externalId: string): number => Number(externalId.split('/')[1]);
    return {
      address,
      chat: { kind: 'direct', key: address, address },
      async seen() {
        const calls = [...bots.values()].flatMap((bot) =>
          bot.calls.filter(({ params }) => params['chat_id'] === id),
        );
        return calls.flatMap((call) => getSights(call, id));
      },
      sends: [
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
      ],
      async send(to, message) {
        const bot = getBot(to);
        const messageId = bot.nextMessage(id);
        const replied =
          message.replyTo === null ? {} : { reply_to_message: { message_id: number(message.replyTo), chat } };
        const about = { message_id: messageId, from: person, chat, date: now() };
        const topic = message.threadId && {
          is_topic_message: true,
          message_thread_id: Number(message.threadId),
        };
        bot.push({ message: { ...about, ...writeMessage(message, server), ...replied, ...topic } });
        return `${id}/${messageId}`;
      },
      async edit(to, externalId, text) {
        const edited = {
          message_id: number(externalId),
          from: person,
          chat,
          date: now(),
          edit_date: now(),
          text,
        };
        getBot(to).push({ edited_message: edited });
      },
      async react(to, externalId, emoji) {
        const about = { chat, message_id: number(externalId), user: person, date: now(), old_reaction: [] };
        getBot(to).push({ message_reaction: { ...about, new_reaction: [{ type: 'emoji', emoji }] } });
      },
      async pin(to, externalId) {
        const bot = getBot(to);
        const pinned = { message_id: number(externalId), chat, date: now(), text: 'pinned' };
        const about = { message_id: bot.nextMessage(id), from: person, chat, date: now() };
        bot.push({ message: { ...about, pinned_message: pinned } });
      },
    };
  };

  return {
    driver: telegramDriver,
    egress,
    server,
    makeAccount: async () => makeAccount(server.url),
    makeSlowAccount: async () => makeAccount(files.silentUrl),
    keptConnection: null,
    makePeer,
    refused: (account) => ({ ...account, credentials: { token: `${account.address}:${'x'.repeat(35)}` } }),
    shownAs: {},
    sameAddresses: [
      ['123456', ' 123456 '],
      ['tg://user?id=123456', '123456'],
      ['-1001234567890/45', '-1001234567890:45'],
    ],
    badAddresses: [
      '@name',
      '0',
      '-0',
      '01',
      '1.5',
      '123:4',
      '99999999999999999',
      '-100123:0',
      '+4930123456',
      '1e5',
    ],
    patience: 20_000,
    versions: async () => ({
      "an emulator of the Bot API of our own, which checks requests against Telegram's description":
        server.version,
    }),
    async stop() {
      await egress.close();
      await files[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}
