/** Instances and messages in the states that tests need; nobody connects them, so that they stay as they are. */
import type { AppDeps } from '../../../src/app/app-deps.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { publicId, toUuid } from '../../../src/core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type Answer, type TestApp } from '../test-app.ts';

let made = 0;

export interface MessagesWorld {
  app: TestApp;
  home: Awaited<ReturnType<typeof startWorkspace>>;
  /** Calls with the workspace's key. */
  call(path: string, body?: unknown, method?: string, headers?: Record<string, string>): Promise<Answer>;
  /** An instance that takes messages, which stay in its queue. @returns its ID */
  instance(channel?: 'sandbox' | 'email' | 'telegram', settings?: object): Promise<string>;
  /** Sends a text. @returns the message */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  send(instanceId: string, more?: object): Promise<any>;
  /** As if the channel had taken it. */
  markSent(messageId: string, sentAt?: Date): Promise<void>;
  /** A text that came to a chat. @returns its ID */
  receive(chatId: string, body: string): Promise<string>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any row
  rows(text: string, values?: unknown[]): Promise<any[]>;
  /** Of a resource, in their order. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any event
  events(resourceId: string): Promise<{ type: string; data: any }[]>;
}

export async function startMessages(
  env: Record<string, string> = {},
  egress?: AppDeps['egress'],
): Promise<MessagesWorld> {
  const app = await startTestApp(env, undefined, false, undefined, egress);
  const home = await startWorkspace(app);
  const rows = async (text: string, values: unknown[] = []) =>
    (await app.database.pool.query(text, values)).rows;
  const world: MessagesWorld = {
    app,
    home,
    rows,
    call: (path, body, method, headers) => app.call(path, { key: home.key, body, method, headers }),
    async instance(channel = 'sandbox', settings = {}) {
      const { status, body } = await world.call('/instances', { name: `box ${++made}`, channel: 'sandbox' });
      if (status !== 201) throw new Error(JSON.stringify(body));
      await rows("update instances set state = 'connected', channel = $2, settings = $3 where id = $1", [
        toUuid('instance', body.id),
        channel,
        settings,
      ]);
      return body.id;
    },
    async send(instanceId, more = {}) {
      const given = { instance_id: instanceId, to: 'alice', type: 'text', text: { body: 'Hi' }, ...more };
      const { status, body } = await world.call('/messages', given);
      if (status !== 202) throw new Error(JSON.stringify(body));
      return body;
    },
    async markSent(messageId, sentAt = new Date()) {
      await rows(
        `with gone as (delete from send_queue where id = $1)
         update messages set status = 'sent', sent_at = $2, external_id = 'x' where id = $1`,
        [toUuid('message', messageId), sentAt],
      );
    },
    async receive(chatId, body) {
      const [{ id }] = await rows(
        `with numbers as (
           update instance_queues q set last_sequence = last_sequence + 1
           from chats c where c.id = $1 and q.instance_id = c.instance_id returning q.last_sequence
         ), chat as (
           update chats set unread = unread + 1 where id = $1 returning *
         )
         insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content,
           search_text, from_address, contact_id, status, status_history, created_at, updated_at)
         select c.workspace_id, $2, c.instance_id, c.id, n.last_sequence, 'inbound', 'channel', 'text',
           jsonb_build_object('body', $3::text), $3, c.address, c.contact_id, 'received',
           '[{"status": "received", "at": "2026-01-15T09:30:00.000Z"}]', now(), now()
         from chat c, numbers n returning id`,
        [toUuid('chat', chatId), newUuid(), body],
      );
      return publicId('message', id);
    },
    async events(resourceId) {
      // The sequencer moves them from the one to the other, in their order.
      const found = await rows(
        `select type, data from (
           select type, data, event_id as id from outbox where resource_id = $1
           union select type, data, id from events where resource_id = $1
         ) e order by id`,
        [resourceId],
      );
      return found.map(({ type, data }) => ({ type, data }));
    },
  };
  return world;
}
