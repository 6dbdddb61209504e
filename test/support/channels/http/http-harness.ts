/** The channel http for the conformance suite: a bridge of the docs, and people behind it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { httpDriver } from '../../../../src/channels/http/http.driver.ts';
import type { Json } from '../../../../src/channels/contract/json.ts';
import { generateSecret } from '../../../../src/core/webhooks/delivery/webhook-secret.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { publicId } from '../../../../src/core/vocabulary/ids.ts';
import type { Harness, Peer, PeerMessage, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import { sha256 } from '../../../conformance/suite/samples.ts';
import { allowing } from '../../egress.ts';
import { PATIENCE } from '../../patience.ts';
import { startFileServer } from '../file-server.ts';
import { startStoredIngress } from '../stored-ingress.ts';
import { type Bridge, type BridgeLanguage, LANGUAGES, startBridge } from './bridges.ts';

const FILE = { max_text: 1024, max_bytes: 10_000_000, mime_types: null };
const SETTINGS = {
  types: {
    text: { max_text: 4096 },
    image: { ...FILE, mime_types: ['image/*'] },
    video: FILE,
    audio: FILE,
    voice: FILE,
    document: FILE,
    sticker: FILE,
    location: {},
    contacts: {},
  },
  operations: [
    'edit',
    'revoke',
    'react',
    'reply',
    'thread_ids',
    'mention',
    'read',
    'typing',
    'delivery_receipts',
    'read_receipts',
    'own_copies',
  ],
  resend: 'deduplicated',
};

interface Action {
  action: string;
  client_id?: string;
  chat: { address: string };
  message?: { external_id: string | null; client_id: string | null };
  type: 'text';
  text: string;
  file: { url: string } | null;
  data: Json;
  thread_id: string | null;
  reply_to: { external_id: string | null } | null;
  mentions: string[];
  emoji: string | null;
  is_typing: boolean;
  answer: { external_id?: string };
}

async function toSight(given: Action): Promise<Sight> {
  const externalId = given.message?.external_id ?? '';
  switch (given.action) {
    case 'send': {
      const { type, text, data, mentions } = given;
      const file = given.file && (await (await fetch(given.file.url)).arrayBuffer());
      return {
        kind: 'message',
        externalId: given.answer.external_id!,
        type,
        text,
        data,
        file: file && sha256(Buffer.from(file)),
        threadId: given.thread_id,
        replyTo: given.reply_to?.external_id ?? null,
        mentions,
      };
    }
    case 'edit':
      return { kind: 'edited', externalId, text: given.text };
    case 'revoke':
      return { kind: 'revoked', externalId };
    case 'react':
      return { kind: 'reacted', externalId, emoji: given.emoji };
    case 'read':
      return { kind: 'receipt', externalId, status: 'read' };
    case 'typing':
      return { kind: 'typing', isTyping: given.is_typing };
    default:
      throw new Error(`no such action: ${given.action}`);
  }
}

export async function startHttpHarness(
  language: BridgeLanguage,
): Promise<Harness & { stop(): Promise<void> }> {
  const secret = generateSecret();
  let bridge: Bridge = await startBridge(language, secret);
  const { port, url } = bridge;
  const files = await startFileServer();
  const ingress = await startStoredIngress(httpDriver);
  const egress = createEgress({ allow: allowing('127.0.0.1'), limits: { keepAliveMs: 10 } });
  const workspaceId = randomUUID();
  const makeAccount = async (settings: object = {}): Promise<TestAccount> => {
    const address = `support-${randomBytes(5).toString('hex')}`;
    return {
      workspaceId,
      instanceId: randomUUID(),
      name: address,
      settings: { url, address, ...SETTINGS, ...settings } as Json,
      credentials: { secret },
      address,
    };
  };
  const say = (to: TestAccount, signal: object): Promise<void> =>
    bridge.say(publicId('instance', to.instanceId), [signal]);
  const toMessage = ({ type, text, file, data, replyTo, mentions, threadId }: PeerMessage) => ({
    signal: 'message',
    external_id: randomUUID(),
    type,
    text,
    file: file && {
      url: files.serve(() => Readable.from([file.bytes]), file.mimeType),
      file_name: file.fileName,
    },
    data,
    reply_to: replyTo,
    thread_id: threadId ?? null,
    mentions: [...(mentions ?? [])],
    at: new Date().toISOString(),
  });

  const makePeer = async (): Promise<Peer> => {
    const address = `guest ${randomBytes(5).toString('hex')}`;
    return {
      address,
      chat: { kind: 'direct', key: address, address },
      async seen() {
        const actions = (await bridge.actions()) as unknown as Action[];
        return Promise.all(actions.filter(({ chat }) => chat.address === address).map(toSight));
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
        const signal = { ...toMessage(message), from: address };
        await say(to, signal);
        return signal.external_id;
      },
      edit: (to, external_id, text) => say(to, { signal: 'edit', external_id, text }),
      revoke: (to, external_id) => say(to, { signal: 'revoke', external_id }),
      react: (to, external_id, emoji) => say(to, { signal: 'reaction', external_id, from: address, emoji }),
      markDelivered: (to, external_id) => say(to, { signal: 'receipt', external_id, status: 'delivered' }),
      markRead: (to, external_id) => say(to, { signal: 'receipt', external_id, status: 'read' }),
      setTyping: (to) => say(to, { signal: 'typing', from: address, is_typing: true }),
    };
  };

  return {
    driver: {
      ...httpDriver,
      resend: 'deduplicated',
      capabilities: () => httpDriver.capabilities(SETTINGS),
      async open(context) {
        const connection = await ingress.open(context);
        return {
          ...connection,
          send: (message, signal) => connection.send(files.withFileUrl(message), signal),
        };
      },
    },
    egress,
    makeAccount: () => makeAccount(),
    makePeer,
    refused: (account) => ({ ...account, credentials: { secret: generateSecret() } }),
    keptConnection: null,
    makeSlowAccount: () => makeAccount({ url: files.silentUrl }),
    unknownAddress: 'nobody',
    server: {
      stop: async () => bridge[Symbol.asyncDispose](),
      async start() {
        bridge = await startBridge(language, secret, port);
      },
    },
    versions: async () => ({
      [`its example bridge on ${LANGUAGES[language].title}`]: LANGUAGES[language].version,
    }),
    writeElsewhere: (account, peer, text) =>
      say(account, {
        ...toMessage({ type: 'text', text, file: null, data: null, replyTo: null }),
        chat: { address: peer.address },
        from: account.address,
        from_me: true,
      }),
    sameAddresses: [
      ['guest', ' guest '],
      ['Zo\u00eb', 'Zoe\u0308'],
    ],
    badAddresses: ['a\nb', 'x'.repeat(256), '\u0000', '\ud800'],
    patience: PATIENCE.timeout,
    async stop() {
      await egress.close();
      await bridge[Symbol.asyncDispose]();
      await ingress[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}
