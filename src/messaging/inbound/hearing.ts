/** What one transaction of hearing knows and gathers, and what signals do to messages that are there. */
import type { Transaction } from '../../db/database.ts';
import type { Unit } from '../../db/unit.ts';
import { uuidOf } from '../../http/ids.ts';
import type {
  Edited,
  GroupSignal,
  InboundMessage,
  ProfileSignal,
  Reacted,
  Receipt,
  Revoked,
} from '../channels/signal.ts';
import type { Holding } from '../connections/held-connection.ts';
import { textOf } from '../messages/message-content.ts';
import type { MessageRow } from '../messages/message.store.ts';
import { channelKey } from '../queue/channel-key.ts';
import { lockAndRead } from '../queue/message-change.system-store.ts';
import type { MessageEffects } from '../queue/message-effects.ts';
import { heardText, heardWords } from './inbound-content.ts';
import * as store from './inbound.store.ts';

/** Signals that change what is stored. */
export type StoredSignal = InboundMessage | About | ProfileSignal | GroupSignal;
/** What is about a message that is there already. */
export type About = Receipt | Edited | Revoked | Reacted;

export const isAbout = (signal: StoredSignal): signal is About =>
  signal.kind === 'receipt' ||
  signal.kind === 'edited' ||
  signal.kind === 'revoked' ||
  signal.kind === 'reacted';
export const clientIdOf = (signal: StoredSignal): string | null =>
  'clientId' in signal && signal.clientId ? uuidOf('message', signal.clientId) : null;
/** As the channel names it. */
const namedBy = (signal: StoredSignal): string | null => ('externalId' in signal ? signal.externalId : null);
/** What its message is found by. */
export const externalIdOf = (signal: StoredSignal): string | null => {
  const name = namedBy(signal);
  return name === null ? null : channelKey(name);
};
/** What the channel is told when it is spoken to of it. */
export const externalNameOf = (signal: StoredSignal): string | null => {
  const name = namedBy(signal);
  return name === null ? null : heardWords(name);
};

/** What is read before anything is written, and grows while signals are gone through. */
export interface State {
  holding: Holding;
  now: Date;
  effects: MessageEffects;
  /** Messages by id, and ids by external id. */
  messages: Map<string, MessageRow>;
  seen: Map<string, string>;
  newSeen: Map<string, string>;
  chats: Map<string, store.HeardChat>;
  chatNews: Map<string, store.ChatNews>;
  inserted: MessageRow[];
  nextSequence: number;
  /** Titles of chats by key. */
  titles: Map<string, string>;
  /** Ids of messages of which the channel's own word came that it has them. */
  known: string[];
}

function messageOf(state: State, signal: StoredSignal): MessageRow | undefined {
  const externalId = externalIdOf(signal);
  const id = (externalId === null ? undefined : state.seen.get(externalId)) ?? clientIdOf(signal);
  const row = id ? state.messages.get(id) : undefined;
  // A client id is anybody's word; a message of another instance is none of this channel's.
  return row?.instance_id === state.holding.instanceId ? row : undefined;
}

function note(state: State, signal: StoredSignal, row: MessageRow): void {
  const externalId = externalIdOf(signal);
  if (externalId === null || state.seen.has(externalId)) return;
  state.seen.set(externalId, row.id);
  state.newSeen.set(externalId, row.id);
  if (row.external_id !== null) return;
  row.external_id = externalNameOf(signal);
  state.effects.changed(row);
}

export function newsOf(state: State, chatId: string): store.ChatNews {
  const news = state.chatNews.get(chatId) ?? {
    id: chatId,
    message_id: null,
    unread: 0,
    read: false,
    title: null,
  };
  state.chatNews.set(chatId, news);
  return news;
}

/** The channel has it, whatever was thought of it. */
function acknowledge(state: State, row: MessageRow, status: 'sent' | 'delivered' | 'read', at: Date): void {
  const was = row.status;
  if (!state.effects.move(row, status, at)) return;
  if (row.direction === 'inbound') newsOf(state, row.chat_id).unread -= 1;
  else if (was === 'queued' || was === 'sending') state.known.push(row.id);
}

function change(state: State, row: MessageRow, signal: About): void {
  const { effects } = state;
  switch (signal.kind) {
    case 'receipt':
      if (row.direction === 'outbound') note(state, signal, row);
      if (signal.status !== 'failed') acknowledge(state, row, signal.status, signal.at);
      else
        effects.move(row, 'failed', signal.at, {
          code: heardWords(signal.error?.code ?? 'undeliverable'),
          detail: heardWords(signal.error?.detail ?? 'The channel could not deliver it.'),
          retryable: false,
        });
      break;
    case 'edited': {
      const text = heardText(signal.text);
      if (textOf(row.type, row.content) !== text) effects.edit(row, text, signal.at);
      break;
    }
    case 'revoked':
      effects.takeBack(row, signal.at);
      break;
    default:
      effects.react(row, {
        author: channelKey(signal.author),
        from_me: signal.fromMe,
        emoji: signal.emoji === null ? null : heardWords(signal.emoji),
        at: signal.at,
      });
  }
}

/** What a receipt that means all before it says of those. */
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
    unit.db as Transaction,
    fresh.map((id) => ({ workspace_id: workspaceId, id })),
  );
  for (const one of rows) state.messages.set(one.id, one);
  for (const id of ids.toSorted()) {
    const one = state.messages.get(id);
    if (one) acknowledge(state, one, signal.status, signal.at);
  }
}

/** @returns false where nobody knows the message (yet) */
export async function applyAbout(unit: Unit, state: State, signal: About): Promise<boolean> {
  const row = messageOf(state, signal);
  if (!row) return false;
  if (signal.kind === 'receipt') await readUpTo(unit, state, row, signal);
  change(state, row, signal);
  return true;
}

/** The copy of a message that we sent; what came once more changes nothing. */
export function applyCopy(state: State, signal: InboundMessage): void {
  const row = messageOf(state, signal);
  if (!signal.fromMe || row?.direction !== 'outbound') return;
  note(state, signal, row);
  acknowledge(state, row, 'sent', signal.at);
}

/** Groups have rows of their own elsewhere; here the chat gets its title. */
export function applyGroup(state: State, { key, about }: GroupSignal): void {
  if (about?.subject !== undefined) state.titles.set(channelKey(key), heardWords(about.subject));
}
