/** The connection to a bridge: actions are posted to it, its signals arrive by the ingress. */
import { toTypeId } from '../../platform/http/ids.ts';
import { INSTANCE_PREFIX } from '../contract/id-prefixes.ts';
import { can } from '../contract/capabilities.ts';
import type { ChatRef, Connection, MessageRef, OutboundMessage } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { toRecipientAddress } from '../contract/recipient.ts';
import { reviveSignal } from '../contract/revive-signal.ts';
import { createPostAction, Done, Pong, Sent } from './actions.ts';
import { normalizeAddress } from './address.ts';
import { readCapabilities, readKey, readOwnAddress, readUrl } from './settings.ts';

const toChat = ({ kind, key, address, title }: ChatRef) => ({ kind, key, address, title: title ?? null });
const toRef = ({ clientId, externalId, fromMe, author }: MessageRef) => ({
  external_id: externalId,
  client_id: clientId,
  from_me: fromMe,
  author,
});

const toSend = (message: OutboundMessage): { action: string; [name: string]: Json } => {
  const { file, text, data } = message.content;
  return {
    action: 'send',
    client_id: message.clientId,
    attempt: message.attempt,
    chat: toChat(message.chat),
    type: message.type,
    text,
    file: file && { url: file.url, mime_type: file.mimeType, size: file.size, file_name: file.fileName },
    data,
    subject: message.subject,
    thread_id: message.threadId,
    reply_to: message.replyTo && toRef(message.replyTo),
    mentions: [...message.mentions],
  };
};

/** A bridge that rejects a ping rejects the account. */
const toOpenError = (error: unknown): unknown =>
  error instanceof DriverError && error.kind === 'rejected'
    ? new DriverError('refused', error.code, error.message)
    : error;

export async function openConnection(context: DriverContext): Promise<Connection> {
  const { settings, ingressUrl } = context;
  const capabilities = readCapabilities(settings);
  const post = createPostAction(context.egress, {
    url: readUrl(settings),
    key: readKey(context.credentials),
    instance: toTypeId(INSTANCE_PREFIX, context.instanceId),
  });
  const closed = new AbortController();
  const whileOpen = (signal: AbortSignal): AbortSignal => {
    if (closed.signal.aborted) throw new DriverError('lost', 'closed', 'The connection is closed.');
    return AbortSignal.any([signal, closed.signal]);
  };
  // The bridge learns here where to post its signals; while an account is only checked, it doesn't.
  const ping = (signal: AbortSignal) =>
    post({ action: 'ping', ingress_url: ingressUrl }, Pong, { signal, isSafe: true }).catch(
      (error: unknown) => {
        throw toOpenError(error);
      },
    );
  const act = async (action: { action: string; [name: string]: Json }, signal: AbortSignal): Promise<void> =>
    void (await post(action, Done, { signal: whileOpen(signal) }));

  const { address, profile_name } = await ping(context.signal);
  return {
    address: address ? normalizeAddress(address) : readOwnAddress(settings),
    profileName: profile_name ?? null,
    async send(message, signal) {
      assertWithinLimits(capabilities, message);
      const sent = await post(toSend(message), Sent, { signal: whileOpen(signal), id: message.clientId });
      return {
        externalId: sent.external_id ?? null,
        status: sent.status ?? 'sent',
        at: sent.at === undefined ? new Date() : new Date(sent.at),
        ...toRecipientAddress(message.chat, sent.address, normalizeAddress),
      };
    },
    ...(can(capabilities, 'edit') && {
      edit: (chat, message, text, signal) =>
        act({ action: 'edit', chat: toChat(chat), message: toRef(message), text }, signal),
    }),
    ...(can(capabilities, 'revoke') && {
      revoke: (chat, message, signal) =>
        act({ action: 'revoke', chat: toChat(chat), message: toRef(message) }, signal),
    }),
    ...(can(capabilities, 'react') && {
      react: (chat, message, emoji, signal) =>
        act({ action: 'react', chat: toChat(chat), message: toRef(message), emoji }, signal),
    }),
    ...(can(capabilities, 'read') && {
      markRead: (chat, message, signal) =>
        act({ action: 'read', chat: toChat(chat), message: toRef(message) }, signal),
    }),
    ...(can(capabilities, 'typing') && {
      setTyping: (chat, isTyping, signal) =>
        act({ action: 'typing', chat: toChat(chat), is_typing: isTyping }, signal),
    }),
    async receive(parts, signal) {
      signal.throwIfAborted();
      await context.emit(parts.map(({ body }) => reviveSignal(body)));
    },
    async probe(signal) {
      await ping(whileOpen(signal));
    },
    close: async () => closed.abort(),
  } satisfies Connection;
}
