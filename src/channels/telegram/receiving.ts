/** Receives updates: by requesting them, or from a webhook. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Update, WebhookInfo } from '@grammyjs/types';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import type { Signal } from '../contract/signal.ts';
import { type PollLoop, startPollLoop } from '../http-api/poll-loop.ts';
import type { BotApi } from './bot-api.ts';
import { ALLOWED_UPDATES } from './update.ts';
import type { Position } from './position.ts';
import type { TelegramSettings } from './settings.ts';
import { integer, list, object, text } from './untrusted.ts';

export interface ReceivingDeps {
  api: BotApi;
  context: DriverContext;
  position: Position;
  toSignals(update: unknown, signal: AbortSignal): Promise<Signal[]>;
}

export interface Receiving {
  /** @throws DriverError if the bot does not receive */
  probe(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Seconds that Telegram holds a request for updates. */
const POLL_SECONDS = 50;
const POLL_TIMEOUT_MS = 65_000;
const MAX_UPDATES = 100;
/** An empty response within this time is followed by a wait, so that a server that never holds requests is not flooded. */
const MIN_POLL_MS = 1_000;
/** A request that succeeded within this time proves that the bot receives. */
const RECENT_MS = POLL_TIMEOUT_MS + 15_000;
/** Signals are stored at least this often, so that messages do not wait for the files of later ones. */
const EMIT_MS = 500;
const WEBHOOK_FAILING_SECONDS = 600;

const notReceiving = (detail: string): DriverError =>
  new DriverError('lost', 'not_receiving', `Telegram: ${detail}`);

/** Stores the signals of updates, in order. @param confirm called with those that are stored */
async function emitUpdates(
  { context, position, toSignals }: ReceivingDeps,
  updates: readonly unknown[],
  signal: AbortSignal,
  getOffset: (stored: readonly unknown[]) => number | null,
): Promise<void> {
  let signals: Signal[] = [];
  let since = performance.now();
  for (const [nth, update] of updates.entries()) {
    signals.push(...(await toSignals(update, signal)));
    const isLast = nth === updates.length - 1;
    if (!isLast && performance.now() - since < EMIT_MS) continue;
    const offset = getOffset(updates.slice(0, nth + 1));
    await context.emit(signals, position.toJson(offset));
    position.offset = offset;
    signals = [];
    since = performance.now();
  }
}

/** Stores updates that Telegram sent to the webhook. They are in order of arrival, so they move no offset. */
export const receiveUpdates = (
  deps: ReceivingDeps,
  updates: readonly unknown[],
  signal: AbortSignal,
): Promise<void> => emitUpdates(deps, updates, signal, () => deps.position.offset);

const getNextOffset = (updates: readonly unknown[]): number | null => {
  const ids = updates.flatMap((update) => integer(object<Update>(update)?.update_id) ?? []);
  return ids.length ? Math.max(...ids) + 1 : null;
};

/**
 * Starts to request updates. Each request confirms the updates of the one before, which are stored by then. A webhook of
 * the bot is removed; its pending updates are kept.
 */
export function startPolling(deps: ReceivingDeps, onEnd: (reason: unknown) => void): Receiving {
  const { api, position } = deps;
  let limit = MAX_UPDATES;
  let loop: PollLoop | null = null;

  const requestUpdates = async (signal: AbortSignal): Promise<readonly unknown[]> => {
    const params = {
      ...(position.offset === null ? {} : { offset: position.offset }),
      limit,
      timeout: POLL_SECONDS,
      allowed_updates: ALLOWED_UPDATES,
    };
    try {
      const updates = await api.call('getUpdates', params, { signal, timeoutMs: POLL_TIMEOUT_MS });
      limit = MAX_UPDATES;
      return list(updates, MAX_UPDATES);
    } catch (error) {
      const code = error instanceof DriverError ? error.code : null;
      if (code === 'webhook_active') {
        await api.call('deleteWebhook', { drop_pending_updates: false }, { signal });
        return [];
      }
      // Fewer updates may fit into a response.
      if (code !== 'invalid_answer' || limit === 1) throw error;
      limit = 1;
      return requestUpdates(signal);
    }
  };

  const fetch = async (signal: AbortSignal): Promise<readonly unknown[]> => {
    const began = performance.now();
    const updates = await requestUpdates(signal);
    if (updates.length > 0 && getNextOffset(updates) === null)
      throw new DriverError('lost', 'invalid_answer', 'Telegram: the response contains no updates.');
    const left = MIN_POLL_MS - (performance.now() - began);
    if (updates.length === 0 && left > 0) await sleep(left, undefined, { signal });
    return updates;
  };

  // A connection that is only checked is closed before this, and requests nothing.
  const starting = setImmediate(() => {
    const handle = (updates: readonly unknown[], signal: AbortSignal): Promise<void> =>
      emitUpdates(deps, updates, signal, getNextOffset);
    loop = startPollLoop({ fetch, handle, onEnd });
  });

  return {
    async probe(signal) {
      if (loop && loop.failures > 0) throw notReceiving('requests for updates fail.');
      const succeededAt = loop?.succeededAt ?? null;
      if (succeededAt === null) await api.call('getMe', {}, { signal });
      else if (performance.now() - succeededAt > RECENT_MS)
        throw notReceiving('requests for updates get no response.');
    },
    async stop() {
      clearImmediate(starting);
      await loop?.stop();
    },
  };
}

/** Returns why Telegram can't reach the webhook, if it failed within the last ten minutes and keeps updates for it. */
function getWebhookFailure(info: Json, now: Date): string | null {
  const given = object<WebhookInfo>(info);
  const failedAt = integer(given?.last_error_date) ?? 0;
  const isRecent = now.getTime() / 1000 - failedAt < WEBHOOK_FAILING_SECONDS;
  if (!isRecent || (integer(given?.pending_update_count) ?? 0) === 0) return null;
  return text(given?.last_error_message, 200) ?? 'no reason given';
}
const getUrl = (info: Json): string => text(object<WebhookInfo>(info)?.url, 2000) ?? '';

/** Returns the URL for a webhook if one is to be used. @throws DriverError refused if it is required and not possible */
export async function getWebhookUrl(
  { receive }: TelegramSettings,
  { ingressUrl, signal }: Pick<DriverContext, 'ingressUrl' | 'signal'>,
  api: BotApi,
): Promise<string | null> {
  if (receive === 'polling' || ingressUrl === null) return null;
  if (!ingressUrl.startsWith('https://')) {
    if (receive === 'automatic') return null;
    throw new DriverError(
      'refused',
      'webhook_unavailable',
      'Telegram sends webhooks only to HTTPS. Set BASE_URL to a public HTTPS address, or choose polling.',
    );
  }
  if (receive === 'webhook') return ingressUrl;
  // If Telegram failed to reach it, the pending updates are requested instead.
  const info = await api.call('getWebhookInfo', {}, { signal });
  const fails = getUrl(info) === ingressUrl && getWebhookFailure(info, new Date()) !== null;
  return fails ? null : ingressUrl;
}

/**
 * Sets the webhook. Pending updates are kept, and sent to it.
 * @param isRequired whether the instance may not fall back to polling
 */
export async function startWebhook(
  { api, context }: ReceivingDeps,
  { url, secret, isRequired }: { url: string; secret: string; isRequired: boolean },
): Promise<Receiving> {
  const params = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES, drop_pending_updates: false };
  await api.call('setWebhook', params, { signal: context.signal });
  return {
    async probe(signal) {
      const info = await api.call('getWebhookInfo', {}, { signal });
      if (getUrl(info) !== url)
        throw new DriverError('lost', 'webhook_replaced', 'Another program changed the webhook of the bot.');
      const failure = getWebhookFailure(info, new Date());
      if (failure === null) return;
      if (!isRequired) throw notReceiving(`it can't reach this server: ${failure}`);
      context.log.warn({ failure }, 'telegram cannot reach the webhook');
    },
    stop: () => Promise.resolve(),
  };
}
