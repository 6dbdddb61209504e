/**
 * A connection: requests to the Graph API, and the entries of webhooks that were stored. It is open as long as the access
 * token is valid; nothing is held at Meta.
 */
import type {
  ChatRef,
  Connection,
  MessageRef,
  OutboundMessage,
  ReceivedFile,
  SendResult,
} from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { IngressPart } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import type { Signal } from '../contract/signal.ts';
import { createFairGate } from '../../platform/limits/fair-gate.ts';
import { currentTime } from '../../platform/time/clock.ts';
import { readNumber, toUser } from './address.ts';
import { createGraph, type Graph } from './api.ts';
import { CAPABILITIES } from './capabilities.ts';
import { toContent, toEnvelope, toReaction } from './compose.ts';
import { readError } from './errors.ts';
import { readObject, readObjects, readText } from './fields.ts';
import { createGroupCalls, readGroups, toGroupSignal } from './groups.ts';
import type { WebhookPart } from './ingress.ts';
import { createMedia } from './media.ts';
import { getReassignable, readPerson } from './person.ts';
import { readSettings } from './settings.ts';
import { type Read, readPart, type ReadMessage } from './signals.ts';
import { createTemplates, type TemplateContent } from './templates.ts';

const NUMBER_FIELDS = 'id,display_phone_number,verified_name,quality_rating';
const SYNCHRONIZE_MS = 3_600_000;
const DOWNLOADS = 4;
/** A file that cannot be downloaded is left out after this; until then its message is read again. */
const DOWNLOAD_WITHIN_MS = 600_000;
/** Chats whose last message is known, for typing indicators. */
const MAX_CHATS = 1000;
const HELD = 'held_for_quality';

const isPassing = (error: unknown): boolean =>
  error instanceof DriverError && error.kind !== 'rejected' && error.kind !== 'refused';

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

