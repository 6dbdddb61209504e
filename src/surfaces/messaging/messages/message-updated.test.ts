/** Tests which changes update a message's `updated_at`, and how the OpenAPI document describes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Message } from '../records/message.schema.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
beforeAll(async () => {
  world = await startMessages();
});
afterAll(() => world.app.stop());

test('a change of status moves updated_at, and only an edit moves edited_at', async () => {
  const { id, created_at: createdAt, updated_at: updatedAt } = await world.send(await world.instance());
  expect(updatedAt).toBe(createdAt);
  const { body } = await world.call(`/messages/${id}/cancel`, undefined, 'POST');
  const at = Date.parse(body.status_history.at(-1).at);
  expect(Date.parse(body.updated_at)).toBeGreaterThanOrEqual(at);
  expect(at).toBeGreaterThan(Date.parse(createdAt));
  expect([body.status, body.edited_at]).toEqual(['canceled', null]);
  expect((await world.call(`/messages/${id}`)).body.updated_at).toBe(body.updated_at);
  const { description } = Message.properties.updated_at as { description?: string };
  expect(description).toContain('status');
});
