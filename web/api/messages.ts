/** Messages: sending them, and what can be done with those that are there. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ApiProblem } from './problem.ts';
import type { operations } from './schema.d.ts';
import type { Message } from './types.ts';

export type NewMessage = operations['messages.send']['requestBody']['content']['application/json'];
export type MessageChange = NonNullable<
  operations['messages.update']['requestBody']
>['content']['application/json'];
export type Forwarding = NonNullable<
  operations['messages.forward']['requestBody']
>['content']['application/json'];

export const messageQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'messages', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/messages/{id}', { params: { path: { id } }, signal })),
  });

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

/**
 * Returns a function that sends messages, for one composer or form. A message whose answer got lost has the same
 * Idempotency-Key when it is sent again, so that it is never sent twice. Any other message has a new one: the server
 * would repeat its answer to the first, or reject the key.
 */
export function makeSender(workspaceId: string): (body: NewMessage) => Promise<Message> {
  let tried: { body: string; key: string } | null = null;
  return async (body) => {
    const text = JSON.stringify(body);
    if (tried?.body !== text) tried = { body: text, key: newIdempotencyKey() };
    try {
      const message = await unwrap(
        apiFor(workspaceId).POST('/api/v1/messages', {
          params: { header: { 'Idempotency-Key': tried.key } },
          body,
        }),
      );
      tried = null;
      return message;
    } catch (error) {
      if (!isUndecided(error)) tried = null;
      throw error;
    }
  };
}

export const updateMessage = (workspaceId: string, id: string, body: MessageChange): Promise<Message> =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/messages/{id}', { params: { path: { id } }, body }));

/** Takes it back at the channel; one that waits is canceled. */
export const deleteMessage = (workspaceId: string, id: string): Promise<Message> =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/messages/{id}', { params: { path: { id } } }));

export const cancelMessage = (workspaceId: string, id: string): Promise<Message> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/messages/{id}/cancel', { params: { path: { id } } }));

export const forwardMessage = (workspaceId: string, id: string, body: Forwarding): Promise<Message> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/messages/{id}/forward', { params: { path: { id } }, body }));

/** Pins or unpins a message in its chat. */
export function pinMessage(workspaceId: string, id: string, isPinned: boolean): Promise<Message> {
  const params = { path: { id } };
  const api = apiFor(workspaceId);
  return unwrap(
    isPinned
      ? api.PUT('/api/v1/messages/{id}/pin', { params })
      : api.DELETE('/api/v1/messages/{id}/pin', { params }),
  );
}

/** @param emoji null takes the reaction back */
export function reactToMessage(workspaceId: string, id: string, emoji: string | null): Promise<Message> {
  const params = { path: { id } };
  const api = apiFor(workspaceId);
  return unwrap(
    emoji === null
      ? api.DELETE('/api/v1/messages/{id}/reaction', { params })
      : api.PUT('/api/v1/messages/{id}/reaction', { params, body: { emoji } }),
  );
}
