/** The connection to Twilio: messages are sent to its API, everything else arrives by webhook. */
import type { MediaType } from '../contract/capabilities.ts';
import type { Connection, OutboundMessage, ReceivedFile } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError, InvalidAddressError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { toRecipientAddress } from '../contract/recipient.ts';
import { type InboundMessage, type Receipt, type Signal, unprocessed } from '../contract/signal.ts';
import { type ApiAnswer, createApiClient } from '../http-api/client.ts';
import { createDownload } from '../http-api/download.ts';
import { normalizePhoneNumber } from '../http-api/phone-number.ts';
import { classify, toFailure } from './errors.ts';
import { MESSAGE_PARAMETER, type TwilioPart } from './ingress.ts';
import { readCapabilities, readSettings, readToken } from './settings.ts';

const TITLE = 'Twilio';
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 67_108_864;
const DOWNLOAD_MS = 120_000;

const STATUSES: Partial<Record<string, Receipt['status']>> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};
/** The message is still on its way, which changes nothing. */
const IN_TRANSIT = new Set(['accepted', 'scheduled', 'queued', 'sending', 'receiving', 'received']);

const toType = (mimeType: string): MediaType => {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
};

function toReceipt(part: Extract<TwilioPart, { kind: 'status' }>): Signal[] {
  const status = Object.hasOwn(STATUSES, part.status) && STATUSES[part.status];
  if (!status) return IN_TRANSIT.has(part.status) ? [] : [unprocessed('unknown_kind', part.status, part)];
  return [
    {
      kind: 'receipt',
      externalId: part.sid,
      clientId: part.message,
      status,
      error: status === 'failed' ? toFailure(part.errorCode) : null,
      at: new Date(part.at),
    },
  ];
}

type MessagePart = Extract<TwilioPart, { kind: 'message' }>;
/** One message for each file. The text belongs to the first. */
function toMessages(part: MessagePart, from: string, files: (ReceivedFile | null)[]): InboundMessage[] {
  const count = Math.max(files.length, 1);
  return Array.from({ length: count }, (_, index) => {
    const file = files[index] ?? null;
    const text = index === 0 && (part.text !== '' || files.length === 0) ? part.text : null;
    return {
      kind: 'message' as const,
      externalId: index === 0 ? part.sid : `${part.sid}/${index + 1}`,
      chat: { kind: 'direct' as const, key: from, address: from, title: null },
      from,
      fromName: null,
      fromMe: false,
      to: part.to,
      type: files.length === 0 ? ('text' as const) : toType(part.media[index]!.type),
      text,
      file: file && { received: file },
      data: null,
      subject: null,
      replyTo: null,
      mentions: [],
      at: new Date(part.at),
    };
  });
}

