/**
 * Collects a transaction's changes to messages that it has locked and read (message-change.system-store.ts): in memory,
 * row by row and in order; then writes any number of them in a few statements. An event contains the message as of its
 * change, even if the same transaction changes it again.
 */
import { isDeepStrictEqual } from 'node:util';
import type { RawBuilder } from 'kysely';
import { runBatch } from '../../../platform/db/batch.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { NewEvent } from '../../../core/unit/event-writer.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { MediaType } from '../../../channels/contract/capabilities.ts';
import { searchTextFor, toText } from './message-content.ts';
import { presentMessage } from './message-present.ts';
import {
  type MessageError,
  mayMove,
  type MessageStatus,
  statusChange,
  type StatusEntry,
  type StatusPricing,
  withPricing,
} from './message-status.ts';
import type { MessageRow, ReactionRow } from './message.store.ts';
import * as store from './message-change.system-store.ts';

export type MessageEventType =
  `message.${'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'canceled' | 'received' | 'edited' | 'deleted' | 'reaction'}`;

export interface MessageEffects {
  /**
   * Moves a message to a status if the status table allows the transition, otherwise does nothing.
   * @param at a time in the future counts as now, because clocks of channels may be ahead
   * @returns whether it moved
   */
  move(
    row: MessageRow,
    to: MessageStatus,
    at: Date,
    error?: MessageError | null,
    pricing?: StatusPricing | null,
  ): boolean;
  /** Adds the price reported by the channel to the message's current status. */
  price(row: MessageRow, status: MessageStatus, pricing: StatusPricing): void;
  /** The caller has already changed state columns. */
  changed(row: MessageRow): void;
  /** Replaces the message's text, file or channel data. Does nothing if it was revoked. */
  edit(row: MessageRow, change: ContentChange, at: Date): void;
  /** Marks the message as pinned or not. Does nothing if it already is, or if it was revoked. */
  pin(row: MessageRow, isPinned: boolean): void;
  /** Revokes a message and deletes all of its content. */
  takeBack(row: MessageRow, at: Date): void;
  react(
    row: MessageRow,
    reaction: { author: string; from_me: boolean; emoji: string | null; others?: string[]; at: Date },
  ): void;
  event(type: MessageEventType, row: MessageRow): void;
  /** @param others statements on other rows that run in the round trip of the events */
  write(unit: Unit, others?: readonly RawBuilder<unknown>[]): Promise<void>;
}

/** Omitted fields are unchanged. */
export interface ContentChange {
  /** Body or caption. */
  text?: string | null;
  file?: { type: MediaType; id: string; fileName: string | null };
  channelData?: MessageRow['channel_data'];
}

/** The content with another text, or another file: a message without one becomes one with a caption. */
function toContent({ type, content }: MessageRow, { text, file }: ContentChange): MessageRow['content'] {
  if (file) {
    const caption = (text === undefined ? toText(type, content) : text) || null;
    const media = { media_id: publicId('media', file.id), caption, file_name: file.fileName };
    return media;
  }
  if (text === undefined) return content;
  const isBody = type === 'text' || type === 'interactive';
  return { ...(content as Record<string, never>), ...(isBody ? { body: text ?? '' } : { caption: text }) };
}

const RECEIPTS: ReadonlySet<MessageEventType> = new Set([
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
]);

const messageEvent = (type: MessageEventType, row: MessageRow): NewEvent => ({
  workspaceId: row.workspace_id,
  type,
  resourceId: publicId('message', row.id),
  object: presentMessage(row),
  // Receipts arrive with others: each continues the trace of its message.
  ...(RECEIPTS.has(type) ? { traceparent: null } : {}),
});

const byTime = (a: ReactionRow, b: ReactionRow): number =>
  new Date(a.created_at).getTime() - new Date(b.created_at).getTime() || (a.author < b.author ? -1 : 1);

/** The events of statuses; `sending`, and a return from it to `queued`, have none. */
const EVENT_OF: Partial<Record<MessageStatus, MessageEventType>> = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
  canceled: 'message.canceled',
};

export function createMessageEffects(now: Date): MessageEffects {
  const states = new Map<string, MessageRow>();
  const contents = new Map<string, MessageRow>();
  const reactions = new Map<string, store.ReactionChange>();
  const events: NewEvent[] = [];
  const past = (at: Date): Date => (at <= now ? at : now);

  const effects: MessageEffects = {
    move(row, to, at, error = null, pricing = null) {
      if (!mayMove(row, to)) return false;
      Object.assign(row, statusChange(row, to, past(at), error), { updated_at: now });
      // Before the event, which shows it.
      if (pricing) effects.price(row, to, pricing);
      states.set(row.id, row);
      const type = EVENT_OF[to];
      if (type) effects.event(type, row);
      return true;
    },
    price(row, status, pricing) {
      const history = withPricing(row.status_history as unknown as StatusEntry[], status, pricing);
      if (!history) return;
      row.status_history = history as unknown as MessageRow['status_history'];
      effects.changed(row);
    },
    changed(row) {
      row.updated_at = now;
      states.set(row.id, row);
    },
    edit(row, change, at) {
      if (row.deleted_at !== null) return;
      row.content = toContent(row, change);
      if (change.file) {
        row.type = change.file.type;
        row.media_id = change.file.id;
      }
      if (change.channelData !== undefined) row.channel_data = change.channelData;
      row.search_text = searchTextFor(row.type, row.content, row.subject);
      row.edited_at = past(at);
      contents.set(row.id, row);
      effects.changed(row);
      effects.event('message.edited', row);
    },
    pin(row, isPinned) {
      if (row.deleted_at !== null || row.pinned === isPinned) return;
      row.pinned = isPinned;
      effects.changed(row);
      effects.event('message.edited', row);
    },
    takeBack(row, at) {
      if (row.deleted_at !== null) return;
      row.content = {};
      row.search_text = null;
      row.channel_data = null;
      row.media_id = null;
      row.pinned = false;
      row.deleted_at = past(at);
      contents.set(row.id, row);
      effects.changed(row);
      effects.event('message.deleted', row);
    },
    react(row, { author, from_me: fromMe, emoji, others: further = [], at }) {
      const others = row.reactions.filter((one) => one.author !== author);
      const before = row.reactions.find((one) => one.author === author);
      const isSame = (before?.emoji ?? null) === emoji && isDeepStrictEqual(before?.others ?? [], further);
      if (isSame) return;
      const own =
        emoji === null ? [] : [{ author, from_me: fromMe, emoji, others: further, created_at: past(at) }];
      row.reactions = [...others, ...own].toSorted(byTime);
      const change = {
        workspace_id: row.workspace_id,
        id: row.id,
        author,
        from_me: fromMe,
        emoji,
        others: further,
        at: past(at),
      };
      reactions.set(`${row.id} ${author}`, change);
      effects.changed(row);
      effects.event('message.reaction', row);
    },
    event: (type, row) => void events.push(messageEvent(type, row)),
    async write(unit, others = []) {
      const tx = unit.db;
      // Before the states, which may be of the same rows: a statement changes a row only once.
      await store.writeContents(tx, [...contents.values()]);
      await store.writeReactions(tx, [...reactions.values()]);
      await runBatch(tx, [
        ...others,
        states.size ? store.writeStates([...states.values()], now) : null,
        await unit.events.insertion(unit, events),
      ]);
    },
  };
  return effects;
}
