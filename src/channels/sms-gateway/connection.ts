/** The connection to a gateway: one request for each message; callbacks arrive by the ingress. */
import type { Connection, OutboundMessage, SendResult } from '../contract/connection.ts';
import type { DriverContext } from '../contract/driver.ts';
import { DriverError, InvalidAddressError } from '../contract/driver-error.ts';
import { assertWithinLimits } from '../contract/limits.ts';
import { type Signal, unprocessed } from '../contract/signal.ts';
import { createApiClient } from '../http-api/client.ts';
import { classifyStatus } from '../http-api/failures.ts';
import { normalizePhoneNumber } from '../http-api/phone-number.ts';
import { atPointer, fill, readLossless, toForm } from './fields.ts';
import { type GatewayPart, toStatus } from './ingress.ts';
import { type GatewaySettings, readCapabilities, readCredentials, readSettings } from './settings.ts';

const TITLE = 'The SMS gateway';
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const MAX_ID = 100;
const CONTENT_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' };

function toSignal(part: GatewayPart, settings: GatewaySettings): Signal {
  const at = new Date(part.at);
  if (part.kind === 'status') {
    const { id, value } = part;
    const isOurId = !settings.message_id;
    // The settings may have changed since it was received.
    const status = part.status ?? toStatus(settings, value);
    if (status === null) return unprocessed('unknown_kind', value, part);
    const error =
      status === 'failed' ? { code: 'rejected_by_channel', detail: `The gateway reports ${value}.` } : null;
    return {
      kind: 'receipt',
      externalId: isOurId ? null : id,
      clientId: isOurId ? id : null,
      status,
      error,
      at,
    };
  }
  let from: string;
  try {
    from = normalizePhoneNumber(part.from);
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    return unprocessed('no_sender', null, part);
  }
  return {
    kind: 'message',
    externalId: part.id,
    chat: { kind: 'direct', key: from, address: from, title: null },
    from,
    fromName: null,
    fromMe: false,
    to: null,
    type: 'text',
    text: part.text,
    file: null,
    data: null,
    subject: null,
    replyTo: null,
    mentions: [],
    at,
  };
}

export async function openConnection(context: DriverContext): Promise<Connection> {
  const settings = readSettings(context.settings);
  const { authorization, api_key: apiKey, callback_secret: secret } = readCredentials(context.credentials);
  const {
    url,
    method = 'POST',
    format = 'json',
    secret_in: secretIn = 'query',
    secret_name: name = 'secret',
  } = settings;
  const capabilities = readCapabilities(context.settings);
  const client = createApiClient(context.egress, {
    title: TITLE,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    classify: (answer, { isSafe }) => classifyStatus(answer, { isSafe, title: TITLE }),
  });
  const auth = authorization ? { authorization } : undefined;
  const closed = new AbortController();
  const whileOpen = (signal: AbortSignal): AbortSignal => {
    if (closed.signal.aborted) throw new DriverError('lost', 'closed', 'The connection is closed.');
    return AbortSignal.any([signal, closed.signal]);
  };
  const check = async (signal: AbortSignal): Promise<void> => {
    if (settings.check_url)
      await client.call({ method: 'GET', url: settings.check_url, headers: auth, signal });
  };
  const callbackUrl = (): string => {
    const { ingressUrl } = context;
    if (ingressUrl === null) return '';
    return secretIn === 'query'
      ? `${ingressUrl}?${new URLSearchParams({ [name]: secret }).toString()}`
      : ingressUrl;
  };

  async function send(
    { chat, content, clientId }: OutboundMessage,
    signal: AbortSignal,
  ): Promise<SendResult> {
    const fields = fill(settings.fields, {
      to: chat.address,
      from: settings.from,
      text: content.text ?? '',
      id: clientId,
      callback_url: callbackUrl(),
      api_key: apiKey ?? '',
    });
    const target = new URL(url);
    if (format === 'query') for (const [key, value] of toForm(fields)) target.searchParams.append(key, value);
    const body = format === 'json' ? JSON.stringify(fields) : toForm(fields).toString();
    const { body: answer } = await client.call({
      method,
      url: target.href,
      headers: {
        ...settings.headers,
        ...auth,
        ...(format !== 'query' && { 'content-type': CONTENT_TYPES[format] }),
      },
      ...(format !== 'query' && { body }),
      signal,
      isSafe: false,
    });
    if (!settings.message_id) return { externalId: null, status: 'sent', at: new Date() };
    const externalId = atPointer(readLossless(answer), settings.message_id);
    if (externalId === null || externalId === '' || externalId.length > MAX_ID)
      throw new DriverError(
        'unknown',
        'invalid_answer',
        `${TITLE} returned no ID at ${settings.message_id}.`,
      );
    return { externalId, status: 'sent', at: new Date() };
  }

  await check(context.signal);
  return {
    address: normalizePhoneNumber(settings.from),
    async send(message, signal) {
      assertWithinLimits(capabilities, message);
      return send(message, whileOpen(signal));
    },
    async receive(parts, signal) {
      for (const { body } of parts) {
        whileOpen(signal);
        await context.emit([toSignal(body as unknown as GatewayPart, settings)]);
      }
    },
    probe: (signal) => check(whileOpen(signal)),
    close: async () => closed.abort(),
  };
}
