/**
 * Reads the entries of webhooks as signals. Everything in an entry is untrusted: fields of another type count as
 * missing, and an entry without required fields is reported as unprocessed. Entries that are ignored on purpose give
 * `NOTHING`, or are in a list.
 */
import {
  type GroupParticipantChange,
  type InboundChat,
  type InboundMessage,
  type Receipt,
  type Signal,
  unprocessed,
} from '../contract/signal.ts';
import { isGroupId } from './address.ts';
import { type AddressChange, readSystemChange, readUserIdUpdate } from './address-change.ts';
import { readChannelData } from './channel-data.ts';
import { readContent, type MediaRef } from './content.ts';
import { readError } from './errors.ts';
import { type JsonObject, readObject, readObjects, readText, readTime } from './fields.ts';
import { splitChange, type WebhookPart } from './ingress.ts';
import { getReassignable, readPerson, toSamePerson } from './person.ts';

/** A message whose file is still at Meta. */
export interface ReadMessage {
  message: InboundMessage;
  media: MediaRef | null;
}

export interface Read {
  signals: Signal[];
  /** Messages are signals, too, once their files are here. */
  messages: ReadMessage[];
  /** The templates of the account have changed. */
  areTemplatesChanged?: boolean;
}

const signals = (...all: Signal[]): Read => ({ signals: all, messages: [] });
const NOTHING = signals();
const unread = (reason: Parameters<typeof unprocessed>[0], part: WebhookPart): Read =>
  signals(unprocessed(reason, readText(readObject(part.item)?.['type']) ?? part.field, part));

/** Statuses of messages that change nothing here. */
const IGNORED_STATUSES = new Set(['deleted', 'warning']);
/** Events of the account that do not limit it. */
const IGNORED_EVENTS = new Set([
  'AUTH_INTL_PRICE_ELIGIBILITY_UPDATE',
  'BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE',
  'PARTNER_ADDED',
  'PARTNER_APP_INSTALLED',
  'PARTNER_APP_UNINSTALLED',
  'PARTNER_REMOVED',
  'VERIFIED_ACCOUNT',
]);

const directChat = (address: string, title: string | null): InboundChat => ({
  kind: 'direct',
  key: address,
  address,
  title,
});

/** Returns the person's contact in a part. */
const toContact = ({ contact, name }: WebhookPart): JsonObject | null =>
  contact ?? (name === null ? null : { name });
const toChanged = (change: AddressChange): Signal => ({
  kind: 'same_person',
  ...change,
  ...getReassignable(change.addresses, change.former),
});
const groupChat = (groupId: string): InboundChat => ({
  kind: 'group',
  key: groupId,
  address: groupId,
  title: null,
});

function readChange(message: JsonObject, externalId: string, at: Date, heardIn: string): Signal | null {
  const edit = readObject(message['edit']);
  const revoke = readObject(message['revoke']);
  const original = readText((edit ?? revoke)?.['original_message_id']);
  if (original === null) return null;
  if (revoke) return { kind: 'revoked', externalId: original, at, heardIn };
  const { text } = readContent(readObject(edit!['message']) ?? {});
  return { kind: 'edited', externalId: original, changeId: externalId, text: text ?? '', at, heardIn };
}

/**
 * @param own address of the account
 * @param isEcho whether the account wrote it itself, in the app
 */
