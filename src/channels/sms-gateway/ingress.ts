/** Callbacks of a gateway, which prove themselves by a shared secret. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { ChannelIngress, IngressOutcome, IngressRequest } from '../contract/ingress.ts';
import { atPointer, readLossless } from './fields.ts';
import { type GatewaySettings, readCredentials, readSettings } from './settings.ts';

const MAX_BYTES = 256 * 1024;
const MAX_ID = 100;
const MAX_STATUS = 50;

export type GatewayPart =
  | { kind: 'message'; id: string; from: string; text: string; at: string }
  /** `status` is null where no setting names `value`. */
  | { kind: 'status'; id: string; status: GatewayStatus | null; value: string; at: string };
type GatewayStatus = 'sent' | 'delivered' | 'failed';

/** Statuses of messages that are still on their way, in any case of letters. */
const IN_TRANSIT = new Set([
  'accepted',
  'acceptd',
  'buffered',
  'created',
  'enroute',
  'pending',
  'processing',
  'queued',
  'scheduled',
  'sending',
  'submitted',
]);

/** Returns the status that a value stands for in the settings; null if they do not contain it. */
export function toStatus({ status }: GatewaySettings, value: string): GatewayStatus | null {
  const { sent = ['sent'], delivered = ['delivered', 'DELIVRD'] } = status ?? {};
  const { failed = ['failed', 'undelivered', 'UNDELIV', 'REJECTD', 'EXPIRED'] } = status ?? {};
  const all = [
    ['sent', sent],
    ['delivered', delivered],
    ['failed', failed],
  ] as const;
  return all.find(([, values]) => values.includes(value))?.[0] ?? null;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

function hasSecret({ headers, query }: IngressRequest, settings: GatewaySettings, secret: string): boolean {
  const { secret_in: where = 'query', secret_name: name = 'secret' } = settings;
  const given = where === 'query' ? query.get(name) : headers[name.toLowerCase()];
  return timingSafeEqual(digest(given ?? ''), digest(secret));
}

/** Returns a reader of fields, by pointer into a JSON body or by name in a form or the query. */
function readFields({ headers, query, body }: IngressRequest): (field: string) => string | null {
  const isJson = (headers['content-type'] ?? '').includes('json');
  const json = isJson ? readLossless(body) : undefined;
  const form = isJson ? null : new URLSearchParams(body.toString());
  return (field) => (field.startsWith('/') ? atPointer(json, field) : (form?.get(field) ?? query.get(field)));
}

export const ingress: ChannelIngress = {
  maxBytes: MAX_BYTES,
  receive(request, account) {
    const settings = readSettings(account.settings);
    if (!hasSecret(request, settings, readCredentials(account.credentials).callback_secret))
      return {
        kind: 'refused',
        code: 'signature_invalid',
        detail: 'The callback secret is missing or wrong.',
      };
    return read(readFields(request), settings, request.at.toISOString());
  },
};

const accepted = (id: string, body: GatewayPart): IngressOutcome => ({
  kind: 'accepted',
  parts: [{ accountKey: null, id, body }],
});
const invalid = (detail: string): IngressOutcome => ({ kind: 'refused', code: 'invalid_request', detail });

function read(get: (field: string) => string | null, settings: GatewaySettings, at: string): IngressOutcome {
  const { inbound, status } = settings;
  const text = inbound ? get(inbound.text) : null;
  if (inbound && text !== null) {
    const from = get(inbound.from);
    const given = inbound.id ? get(inbound.id) : null;
    if (from === null) return invalid(`There is a text, but no sender in ${inbound.from}.`);
    if (inbound.id && given === null) return invalid(`There is no ID in ${inbound.id}.`);
    const id = (given ?? randomUUID()).slice(0, MAX_ID);
    return accepted(`message/${id}`, { kind: 'message', id, from, text, at });
  }
  const [id, value] = status ? [get(status.id), get(status.value)] : [null, null];
  if (!status || id === null || value === null)
    return invalid('The request has neither the fields of an inbound message nor those of a status.');
  const known = toStatus(settings, value);
  if (!known && IN_TRANSIT.has(value.toLowerCase())) return { kind: 'accepted', parts: [] };
  const part: GatewayPart = {
    kind: 'status',
    id: id.slice(0, MAX_ID),
    status: known,
    value: value.slice(0, MAX_STATUS),
    at,
  };
  return accepted(`${known ?? part.value}/${part.id}`, part);
}
