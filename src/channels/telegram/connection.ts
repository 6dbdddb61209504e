/** A connected bot. Its only state is its position and the wait that Telegram requested. */
import type { Sticker, UserFromGetMe } from '@grammyjs/types';
import { LRUCache } from 'lru-cache';
import type { Connection } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { type BotApi, createBotApi } from './bot-api.ts';
import { createReceiveFile } from './files.ts';
import { createFloodControl } from './flood-control.ts';
import { createGroupCalls } from './groups.ts';
import { createInbound } from './inbound.ts';
import { readUser } from './people.ts';
import { createPosition } from './position.ts';
import {
  getWebhookUrl,
  type Receiving,
  type ReceivingDeps,
  receiveUpdates,
  startPolling,
  startWebhook,
} from './receiving.ts';
import { createCallChat, createMessageCalls } from './send.ts';
import { getBotId, getWebhookSecret, readSettings, readToken } from './settings.ts';
import { list, object, text } from './untrusted.ts';
import type { InboundDeps } from './update.ts';

/** Number of groups whose title is cached, so that it is not stored with each message. */
const MAX_TITLES = 200;
const MAX_EMOJI = 500;

const closed = (): DriverError => new DriverError('lost', 'closed', 'The connection is closed.');

function createNews(): (key: string, title: string | null) => boolean {
  const titles = new LRUCache<string, string>({ max: MAX_TITLES });
  return (key, title) => {
    if (titles.get(key) === (title ?? '')) return false;
    titles.set(key, title ?? '');
    return true;
  };
}

/** Finds the emoji of custom emoji. Each is asked for once; nothing depends on it. */
function createFindEmoji(api: BotApi, log: DriverContext['log']): InboundDeps['findEmoji'] {
  const found = new LRUCache<string, { emoji: string | null }>({ max: MAX_EMOJI });
  return async (id, signal) => {
    const known = found.get(id);
    if (known) return known.emoji;
    try {
      const [sticker] = list(
        await api.call('getCustomEmojiStickers', { custom_emoji_ids: [id] }, { signal }),
        1,
      );
      const emoji = text(object<Sticker>(sticker)?.emoji, 32);
      found.set(id, { emoji });
      return emoji;
    } catch (error) {
      if (!(error instanceof DriverError) || signal.aborted) throw error;
      log.debug({ code: error.code }, 'telegram: a custom emoji was not found');
      return null;
    }
  };
}

/** @throws DriverError */
export async function openConnection(context: DriverContext): Promise<Connection> {
  const settings = readSettings(context.settings);
  const token = readToken(context.credentials);
  const api = createBotApi(context.egress, { apiRoot: settings.apiRoot, token });
  const me = await api.call('getMe', {}, { signal: context.signal });
  const user = readUser(me);
  if (user?.address !== getBotId(token))
    throw new DriverError('lost', 'invalid_answer', 'Telegram: the response is not the bot of the token.');
  const bot = { id: user.id, username: text(object<UserFromGetMe>(me)?.username, 64) };
  const position = createPosition(context.position);
  const receiveFile = createReceiveFile(api, context, settings);
  const over = new AbortController();

  const toSignals = createInbound({
    bot,
    position,
    isNews: createNews(),
    receive: receiveFile,
    findEmoji: createFindEmoji(api, context.log),
    // Ends the progress bar of the button. Nothing depends on it.
    onCallback(id) {
      const options = { signal: over.signal };
      api.call('answerCallbackQuery', { callback_query_id: id }, options).catch((error: DriverError) => {
        context.log.debug({ code: error.code }, 'telegram: a callback query was not answered');
      });
    },
    now: () => new Date(),
  });
  const deps: ReceivingDeps = { api, context, position, toSignals };

  let isOver = false;
  const end = (reason: unknown): void => {
    if (isOver) return;
    isOver = true;
    over.abort();
    const error = reason instanceof DriverError ? reason : null;
    if (!error) context.log.warn({ err: reason }, 'telegram: an update could not be processed');
    const isLost = error !== null && error.kind !== 'refused' && error.kind !== 'lost';
    context.ended(
      error && !isLost
        ? error
        : new DriverError(
            'lost',
            error?.code ?? 'internal',
            error?.message ?? 'An update could not be processed.',
          ),
    );
  };
  const url = await getWebhookUrl(settings, context, api);
  const receiving: Receiving = url
    ? await startWebhook(deps, {
        url,
        secret: getWebhookSecret(token),
        isRequired: settings.receive === 'webhook',
      })
    : startPolling(deps, end);

  const flood = createFloodControl();
  const callChat = createCallChat({ context, position, flood });
  /** Makes no calls once the connection is over, and ends it if the token was revoked. */
  const guarded: typeof callChat = async (key, call) => {
    if (isOver) throw closed();
    try {
      return await callChat(key, call);
    } catch (error) {
      if (error instanceof DriverError && error.kind === 'refused') end(error);
      throw error;
    }
  };

  return {
    address: user.address,
    profileName: user.name,
    ...createMessageCalls(api, guarded),
    groups: createGroupCalls({ api, callChat: guarded, receive: receiveFile }),
    receive: (parts, signal) =>
      receiveUpdates(
        deps,
        parts.map(({ body }) => body),
        signal,
      ),
    async probe(signal) {
      if (isOver) throw closed();
      await receiving.probe(signal);
    },
    async logout(signal) {
      if (url) await api.call('deleteWebhook', { drop_pending_updates: false }, { signal });
    },
    async close() {
      isOver = true;
      over.abort();
      await receiving.stop();
    },
  };
}
