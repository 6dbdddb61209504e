/** Messages: sending them, and what can be done with those that are there. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
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

/** What makes a call that is repeated because no answer came the same call. */
export const newIdempotencyKey = (): string =>
  crypto
    .getRandomValues(new Uint8Array(KEY_BYTES))
    .reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '');

/** @param idempotencyKey the same for each try of one message */
export const sendMessage = (
  workspaceId: string,
  body: NewMessage,
  idempotencyKey: string,
): Promise<Message> =>
  unwrap(
    apiFor(workspaceId).POST('/api/v1/messages', {
      params: { header: { 'Idempotency-Key': idempotencyKey } },
      body,
    }),
  );

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