export async function openConnection(context: DriverContext): Promise<Connection> {
  const { accountSid, from, setsWebhook, apiUrl } = readSettings(context.settings);
  const capabilities = readCapabilities(context.settings);
  const authorization = `Basic ${Buffer.from(`${accountSid}:${readToken(context.credentials)}`).toString('base64')}`;
  const account = `${apiUrl}/2010-04-01/Accounts/${accountSid}`;
  const client = createApiClient(context.egress, {
    title: TITLE,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    classify,
  });
  const download = createDownload(context, TITLE);
  const isService = from.startsWith('MG');
  const closed = new AbortController();
  const whileOpen = (signal: AbortSignal): AbortSignal => {
    if (closed.signal.aborted) throw new DriverError('lost', 'closed', 'The connection is closed.');
    return AbortSignal.any([signal, closed.signal]);
  };
  const call = (
    path: string,
    signal: AbortSignal,
    form?: URLSearchParams,
    isSafe?: boolean,
  ): Promise<ApiAnswer> =>
    client.call({
      method: form ? 'POST' : 'GET',
      url: account + path,
      headers: { authorization, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      body: form?.toString(),
      signal,
      ...(isSafe !== undefined && { isSafe }),
    });
  /** Proves the credentials. @returns the number as Twilio has it; null for services and short codes */
  const findNumber = async (signal: AbortSignal): Promise<{ sid: string; sms_url: string | null } | null> => {
    if (isService) {
      await call('/Messages.json?PageSize=1', signal);
      return null;
    }
    const { json } = await call(
      `/IncomingPhoneNumbers.json?${new URLSearchParams({ PhoneNumber: from }).toString()}`,
      signal,
    );
    const { incoming_phone_numbers: numbers = [] } = (json ?? {}) as {
      incoming_phone_numbers?: { sid: string; sms_url: string | null; phone_number: string }[];
    };
    return numbers.find(({ phone_number: number }) => number === from) ?? null;
  };

  const number = await findNumber(context.signal);
  const { ingressUrl } = context;
  if (ingressUrl !== null && setsWebhook && number && number.sms_url !== ingressUrl)
    await call(
      `/IncomingPhoneNumbers/${encodeURIComponent(number.sid)}.json`,
      context.signal,
      new URLSearchParams({ SmsUrl: ingressUrl, SmsMethod: 'POST' }),
      true,
    );

  const toForm = ({ chat, content, clientId }: OutboundMessage): URLSearchParams => {
    const form = new URLSearchParams({
      To: chat.address,
      [isService ? 'MessagingServiceSid' : 'From']: from,
    });
    if (content.text !== null) form.set('Body', content.text);
    if (content.file) form.set('MediaUrl', content.file.url);
    // With Fairlead's ID, so that a status is understood even if the response with Twilio's ID was lost.
    if (ingressUrl !== null)
      form.set(
        'StatusCallback',
        `${ingressUrl}?${new URLSearchParams({ [MESSAGE_PARAMETER]: clientId }).toString()}`,
      );
    return form;
  };

  /** Twilio's media URLs need the credentials and redirect to a file that doesn't. */
  async function receiveFile({ url, type }: { url: string; type: string }, signal: AbortSignal) {
    const isOwn = new URL(url).origin === new URL(apiUrl).origin;
    const headers = isOwn ? { authorization } : undefined;
    const { status, headers: given } = await context.egress
      .request({
        url,
        method: 'GET',
        headers: headers ?? {},
        timeoutMs: TIMEOUT_MS,
        maxAnswerBytes: 0,
        statusDecides: true,
        signal,
      })
      .catch((error: unknown) => {
        throw new DriverError('lost', 'media_unreachable', 'A file of a message is not reachable.', {
          cause: error,
        });
      });
    const target = status >= 300 && status < 400 ? String(given['location'] ?? '') : '';
    const isRedirected = URL.canParse(target, url);
    const source = isRedirected ? { url: new URL(target, url).href } : { url, headers };
    const about = { fileName: null, mimeType: type === '' ? null : type };
    try {
      return await download({ ...source, about, maxBytes: MAX_FILE_BYTES, timeoutMs: DOWNLOAD_MS, signal });
    } catch (error) {
      // The message is received without it.
      if (!(error instanceof DriverError) || error.kind !== 'rejected') throw error;
      context.log.warn({ code: error.code }, 'twilio: a file could not be downloaded');
      return null;
    }
  }

  async function toSignals(part: TwilioPart, signal: AbortSignal): Promise<Signal[]> {
    if (part.kind === 'status') return toReceipt(part);
    let sender: string;
    try {
      sender = normalizePhoneNumber(part.from);
    } catch (error) {
      if (!(error instanceof InvalidAddressError)) throw error;
      return [unprocessed('no_sender', null, part)];
    }
    const media = part.media.filter(({ url }) => URL.canParse(url));
    const files: (ReceivedFile | null)[] = [];
    for (const one of media) files.push(await receiveFile(one, signal));
    const messages = toMessages({ ...part, media }, sender, files);
    return media.length === part.media.length
      ? messages
      : [...messages, unprocessed('malformed', 'media', part)];
  }

  return {
    address: isService ? null : from,
    async send(message, signal) {
      assertWithinLimits(capabilities, message);
      const { json } = await call('/Messages.json', whileOpen(signal), toForm(message));
      const { sid, to } = (json ?? {}) as { sid?: unknown; to?: unknown };
      if (typeof sid !== 'string' || sid.length > 100)
        throw new DriverError('unknown', 'invalid_answer', 'Twilio did not return the ID of the message.');
      return {
        externalId: sid,
        status: 'sent',
        at: new Date(),
        ...toRecipientAddress(message.chat, to, normalizePhoneNumber),
      };
    },
    async receive(parts, signal) {
      for (const { body } of parts)
        await context.emit(await toSignals(body as unknown as TwilioPart, whileOpen(signal)));
    },
    async probe(signal) {
      await findNumber(whileOpen(signal));
    },
    close: async () => closed.abort(),
  };
}