/** @param proveEveryMs how long a valid token counts as valid */
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

  await synchronize(context.signal);

  const closed = new AbortController();
  const assertOpen = (): void => {
    if (closed.signal.aborted) throw new DriverError('lost', 'closed', 'The connection is closed.');
  };
  const within = (signal: AbortSignal): AbortSignal => {
    assertOpen();
    return AbortSignal.any([signal, closed.signal]);
  };
  const limitDownloads = createFairGate({ capacity: DOWNLOADS });
  const lastReceived = new Map<string, string>();

  /** Templates change rarely: that they cannot be read now does not end a connection that can send. */
  async function synchronize(signal: AbortSignal): Promise<void> {
    synchronizedAt = performance.now();
    try {
      const all = await templates.synchronize(signal);
      // While a connection is only checked, nothing is stored.
      if (context.ingressUrl !== null) await context.emit([{ kind: 'templates', all }]);
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind === 'refused' || error.kind === 'lost') throw error;
      context.log.warn({ code: error.code }, 'whatsapp: templates not synchronized, trying again in an hour');
    }
    if (context.ingressUrl !== null) await listGroups(signal);
  }

  /** Not every account can have groups. */
  async function listGroups(signal: AbortSignal): Promise<void> {
    try {
      const groups = await readGroups(graph, signal);
      if (groups.length) await context.emit(groups.map(toGroupSignal));
    } catch (error) {
      if (!(error instanceof DriverError) || error.kind === 'lost') throw error;
      context.log.debug({ code: error.code }, 'whatsapp: groups not listed');
    }
  }

  async function post(body: Json, isSafe: boolean, signal: AbortSignal) {
    assertOpen();
    const answer = await graph.send('POST', [graph.phoneNumberId, 'messages'], body, {
      isSafe,
      signal: within(signal),
    });
    provenAt = performance.now();
    return answer;
  }

  async function send(message: OutboundMessage, signal: AbortSignal): Promise<SendResult> {
    assertOpen();
    assertWithinLimits(CAPABILITIES, message);
    const { chat, content, replyTo } = message;
    const filled =
      message.type === 'template'
        ? {
            type: 'template',
            template: await templates.compose(content.data as unknown as TemplateContent, within(signal)),
          }
        : toContent(message, content.file && (await media.upload(content.file, within(signal))), listButton);
    const body = { ...toEnvelope(chat, replyTo), ...filled, biz_opaque_callback_data: message.clientId };
    const answer = await post(body, false, signal);
    const [sent] = readObjects(answer['messages']);
    const externalId = readText(sent?.['id']);
    if (externalId === null)
      throw new DriverError('unknown', 'invalid_answer', 'WhatsApp returned no ID for the message.');
    if (sent!['message_status'] === 'held_for_quality_assessment')
      // The message was accepted, whatever becomes of this: the connection ends if it cannot be stored.
      context.emit([{ kind: 'limit', restriction: { kind: HELD, until: null } }]).catch(() => undefined);
    const [recipient] = readObjects(answer['contacts']);
    const known = chat.kind === 'direct' && recipient ? readPerson(recipient, 'answer') : null;
    // Not always the number that was written to, such as without the ninth digit in Brazil.
    const address = known?.addresses[0];
    return {
      externalId,
      status: 'sent',
      at: currentTime(),
      ...(address === undefined || address === chat.address
        ? {}
        : { address, ...getReassignable([chat.address, ...known!.addresses]) }),
    };
  }

  /** Returns the file of a message; null if it can no longer be had. @throws DriverError if it can be had later */
  async function download(
    { message, media: file }: ReadMessage,
    signal: AbortSignal,
  ): Promise<ReceivedFile | null> {
    if (!file) return null;
    try {
      return await limitDownloads([], () => media.download(file, signal));
    } catch (error) {
      const isLate = currentTime().getTime() - message.at.getTime() > DOWNLOAD_WITHIN_MS;
      if (!(error instanceof DriverError) || error.kind === 'refused' || (isPassing(error) && !isLate))
        throw error;
      context.log.warn({ code: error.code, type: message.type }, 'whatsapp: file left out, download failed');
      return null;
    }
  }

  async function toSignals({ signals, messages }: Read, signal: AbortSignal): Promise<Signal[]> {
    const complete = messages.map(async (one) => {
      const received = await download(one, signal);
      return received ? { ...one.message, file: { received } } : one.message;
    });
    return [...signals, ...(await Promise.all(complete))];
  }

  function noteReceived(signals: readonly Signal[]): void {
    for (const signal of signals) {
      if (signal.kind !== 'message' || signal.fromMe) continue;
      lastReceived.delete(signal.chat.key);
      lastReceived.set(signal.chat.key, signal.externalId);
    }
    for (const [oldest] of lastReceived) {
      if (lastReceived.size <= MAX_CHATS) break;
      lastReceived.delete(oldest);
    }
  }

  async function receive(parts: readonly IngressPart[], given: AbortSignal): Promise<void> {
    assertOpen();
    const signal = within(given);
    const now = currentTime();
    const reads = parts.map(({ body }) => readPart(body as unknown as WebhookPart, own.address, now));
    const signals = (await Promise.all(reads.map((read) => toSignals(read, signal)))).flat();
    assertOpen();
    await context.emit(signals);
    noteReceived(signals);
    if (reads.some(({ areTemplatesChanged }) => areTemplatesChanged))
      synchronizedAt = Number.NEGATIVE_INFINITY;
  }

  /** @throws DriverError rejected if the message has no ID at WhatsApp */
  const getId = ({ externalId }: MessageRef): string => {
    if (externalId === null)
      throw new DriverError(
        'rejected',
        'message_unknown',
        'WhatsApp did not return an ID for this message, so it cannot be referenced.',
      );
    return externalId;
  };

  const toReadReceipt = (messageId: string): { [name: string]: Json } => ({
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: messageId,
  });

  return {
    address: own.address,
    profileName: own.name,
    send,
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
      async setBlocked(address, isBlocked, signal) {
        assertOpen();
        const body = { messaging_product: 'whatsapp', block_users: [toUser(address)] };
        const path = [graph.phoneNumberId, 'block_users'];
        const options = { isSafe: true, signal: within(signal) };
        const answer = await graph.send(isBlocked ? 'POST' : 'DELETE', path, body, options);
        const [failed] = readObjects(readObject(answer['block_users'])?.['failed_users']);
        if (!failed) return;
        const error = readError(readObjects(failed['errors'])[0]);
        throw new DriverError(
          'rejected',
          'block_failed',
          error?.detail ?? 'WhatsApp did not change the block.',
        );
      },
    },
    async probe(signal) {
      assertOpen();
      const now = performance.now();
      if (now - synchronizedAt >= SYNCHRONIZE_MS) await synchronize(within(signal));
      else if (now - provenAt >= proveEveryMs) await readNumberOf(graph, within(signal));
      else return;
      provenAt = performance.now();
    },
    async close() {
      closed.abort();
    },
  };
}
