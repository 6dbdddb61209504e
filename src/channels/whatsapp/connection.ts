/**
 * A connection: requests to the Graph API, and the entries of webhooks that were stored. It is open as long as the access
 * token is valid; nothing is held at Meta.
 */
import type { ChatRef, Connection, MessageRef } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { IngressPart } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { readNumber } from './address.ts';
import { createGraph, type Graph } from './api.ts';
import { setBlocked } from './block.ts';
import { toReaction } from './compose.ts';
import { type JsonObject, readText } from './fields.ts';
import { createGroupCalls } from './groups.ts';
import type { WebhookPart } from './ingress.ts';
import { createLastReceived } from './last-received.ts';
import { createMedia } from './media.ts';
import { createToSignals } from './received-files.ts';
import { type SendDeps, sendMessage } from './send.ts';
import { readSettings } from './settings.ts';
import { readPart } from './signals.ts';
import { synchronize } from './synchronize.ts';
import { createTemplates } from './templates.ts';

const NUMBER_FIELDS = 'id,display_phone_number,verified_name,quality_rating';
const SYNCHRONIZE_MS = 3_600_000;

/** Reads the account's own number. @throws DriverError refused if the token is not valid for it */
async function readNumberOf(
  graph: Graph,
  signal: AbortSignal,
): Promise<{ address: string; name: string | null }> {
  const found = await graph.get([graph.phoneNumberId], { fields: NUMBER_FIELDS }, signal);
  const address = readNumber(readText(found['display_phone_number']));
  if (address === null)
    throw new DriverError('refused', 'number_unknown', 'phone_number_id is not the ID of a phone number.');
  return { address, name: readText(found['verified_name']) };
}

/** Returns the ID at WhatsApp. @throws DriverError rejected if the message has no ID at WhatsApp */
function getId({ externalId }: MessageRef): string {
  if (externalId === null)
    throw new DriverError(
      'rejected',
      'message_unknown',
      'WhatsApp did not return an ID for this message, so it cannot be referenced.',
    );
  return externalId;
}

const toReadReceipt = (messageId: string): { [name: string]: Json } => ({
  messaging_product: 'whatsapp',
  status: 'read',
  message_id: messageId,
});

/** Opens a connection. @param proveEveryMs how long a valid token counts as valid */
export async function openConnection(context: DriverContext, proveEveryMs: number): Promise<Connection> {
  const graph = createGraph(context);
  const { listButton } = readSettings(context.settings);
  const media = createMedia(context, graph);
  const templates = createTemplates(graph);
  const own = await readNumberOf(graph, context.signal);
  let [provenAt, synchronizedAt] = [performance.now(), Number.NEGATIVE_INFINITY];
  // Without it, Meta sends webhooks of test messages only. Repeating it changes nothing.
  if (context.ingressUrl !== null)
    await graph.send(
      'POST',
      [graph.businessAccountId, 'subscribed_apps'],
      {},
      { isSafe: true, signal: context.signal },
    );

  const synchronizeNow = (signal: AbortSignal): Promise<void> => {
    synchronizedAt = performance.now();
    return synchronize(context, graph, templates, signal);
  };
  await synchronizeNow(context.signal);

  const closed = new AbortController();
  const assertOpen = (): void => {
    if (closed.signal.aborted) throw new DriverError('lost', 'closed', 'The connection is closed.');
  };
  const within = (signal: AbortSignal): AbortSignal => {
    assertOpen();
    return AbortSignal.any([signal, closed.signal]);
  };
  const toSignals = createToSignals(context, media);
  const lastReceived = createLastReceived();

  async function post(body: Json, isSafe: boolean, signal: AbortSignal): Promise<JsonObject> {
    assertOpen();
    const answer = await graph.send('POST', [graph.phoneNumberId, 'messages'], body, {
      isSafe,
      signal: within(signal),
    });
    provenAt = performance.now();
    return answer;
  }

  const sending: SendDeps = { context, media, templates, listButton, post };

  async function receive(parts: readonly IngressPart[], given: AbortSignal): Promise<void> {
    assertOpen();
    const signal = within(given);
    const now = currentTime();
    const reads = parts.map(({ body }) => readPart(body as unknown as WebhookPart, own.address, now));
    const signals = (await Promise.all(reads.map((read) => toSignals(read, signal)))).flat();
    assertOpen();
    await context.emit(signals);
    lastReceived.note(signals);
    if (reads.some(({ areTemplatesChanged }) => areTemplatesChanged))
      synchronizedAt = Number.NEGATIVE_INFINITY;
  }

  return {
    address: own.address,
    profileName: own.name,
    send: async (message, signal) => sendMessage(sending, message, within(signal)),
    receive,
    async react(chat, message, emoji, signal) {
      await post(toReaction(chat, getId(message), emoji), true, signal);
    },
    async markRead(_chat, message, signal) {
      await post(toReadReceipt(getId(message)), true, signal);
    },
    async setTyping(chat: ChatRef, isTyping, signal) {
      const messageId = lastReceived.get(chat.key);
      // An indicator belongs to a received message, marks it as read, and ends after 25 s or with our next message.
      if (!isTyping || messageId === undefined) return;
      await post({ ...toReadReceipt(messageId), typing_indicator: { type: 'text' } }, true, signal);
    },
    groups: createGroupCalls({
      graph,
      media,
      own: own.address,
      emit: (signals) => context.emit(signals),
      within,
    }),
    contacts: {
      setBlocked: async (address, isBlocked, signal) => setBlocked(graph, address, isBlocked, within(signal)),
    },
    async probe(signal) {
      assertOpen();
      const now = performance.now();
      if (now - synchronizedAt >= SYNCHRONIZE_MS) await synchronizeNow(within(signal));
      else if (now - provenAt >= proveEveryMs) await readNumberOf(graph, within(signal));
      else return;
      provenAt = performance.now();
    },
    async close() {
      closed.abort();
    },
  };
}
