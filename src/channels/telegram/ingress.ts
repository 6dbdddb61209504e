/** Webhook requests of Telegram: one update each, authenticated by the secret that was registered with the URL. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from '@grammyjs/types';
import { tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import type { ChannelIngress, IngressOutcome } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { getWebhookSecret, readToken } from './settings.ts';
import { integer, object } from './untrusted.ts';

const MAX_BYTES = 2_000_000;

const sha256 = (value: string): Buffer => createHash('sha256').update(value).digest();
const isSame = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));

const refuse = (code: 'signature_invalid' | 'invalid_request', detail: string): IngressOutcome => ({
  kind: 'refused',
  code,
  detail,
});

export const telegramIngress: ChannelIngress = {
  maxBytes: MAX_BYTES,
  receive({ method, headers, body }, { credentials }) {
    const secret = headers['x-telegram-bot-api-secret-token'] ?? '';
    if (!isSame(secret, getWebhookSecret(readToken(credentials))))
      return refuse('signature_invalid', 'The secret token is missing or wrong.');
    const update = (method === 'POST' ? tryParseForeignJson(body) : undefined) as Json | undefined;
    const id = integer(object<Update>(update)?.update_id);
    if (update === undefined || id === null) return refuse('invalid_request', 'The body is not an update.');
    return { kind: 'accepted', parts: [{ accountKey: null, id: String(id), body: update }] };
  },
};