function readMessage(part: WebhookPart, own: string, isEcho: boolean, now: Date): Read {
  const { item } = part;
  const externalId = readText(item['id']);
  const person = readPerson(item, isEcho ? 'to' : 'from', toContact(part));
  const change = isEcho ? null : readSystemChange(item);
  const other = change?.addresses[0] ?? person?.addresses[0];
  if (externalId === null) return unread('malformed', part);
  if (other === undefined) return unread('no_sender', part);
  const known: Signal[] = change ? [toChanged(change)] : person ? toSamePerson(person) : [];
  const { name = null, username } = person ?? {};
  // The person opened the chat without writing.
  if (item['type'] === 'request_welcome')
    return signals(...known, {
      kind: 'profile',
      address: other,
      name,
      ...(username === undefined ? {} : { username }),
      isContact: true,
    });
  const groupId = readText(item['group_id']);
  const chat = groupId === null ? directChat(other, name) : groupChat(groupId);
  const from = isEcho ? own : other;
  const at = readTime(item['timestamp']) ?? now;
  const reaction = item['type'] === 'reaction' ? readObject(item['reaction']) : null;
  if (reaction) {
    const reacted = { author: from, fromMe: isEcho, emoji: readText(reaction['emoji']) };
    const target = readText(reaction['message_id']);
    if (target === null) return unread('malformed', part);
    return signals(...known, {
      kind: 'reacted',
      externalId: target,
      clientId: null,
      ...reacted,
      at,
      heardIn: chat.key,
    });
  }
  if (item['type'] === 'edit' || item['type'] === 'revoke') {
    const changed = readChange(item, externalId, at, chat.key);
    return changed ? signals(...known, changed) : unread('malformed', part);
  }
  const { media, isAutomatic, isUnsupported, ...content } = readContent(item);
  const unsupported = isUnsupported ? { type: readText(item['type']) ?? '', content: item } : null;
  const replyTo = readText(readObject(item['context'])?.['id']);
  const message: InboundMessage = {
    kind: 'message',
    externalId,
    chat,
    from,
    fromName: isEcho ? null : name,
    ...(isEcho || username === undefined ? {} : { fromUsername: username }),
    fromMe: isEcho,
    to: isEcho ? other : groupId === null ? own : null,
    ...content,
    file: null,
    subject: null,
    replyTo: replyTo === null ? null : { externalId: replyTo },
    mentions: [],
    automatic: isAutomatic ? 'auto_generated' : null,
    channelData: readChannelData(item, change, unsupported),
    at,
  };
  return { signals: known, messages: [{ message, media }] };
}

const STATUSES = new Set(['sent', 'delivered', 'read', 'failed']);

/** Restrictions that concern the account rather than one message. */
const toLimit = (item: JsonObject | undefined): Signal[] => {
  const error = readError(item);
  if (error?.meaning?.kind !== 'restricted') return [];
  return [{ kind: 'limit', restriction: { kind: error.meaning.code, until: null } }];
};

function readPricing(item: JsonObject): Pick<Receipt, 'pricing'> {
  const pricing = readObject(item['pricing']);
  const category = readText(pricing?.['category']);
  return category === null ? {} : { pricing: { category, isBillable: pricing!['billable'] !== false } };
}

function readStatus(part: WebhookPart, now: Date): Read {
  const { item } = part;
  const externalId = readText(item['id']);
  // A voice message that was played was read.
  const given = item['status'] === 'played' ? 'read' : item['status'];
  if (externalId === null || typeof given !== 'string') return unread('malformed', part);
  // Payments and calls have statuses too, which are unrelated to the delivery of a message.
  const type = readText(item['type']);
  if (type !== null && type !== 'message') return unread('unknown_kind', part);
  if (IGNORED_STATUSES.has(given)) return NOTHING;
  if (!STATUSES.has(given)) return unread('unknown_kind', part);
  const status = given as 'sent' | 'delivered' | 'read' | 'failed';
  const [first] = readObjects(item['errors']);
  const error = readError(first);
  const groupId = readText(item['group_id']);
  const person = groupId === null ? readPerson(item, 'recipient', toContact(part)) : null;
  const heardIn = groupId ?? person?.addresses[0];
  return signals(
    ...(person ? toSamePerson(person) : []),
    {
      kind: 'receipt',
      externalId,
      // The client ID, which finds the message even if the response to the request was lost.
      clientId: readText(item['biz_opaque_callback_data']),
      status,
      error:
        status === 'failed'
          ? {
              code: error?.meaning?.code ?? 'rejected_by_channel',
              detail: error?.detail ?? 'WhatsApp could not deliver the message.',
            }
          : null,
      ...readPricing(item),
      at: readTime(item['timestamp']) ?? now,
      ...(heardIn === undefined ? {} : { heardIn }),
    },
    ...(status === 'failed' ? toLimit(first) : []),
  );
}

/** Text of a setting, which is an object in some webhooks; null if it was not changed. */
function readSetting(item: JsonObject, name: string): string | null {
  const setting = readObject(item[`group_${name}`]);
  if (setting?.['update_successful'] === false) return null;
  return readText(item[name]) ?? readText(setting?.['text']);
}

/** Changes of groups that are read in any case. Others are read if they name people who joined or left. */
const GROUP_CHANGES = new Set(['group_create', 'group_delete', 'group_settings_update']);

