/**
 * Webhooks of the Meta app: the verification request, signatures, and the entries of a batch. One URL can receive the
 * webhooks of several numbers: each entry names its number.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import type { ChannelIngress, IngressOutcome, IngressPart, IngressRequest } from '../contract/ingress.ts';
import type { Json } from '../contract/json.ts';
import { type JsonObject, readObject, readText } from './fields.ts';
import { findContact } from './person.ts';
import { readCredentials, readSettings } from './settings.ts';

/** Meta sends at most 3 MB. */
const MAX_BYTES = 3 * 1024 * 1024;
/** Meta sends a number. Anything that a browser could interpret is not repeated. */
const CHALLENGE = /^[\w-]{1,200}$/;
/** Of the texts that every part of a change repeats. */
const MAX_REPEATED = 200;
const SIGNATURE = /^sha256=([\da-f]{64})$/;

/** A part: one item of a change, with the contact that it names. */
export interface WebhookPart {
  /** The webhook field. */
  field: string;
  /**
   * The list that the item is from; `value` if it is the whole value of the change, `unknown` if it is a change, or
   * something in its place, that cannot be split.
   */
  list: (typeof LISTS)[number] | 'value' | 'unknown';
  item: JsonObject;
  /** Profile name of the person that the item is about. */
  name: string | null;
  /** The person's contact in the change; missing in parts stored by earlier versions. */
  contact?: JsonObject | null;
}

const LISTS = [
  'messages',
  'message_echoes',
  'statuses',
  'errors',
  'groups',
  'state_sync',
  'user_id_update',
] as const;
/** Fields without lists that the driver reads. */
const VALUE_FIELDS = new Set([
  'account_update',
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
]);

/**
 * Fields that are ignored on purpose: they are about the business account, its numbers and its app, not about messages.
 * The quality of a number limits how many people it may write to: the messages beyond it fail with an error of their own.
 */
const IGNORED_FIELDS = new Set([
  'account_alerts',
  'account_review_update',
  'business_capability_update',
  'business_status_update',
  'flows',
  'partner_solutions',
  'payment_configuration_update',
  'phone_number_name_update',
  'phone_number_quality_update',
  'security',
  'tracking_events',
]);

/** Members of a value besides its lists: its recipient, and the contacts of its items. */
const SHARED = new Set(['messaging_product', 'metadata', 'contacts']);

const refused = (code: 'signature_invalid' | 'invalid_request', detail: string): IngressOutcome => ({
  kind: 'refused',
  code,
  detail,
});

/** Compares secrets in constant time, even if their lengths differ. */
const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(a!, b!);
};

function verify({ query }: IngressRequest, verifyToken: string): IngressOutcome {
  const challenge = query.get('hub.challenge') ?? '';
  if (query.get('hub.mode') !== 'subscribe' || !CHALLENGE.test(challenge))
    return refused('invalid_request', 'This is not a verification request from Meta.');
  if (!isEqual(query.get('hub.verify_token') ?? '', verifyToken))
    return refused('signature_invalid', 'The verify token is wrong.');
  return { kind: 'answered', answer: { status: 200, contentType: 'text/plain', body: challenge } };
}

function isSigned({ headers, body }: IngressRequest, appSecret: string): boolean {
  const given = SIGNATURE.exec(headers['x-hub-signature-256'] ?? '')?.[1];
  if (given === undefined) return false;
  const expected = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(given, 'hex'));
}

type Split = Omit<IngressPart, 'id'> & { body: JsonObject };

const unknownPart = (item: Json, field: string | null = null, accountKey: string | null = null): Split => ({
  accountKey,
  body: { field: field?.slice(0, MAX_REPEATED) ?? '', list: 'unknown', item, name: null },
});

/** Returns a value without the lists that are split, if anything that cannot be split is in it; otherwise null. */
function getUnknown(value: JsonObject): JsonObject | null {
  const isSplit = (name: string): boolean =>
    (LISTS as readonly string[]).includes(name) && Array.isArray(value[name]);
  const left = Object.entries(value).filter(([name]) => !isSplit(name));
  const isContent = ([name, json]: [string, Json]): boolean =>
    !SHARED.has(name) && json !== null && typeof json === 'object' && Object.keys(json).length > 0;
  return left.some(isContent) ? Object.fromEntries(left) : null;
}

/** Splits a change into its items. Anything else in it becomes a part, too, so that it is not lost. */
export function* splitChange(change: Json): Generator<Split> {
  const field = readText(readObject(change)?.['field']);
  const value = readObject(readObject(change)?.['value']);
  const accountKey = readText(readObject(value?.['metadata'])?.['phone_number_id']);
  if (field === null || !value || Math.max(field.length, accountKey?.length ?? 0) > MAX_REPEATED) {
    yield unknownPart(change, field);
    return;
  }
  if (IGNORED_FIELDS.has(field)) return;
  const isItem = VALUE_FIELDS.has(field);
  let isKnown = isItem;
  if (isItem) yield { accountKey, body: { field, list: 'value', item: value, name: null } };
  for (const list of LISTS) {
    const items = value[list];
    if (!Array.isArray(items)) continue;
    isKnown = true;
    for (const given of items) {
      const item = readObject(given);
      const contact = item && findContact(item, value['contacts'], list);
      yield item
        ? { accountKey, body: { field, list, item, name: readText(contact?.['name']), contact } }
        : unknownPart({ field, value: { [list]: [given] } }, field, accountKey);
    }
  }
  if (!isKnown) yield unknownPart(change, field, accountKey);
  const unknown = isKnown && !isItem ? getUnknown(value) : null;
  if (unknown) yield unknownPart({ field, value: unknown }, field, accountKey);
}

const getChanges = (entry: Json): readonly Json[] => {
  const changes = readObject(entry)?.['changes'];
  return Array.isArray(changes) ? changes : [entry];
};

/** The same entry, delivered again, has the same ID. */
const identify = (part: Omit<IngressPart, 'id'>): IngressPart => ({
  ...part,
  id: createHash('sha256')
    .update(JSON.stringify([part.accountKey, part.body]))
    .digest('hex'),
});

function split(body: Buffer): IngressOutcome {
  const payload = readObject(tryParseForeignJson(body) as Json | undefined);
  if (payload?.['object'] !== 'whatsapp_business_account' || !Array.isArray(payload['entry']))
    return refused('invalid_request', 'This is not a webhook of a WhatsApp Business account.');
  const changes = payload['entry'].flatMap(getChanges);
  const parts = changes.flatMap((change) => [...splitChange(change)].map(identify));
  return { kind: 'accepted', parts };
}

export const ingress: ChannelIngress = {
  maxBytes: MAX_BYTES,
  shared: {
    accountKey: (settings) => readSettings(settings).phoneNumberId,
    senderSecret: (credentials) => readCredentials(credentials).appSecret,
  },
  receive(request, account) {
    const { verifyToken, appSecret } = readCredentials(account.credentials);
    if (request.method === 'GET') return verify(request, verifyToken);
    if (!isSigned(request, appSecret))
      return refused('signature_invalid', 'The X-Hub-Signature-256 header does not match the body.');
    return split(request.body);
  },
};
