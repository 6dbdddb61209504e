/** Messages: sending them, and actions on existing ones. */
import { readQuery } from './read.ts';
import { get, send, post, patch, del, type BodyOf, put, type ApiCall } from './call.ts';
import { ApiProblem } from './problem.ts';
import type { Message } from './types.ts';

export type NewMessage = BodyOf<'post', '/messages'>;

export const messageQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'messages', id], workspaceId, get('/messages/{id}', { path: { id } }));

const KEY_BYTES = 16;

const newIdempotencyKey = (): string =>
  crypto
    .getRandomValues(new Uint8Array(KEY_BYTES))
    .reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '');

const UNDECIDED: ReadonlySet<number> = new Set([0, 401, 403, 429]);

/** Whether the outcome is unknown, or the server keeps no answer: a retry must be recognized as the same call. */
const isUndecided = (error: unknown): boolean =>
  !(error instanceof ApiProblem) ||
  UNDECIDED.has(error.status) ||
  error.status >= 500 ||
  error.code === 'idempotency_in_progress';

/** Sent with `makeSender`. */
export const createMessage = (body: NewMessage) => post('/messages', { body });

/**
 * Returns a function that sends messages, for one composer or form. If the response to a message is lost, sending it
 * again uses the same Idempotency-Key, so that it is never sent twice. Every other message has a new key; otherwise the
 * server would repeat its first response, or reject the key.
 */
export function makeSender(workspaceId: string): (call: ApiCall<Message>) => Promise<Message> {
  let tried: { body: string; key: string } | null = null;
  return async (call) => {
    const text = JSON.stringify(call.body);
    if (tried?.body !== text) tried = { body: text, key: newIdempotencyKey() };
    try {
      const message = await send(workspaceId, call, { idempotencyKey: tried.key });
      tried = null;
      return message;
    } catch (error) {
      if (!isUndecided(error)) tried = null;
      throw error;
    }
  };
}

export const updateMessage = (id: string, body: BodyOf<'patch', '/messages/{id}'>) =>
  patch('/messages/{id}', { path: { id }, body });

/** Takes it back at the channel; one that waits is canceled. */
export const deleteMessage = (id: string) => del('/messages/{id}', { path: { id } });

export const cancelMessage = (id: string) => post('/messages/{id}/cancel', { path: { id } });

export const forwardMessage = (id: string, body: BodyOf<'post', '/messages/{id}/forward'>) =>
  post('/messages/{id}/forward', { path: { id }, body });

/** Pins or unpins a message in its chat. */
export const pinMessage = (id: string, isPinned: boolean): ApiCall<Message> =>
  (isPinned ? put : del)('/messages/{id}/pin', { path: { id } });

/** @param emoji null takes the reaction back */
export const reactToMessage = (id: string, emoji: string | null): ApiCall<Message> =>
  emoji === null
    ? del('/messages/{id}/reaction', { path: { id } })
    : put('/messages/{id}/reaction', { path: { id }, body: { emoji } });
