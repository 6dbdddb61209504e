/** The state of one inbound transaction, and the effects of signals on existing messages. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type {
  Edited,
  GroupSignal,
  InboundMessage,
  Pinned,
  ProfileSignal,
  ReachabilitySignal,
  Reacted,
  Receipt,
  Revoked,
  SamePersonSignal,
  TemplatesSignal,
  Unprocessed,
} from '../../../channels/contract/signal.ts';
import type { Holding } from '../connections/connection-lease.ts';
import type { People } from '../contacts/same-person.ts';
import type { StatusPricing } from '../records/message-status.ts';
import type { MessageRow } from '../records/message.store.ts';
import { channelKey } from '../records/channel-key.ts';
import { lockAndRead } from '../records/message-change.system-store.ts';
import type { MessageEffects } from '../records/message-effects.ts';
import { toInboundName } from '../records/inbound-content.ts';
import type { InboundChatInfo } from '../records/chat.store.ts';
import * as store from './inbound.store.ts';
import { addNames, type Names, getUniqueName } from './names.ts';

/** Maximum further reactions of one author to a message. */
const MAX_OTHERS = 20;

/** Signals that change what is stored. */
export type StoredSignal =
  | InboundMessage
  | About
  | ProfileSignal
  | GroupSignal
  | TemplatesSignal
  | ReachabilitySignal
  | SamePersonSignal
  | Unprocessed;
/** Signals about existing messages. */
export type About = Receipt | Edited | Revoked | Reacted | Pinned;

export const isAbout = (signal: StoredSignal): signal is About =>
  signal.kind === 'receipt' ||
  signal.kind === 'edited' ||
  signal.kind === 'revoked' ||
  signal.kind === 'reacted' ||
  signal.kind === 'pinned';
export const getClientId = (signal: StoredSignal): string | null =>
  'clientId' in signal && signal.clientId ? toUuid('message', signal.clientId) : null;
/** Returns the message that it replies to, if it refers to that by our client ID. */
export const getAnswered = ({ replyTo }: InboundMessage): string | null =>
  replyTo && toUuid('message', replyTo.externalId);
/** Returns the name by which to find the message that a signal is about. */
export const nameIn = (signal: About): string | null =>
  signal.externalId === null ? null : channelKey(signal.externalId);

/** Rows read before writing, extended while signals are applied. */
export interface State {
  holding: Holding;
  now: Date;
  effects: MessageEffects;
  /** By ID. */
  messages: Map<string, MessageRow>;
  names: Names;
  /** Our own messages among the IDs in new signals, with the keys of their chats. */
  own: ReadonlyMap<string, string>;
  people: People;
  chats: Map<string, InboundChatInfo>;
  chatNews: Map<string, store.ChatNews>;
  inserted: MessageRow[];
  /** Media objects that messages were read from. */
  sources: { message_id: string; media_id: string }[];
  /** Media that edits replaced. */
  replaced: string[];
  nextSequence: number;
  /** IDs of messages that the channel itself confirmed to have. */
  known: string[];
}

/** Returns the existing message that a signal contains or is about, if there is one. */
export function findMessageId(
  { names }: Pick<State, 'names'>,
  signal: About | InboundMessage,
): string | null {
  if (signal.kind === 'message') return names.findUnique(getUniqueName(signal)) ?? getClientId(signal);
  const name = nameIn(signal);
  return (name === null ? null : names.find(name)) ?? getClientId(signal);
}

export function toMessage(state: State, signal: About | InboundMessage): MessageRow | undefined {
  const id = findMessageId(state, signal);
  const row = id === null ? undefined : state.messages.get(id);
  // Anyone can choose a client ID; a message of another instance does not belong to this channel.
  if (row?.instance_id !== state.holding.instanceId) return undefined;
  return 'isDirect' in signal && signal.isDirect && row.chat_kind === 'group' ? undefined : row;
}

/** Stores the channel's own ID of a message of ours. */
function noteName(state: State, externalId: string, row: MessageRow): void {
  if (row.external_id !== null) return;
  row.external_id = toInboundName(externalId);
  state.effects.changed(row);
}

function note(state: State, signal: Receipt, row: MessageRow): void {
  const name = nameIn(signal);
  if (name === null || state.names.find(name) !== null) return;
  state.names.addUnique(name, row.id);
  noteName(state, signal.externalId!, row);
}

export function getChanges(state: State, chatId: string): store.ChatNews {
  const news = state.chatNews.get(chatId) ?? {
    id: chatId,
    message_id: null,
    unread: 0,
    inbound_at: null,
  };
  state.chatNews.set(chatId, news);
  return news;
}

