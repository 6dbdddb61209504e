/**
 * Converts updates to signals. Fields in an unexpected form are left out, never guessed; an update without required
 * fields is reported as unprocessed. Changes of locations, contacts and polls, and updates of chat members and buttons
 * about the bot itself are ignored on purpose.
 */
import type { Update } from '@grammyjs/types';
import { type Signal, unprocessed } from '../contract/signal.ts';
import { onMember, onOwnMember } from './group-changes.ts';
import { onCallback } from './pressed-button.ts';
import { onReaction } from './reaction.ts';
import { onEdited, onMessage } from './received-message.ts';
import { object, type Untrusted } from './untrusted.ts';
import { ALLOWED_UPDATES, type InboundDeps, type Outcome } from './update.ts';

const HANDLERS: Record<
  (typeof ALLOWED_UPDATES)[number],
  (
    deps: InboundDeps,
    given: never,
    update: Untrusted<Update>,
    signal: AbortSignal,
  ) => Outcome | Promise<Outcome>
> = {
  message: onMessage,
  channel_post: onMessage,
  edited_message: onEdited,
  edited_channel_post: onEdited,
  message_reaction: onReaction,
  callback_query: onCallback,
  my_chat_member: onOwnMember,
  chat_member: onMember,
};

/** Returns the reader of updates. */
export function createInbound(deps: InboundDeps) {
  /** @returns signals of one update. @throws DriverError if a file can't be stored now */
  return async (given: unknown, signal: AbortSignal): Promise<Signal[]> => {
    const update = object<Update>(given);
    if (!update) return [unprocessed('malformed', null, given)];
    const kind = ALLOWED_UPDATES.find((name) => update[name] !== undefined);
    if (!kind) {
      const type = Object.keys(update).find((name) => name !== 'update_id') ?? null;
      return [unprocessed('unknown_kind', type, given)];
    }
    const value = object<object>(update[kind]);
    const outcome = value ? await HANDLERS[kind](deps, value as never, update, signal) : 'malformed';
    return typeof outcome === 'string' ? [unprocessed(outcome, kind, given)] : outcome;
  };
}
