/** Stores new messages: their chats, contacts, files and rows. */
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { ReceivedFile } from '../../../channels/contract/connection.ts';
import type { InboundMessage, ProfileSignal } from '../../../channels/contract/signal.ts';
import { blockedAmong, ensureContacts, type Profile, setProfiles } from '../contacts/contact-book.ts';
import type { People } from '../contacts/same-person.ts';
import { searchTextFor } from '../records/message-content.ts';
import { MESSAGE_DEFAULTS, type MessageRow } from '../records/message.store.ts';
import { channelKey } from '../records/channel-key.ts';
import { getAnswered, getChanges, type State } from './inbound-batch.ts';
import {
  toInboundData,
  toInboundContent,
  toInboundMentions,
  toInboundTime,
  toInboundName,
} from '../records/inbound-content.ts';
import type { KeepUpdates } from '../unprocessed-updates/keep-updates.ts';
import type { InboundFiles, KeptFile } from '../media/inbound-files.ts';
import { type InboundChatInfo, insertChats, lockChatsByKey } from '../records/chat.store.ts';
import { addNames } from './names.ts';

export interface ApplyDeps {
  files: InboundFiles;
  /** Keeps content that could not be processed. */
  keepUpdates: KeepUpdates;
}

/**
 * Returns the person whose contact a message needs: its author, or for our own messages the other side of a direct
 * chat. On some channels the author chooses where replies go; that does not make the message someone else's.
 */
function getPerson({ chat, from, fromMe }: InboundMessage): string | null {
  if (!fromMe) return channelKey(from);
  return chat.kind === 'direct' ? channelKey(chat.address) : null;
}

/**
 * Removes direct signals of blocked people, as if they had never been received. On some channels the author chooses
 * where replies go, so both that address and the author's own are checked.
 */
export async function withoutBlocked(
  unit: Unit,
  { workspaceId, instanceId }: State['holding'],
  found: readonly InboundMessage[],
): Promise<InboundMessage[]> {
  const isDirect = ({ fromMe, chat }: InboundMessage): boolean => !fromMe && chat.kind === 'direct';
  const behind = ({ chat, from }: InboundMessage) => [chat.address, from].map(channelKey);
  const addresses = new Set(found.filter(isDirect).flatMap(behind));
  if (!addresses.size) return [...found];
  const blocked = await blockedAmong(unit, workspaceId, instanceId, [...addresses]);
  return found.filter((one) => !isDirect(one) || !behind(one).some((address) => blocked.has(address)));
}

/** Returns the names that the channel has for the authors. */
function getWriters(fresh: readonly InboundMessage[]): Map<string, Profile> {
  const named = fresh.filter(
    ({ fromMe, fromName, fromUsername }) => !fromMe && (fromName !== null || fromUsername !== undefined),
  );
  return new Map(
    named.map(({ from, fromName, fromUsername }) => [
      channelKey(from),
      {
        ...(fromName === null ? {} : { name: toInboundName(fromName) }),
        ...toUsername(fromUsername),
      },
    ]),
  );
}

const toUsername = (told: string | null | undefined): Pick<Profile, 'username'> =>
  told === undefined ? {} : { username: told === null ? null : toInboundName(told) };

/** Finds or creates the contacts of messages. @returns contact by address */
export function upsertSenders(
  unit: Unit,
  { workspaceId, instanceId }: State['holding'],
  people: People,
  fresh: readonly InboundMessage[],
): Promise<Map<string, string>> {
  const names = getWriters(fresh);
  const addresses = new Set(fresh.flatMap((one) => getPerson(one) ?? []));
  const wanted = [...addresses].map((address) => ({
    address,
    profileName: names.get(address)?.name,
    username: names.get(address)?.username,
    aliases: people.getAliases(address),
    createdBy: null,
  }));
  return ensureContacts(unit, workspaceId, instanceId, wanted);
}

/** Creates contacts for people in the account's own contact list at the channel. */
export async function bookListed(
  unit: Unit,
  { workspaceId, instanceId }: State['holding'],
  people: People,
  profiles: readonly ProfileSignal[],
): Promise<void> {
  const addresses = new Set(
    profiles.filter(({ isContact }) => isContact).map(({ address }) => channelKey(address)),
  );
  const wanted = [...addresses].map((address) => ({
    address,
    aliases: people.getAliases(address),
    createdBy: null,
  }));
  if (wanted.length) await ensureContacts(unit, workspaceId, instanceId, wanted);
}

/** Stores the names that the channel reports. A profile of an unknown person creates no contact. */
export async function updateProfiles(
  unit: Unit,
  { workspaceId, instanceId }: State['holding'],
  fresh: readonly InboundMessage[],
  profiles: readonly ProfileSignal[],
): Promise<void> {
  const told = profiles
    .filter(({ name, username, isContact }) => name !== null || username !== undefined || !isContact)
    .map(({ address, name, username, isContact }): [string, Profile] => [
      channelKey(address),
      { ...(name === null && isContact ? {} : { name }), ...toUsername(username) },
    ]);
  const known = new Map([...getWriters(fresh), ...told]);
  if (known.size) await setProfiles(unit, workspaceId, instanceId, known);
}