/** Records that the channel has the message, regardless of its current status. */
function acknowledge(
  state: State,
  row: MessageRow,
  status: 'sent' | 'delivered' | 'read',
  at: Date,
  pricing: StatusPricing | null = null,
): void {
  const was = row.status;
  if (!state.effects.move(row, status, at, null, pricing)) return;
  if (row.direction === 'inbound') getChanges(state, row.chat_id).unread -= 1;
  else if (was === 'queued' || was === 'sending') state.known.push(row.id);
}

const getPricing = ({ pricing }: Receipt): StatusPricing | null =>
  pricing ? { category: toInboundName(pricing.category), billable: pricing.isBillable } : null;

function change(state: State, row: MessageRow, signal: Exclude<About, Edited>): void {
  const { effects } = state;
  switch (signal.kind) {
    case 'receipt':
      if (row.direction === 'outbound') note(state, signal, row);
      if (signal.status !== 'failed') {
        const pricing = getPricing(signal);
        acknowledge(state, row, signal.status, signal.at, pricing);
        // A status that the message already has.
        if (pricing) effects.price(row, signal.status, pricing);
      } else
        effects.move(row, 'failed', signal.at, {
          code: toInboundName(signal.error?.code ?? 'undeliverable'),
          detail: toInboundName(signal.error?.detail ?? 'The channel could not deliver it.'),
          retryable: false,
        });
      break;
    case 'revoked':
      effects.takeBack(row, signal.at);
      break;
    case 'pinned':
      effects.pin(row, signal.isPinned);
      break;
    default:
      effects.react(row, {
        author: channelKey(signal.author),
        from_me: signal.fromMe,
        emoji: signal.emoji === null ? null : toInboundName(signal.emoji),
        others: (signal.others ?? []).slice(0, MAX_OTHERS).map(toInboundName),
        at: signal.at,
      });
  }
}

/** Applies a receipt that includes all earlier messages to those. */
async function readUpTo(unit: Unit, state: State, row: MessageRow, signal: Receipt): Promise<void> {
  if (!signal.upTo || signal.status === 'failed' || signal.status === 'sent') return;
  const { workspaceId } = state.holding;
  const { chat_id: chatId, id: messageId, direction } = row;
  const ids = await store.idsUpTo(unit.db, workspaceId, {
    chatId,
    messageId,
    direction,
    status: signal.status,
  });
  const fresh = ids.filter((id) => !state.messages.has(id));
  const rows = await lockAndRead(
    unit.db,
    fresh.map((id) => ({ workspace_id: workspaceId, id })),
  );
  for (const one of rows) state.messages.set(one.id, one);
  for (const id of ids.toSorted()) {
    const one = state.messages.get(id);
    if (one) acknowledge(state, one, signal.status, signal.at);
  }
}

/**
 * Whether a receipt concerns only one member of a group: it says nothing about the others, only that the channel has
 * our message.
 */
const isOneMembers = (signal: About, row: MessageRow): boolean =>
  signal.kind === 'receipt' &&
  (signal.status === 'delivered' || signal.status === 'read') &&
  row.chat_kind === 'group' &&
  row.direction === 'outbound' &&
  !signal.ofAll;

/** @returns false if the message is not known (yet) */
export async function applyAbout(unit: Unit, state: State, signal: Exclude<About, Edited>): Promise<boolean> {
  const row = toMessage(state, signal);
  if (!row) return false;
  const told = isOneMembers(signal, row) ? ({ ...signal, status: 'sent' } as Receipt) : signal;
  if (told.kind === 'receipt') await readUpTo(unit, state, row, told);
  change(state, row, told);
  return true;
}

/** Whether a message is a copy of one of ours. */
export function isCopy({ own }: Pick<State, 'own'>, signal: InboundMessage): boolean {
  const key = own.get(getClientId(signal) ?? '');
  return key !== undefined && (!signal.mayBeOurs || key === channelKey(signal.chat.key));
}

/** Applies the copy of a message that we sent; repeated copies have no effect. */
export function applyCopy(state: State, signal: InboundMessage): void {
  const row = toMessage(state, signal);
  if (!(signal.fromMe || signal.mayBeOurs) || row?.direction !== 'outbound') return;
  // Recipients know the ID of our message: a message that someone else writes under it must not become a name of ours.
  if (signal.mayBeOurs && (row.external_id !== null || !isCopy(state, signal))) return;
  if (addNames(state.names, signal, row.id)) noteName(state, signal.externalId, row);
  acknowledge(state, row, 'sent', signal.at);
}