/** Changes of groups. Suspensions and requests to join are among those that are kept. */
function readGroup(part: WebhookPart, now: Date): Read {
  const { item } = part;
  const address = readText(item['group_id']);
  if (address === null || !isGroupId(address)) return unread('malformed', part);
  // Our own change failed: the group stays unchanged.
  if (item['errors'] !== undefined) return NOTHING;
  const known: Signal[] = [];
  const people = (list: string, change: Omit<GroupParticipantChange, 'address'>): GroupParticipantChange[] =>
    readObjects(item[list]).flatMap((participant) => {
      const person = readPerson(participant, 'participant');
      if (!person) return [];
      known.push(...toSamePerson(person));
      const name = person.name === null ? {} : { name: person.name };
      return [{ address: person.addresses[0], ...name, ...change }];
    });
  const changed = [
    ...people('added_participants', { role: 'member' }),
    ...people('removed_participants', {
      role: null,
      gone: item['initiated_by'] === 'participant' ? 'left' : 'removed',
    }),
  ];
  if (!changed.length && !GROUP_CHANGES.has(readText(item['type']) ?? ''))
    return unread('unknown_kind', part);
  const [subject, description] = ['subject', 'description'].map((name) => readSetting(item, name));
  const inviteUrl = readText(item['invite_link']);
  return signals(...known, {
    kind: 'group',
    key: address,
    address,
    membership: item['type'] === 'group_delete' ? 'destroyed' : 'joined',
    about: {
      ...(subject ? { subject } : {}),
      ...(description ? { description } : {}),
      ...(inviteUrl === null ? {} : { inviteUrl }),
    },
    ...(changed.length ? { participants: { changed } } : {}),
    by: null,
    at: readTime(item['timestamp']) ?? now,
  });
}

/** Contacts of the phone app. Removed ones stay contacts here. */
function readContactSync(part: WebhookPart): Read {
  const { item } = part;
  const contact = readObject(item['contact']);
  const person = contact && readPerson(contact, 'contact');
  if (item['type'] !== 'contact') return unread('unknown_kind', part);
  if (item['action'] === 'remove') return NOTHING;
  if (!contact || !person) return unread('malformed', part);
  const name = readText(contact['full_name']) ?? readText(contact['first_name']);
  const username = readText(contact['username']);
  const [address] = person.addresses;
  return signals(...toSamePerson(person), {
    kind: 'profile',
    address,
    name,
    ...(username === null ? {} : { username }),
    isContact: true,
  });
}

/** Restrictions and bans of the business account. */
function readAccountUpdate(part: WebhookPart): Read {
  const { item } = part;
  const event = readText(item['event']);
  if (event === 'ACCOUNT_RESTRICTION') {
    const [first] = readObjects(item['restriction_info']);
    const kind = readText(first?.['restriction_type'])?.toLowerCase() ?? 'account_restricted';
    return signals({ kind: 'limit', restriction: { kind, until: readTime(first?.['expiration']) } });
  }
  if (event === null) return unread('malformed', part);
  if (IGNORED_EVENTS.has(event)) return NOTHING;
  if (event !== 'DISABLED_UPDATE') return unread('unknown_kind', part);
  const state = readText(readObject(item['ban_info'])?.['waba_ban_state']);
  return state === 'REINSTATE'
    ? signals({ kind: 'limit', restriction: null })
    : signals({ kind: 'limit', restriction: { kind: 'account_disabled', until: null } });
}

/** Splits a change again: this version may know it, or a part of it, unlike the version that stored it. */
function readUnknown(part: WebhookPart, own: string, now: Date): Read {
  const parts = [...splitChange(part.item)].map(({ body }) => body as unknown as WebhookPart);
  const reads = parts.map((one) =>
    one.list === 'unknown'
      ? unread(one.field === '' ? 'malformed' : 'unknown_kind', one)
      : readPart(one, own, now),
  );
  return {
    signals: reads.flatMap((read) => read.signals),
    messages: reads.flatMap((read) => read.messages),
    areTemplatesChanged: reads.some((read) => read.areTemplatesChanged),
  };
}

/** @param own address of the account */
export function readPart(part: WebhookPart, own: string, now: Date): Read {
  switch (part.list) {
    case 'messages':
      return readMessage(part, own, false, now);
    case 'message_echoes':
      return readMessage(part, own, true, now);
    case 'statuses':
      return readStatus(part, now);
    case 'errors':
      // Errors of requests are reported in their responses, and of messages in their statuses.
      return signals(...toLimit(part.item));
    case 'groups':
      return readGroup(part, now);
    case 'state_sync':
      return readContactSync(part);
    case 'user_id_update': {
      const change = readUserIdUpdate(part.item, part.contact ?? null);
      return change ? signals(toChanged(change)) : unread('malformed', part);
    }
    case 'value':
      if (part.field === 'account_update') return readAccountUpdate(part);
      return { ...NOTHING, areTemplatesChanged: /template/.test(part.field) };
    case 'unknown':
      return readUnknown(part, own, now);
    default:
      return unread('unknown_kind', part);
  }
}