/** Finds or creates the chats of new messages. */
export async function prepareChats(
  unit: Unit,
  state: State,
  fresh: readonly InboundMessage[],
  people: ReadonlyMap<string, string>,
): Promise<void> {
  const { workspaceId, instanceId } = state.holding;
  const keys = [...new Set(fresh.map(({ chat }) => channelKey(chat.key)))];
  state.chats = await lockChatsByKey(unit.db, workspaceId, instanceId, keys);
  const made: (InboundChatInfo & { instance_id: string; created_at: Date })[] = [];
  for (const signal of fresh) {
    const { chat } = signal;
    const key = channelKey(chat.key);
    if (state.chats.has(key)) continue;
    const address = channelKey(chat.address);
    const person = getPerson(signal);
    const id = unit.newUuid();
    const row = {
      id,
      instance_id: instanceId,
      kind: chat.kind,
      key,
      address,
      title: chat.title === null ? null : toInboundName(chat.title),
      contact_id: chat.kind === 'direct' && person !== null ? (people.get(person) ?? null) : null,
      created_at: timeOfUuid(id),
    };
    state.chats.set(key, row);
    made.push(row);
  }
  await insertChats(unit.db, workspaceId, made);
}

/** @returns the message that it replies to; null if it is not known */
function answered({ names, own }: State, signal: InboundMessage): string | null {
  if (!signal.replyTo) return null;
  const sentAs = getAnswered(signal);
  return names.find(channelKey(signal.replyTo.externalId)) ?? (sentAs && own.has(sentAs) ? sentAs : null);
}

/** Stores the file of a message; if that is impossible, its row contains the reason. */
export async function keepFile(
  unit: Unit,
  { files }: ApplyDeps,
  holding: State['holding'],
  file: NonNullable<InboundMessage['file']>,
): Promise<KeptFile> {
  const kept = await files.keep(unit, holding, file);
  return kept ?? files.keepReason(unit, holding, file as { received: ReceivedFile });
}

export async function addMessage(
  unit: Unit,
  deps: ApplyDeps,
  state: State,
  signal: InboundMessage,
  people: ReadonlyMap<string, string>,
): Promise<void> {
  const { holding, now, effects } = state;
  const chat = state.chats.get(channelKey(signal.chat.key))!;
  const file = signal.file && (await keepFile(unit, deps, holding, signal.file));
  const { type, content } = toInboundContent(signal, file?.id ?? null);
  if (file && 'file_name' in content) content['file_name'] = file.fileName;
  const subject = signal.subject === null ? null : toInboundName(signal.subject);
  const status = signal.fromMe ? 'sent' : 'received';
  const replyId = answered(state, signal);
  const person = getPerson(signal);
  const id = unit.newUuid();
  // Lists use the time in the ID.
  const createdAt = timeOfUuid(id);
  const row: MessageRow = {
    ...MESSAGE_DEFAULTS,
    workspace_id: holding.workspaceId,
    id,
    instance_id: holding.instanceId,
    chat_id: chat.id,
    chat_kind: chat.kind,
    reactions: [],
    sequence: state.nextSequence++,
    direction: signal.fromMe ? 'outbound' : 'inbound',
    source: 'channel',
    type,
    content: content as MessageRow['content'],
    search_text: searchTextFor(type, content, subject),
    subject,
    thread_id: signal.threadId ? channelKey(signal.threadId) : null,
    media_id: file?.id ?? null,
    from_address: channelKey(signal.from),
    to_address: signal.to === null ? null : channelKey(signal.to),
    contact_id: person === null ? null : (people.get(person) ?? chat.contact_id),
    reply_to: replyId,
    reply_to_external_id:
      replyId === null && signal.replyTo ? toInboundName(signal.replyTo.externalId) : null,
    mentions: toInboundMentions(signal.mentions),
    automatic: signal.automatic ?? null,
    channel_data: toInboundData(signal.channelData),
    status,
    status_history: [{ status, at: now.toISOString() }],
    external_id: toInboundName(signal.externalId),
    sent_at: toInboundTime(signal.at, now),
    created_at: createdAt,
    updated_at: createdAt,
  };
  state.inserted.push(row);
  if (signal.source) {
    const source = await deps.files.keep(unit, holding, signal.source);
    if (source) state.sources.push({ message_id: row.id, media_id: source.id });
  }
  state.messages.set(row.id, row);
  addNames(state.names, signal, row.id);
  const news = getChanges(state, chat.id);
  news.message_id = row.id;
  if (!signal.fromMe) {
    news.unread += 1;
    const at = toInboundTime(signal.at, now);
    if (news.inbound_at === null || at > news.inbound_at) news.inbound_at = at;
  }
  effects.event(`message.${status}`, row);
}
