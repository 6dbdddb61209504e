/** `shorten_links` on its way through acceptance: refused where nobody makes links, else done with the message. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unitsFor } from '../../events/testing/outbox.ts';
import { uuidOf } from '../../http/ids.ts';
import { createDrivers } from '../channels/driver-registry.ts';
import { createSandbox } from '../channels/sandbox/sandbox.ts';
import { type AcceptDeps, acceptMessages } from './accept.ts';
import type { LinkShortener, ShortenRequest } from './link-shortener.ts';
import { readMessage } from './message-input.ts';
import { type MessagesWorld, startMessages } from './testing.ts';

let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const text = { body: 'See https://example.com/long?a=1.' };

test('without short links it is refused, and nothing is sent', async () => {
  const message = { instance_id: instance, to: 'alice', type: 'text', text, shorten_links: true };
  const fault = { pointer: '/shorten_links', code: 'not_available' };
  const one = await world.call('/messages', message);
  expect([one.status, one.body.code]).toEqual([422, 'unprocessable']);
  expect(one.body.errors).toEqual([expect.objectContaining(fault)]);
  expect((await world.call(`/messages?instance_id=${instance}`)).body.data).toEqual([]);

  const plain = { ...message, shorten_links: false };
  const { body: batch } = await world.call('/messages/batch', { messages: [message, plain] });
  expect([batch.accepted, batch.refused]).toEqual([1, 1]);
  expect(batch.results[0].problem.errors).toEqual([expect.objectContaining(fault)]);
  const sent = batch.results[1].message;
  expect(sent.text.body).toBe(text.body);
  const forwarded = await world.call(`/messages/${sent.id}/forward`, { to: 'bob', shorten_links: true });
  expect([forwarded.status, forwarded.body.errors[0].pointer]).toEqual([422, '/shorten_links']);
});

test('each URL becomes a link of this message, in its own transaction', async () => {
  const { db } = world.app.database;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const sandbox = createSandbox({ db, log, tellOthers() {} });
  const workspaceId = uuidOf('workspace', world.home.workspace)!;
  const asked: ShortenRequest[] = [];
  const accept = (shorten: LinkShortener['shorten']) => {
    const deps: AcceptDeps = {
      drivers: createDrivers([sandbox.driver]),
      media: {} as AcceptDeps['media'],
      assertQuota: async () => {},
      shortener: { shorten },
    };
    const body = { instance_id: instance, to: 'carol', type: 'text', text, shorten_links: true } as const;
    return unitsFor(db).write(async (unit) => {
      const sender = { id: world.home.keyId, source: 'api' } as const;
      const input = readMessage(body, unit.clock());
      const [accepted] = await acceptMessages(unit, deps, workspaceId, [{ sender, input }]);
      if (accepted instanceof Error) throw accepted;
      return accepted!;
    });
  };
  const { message } = await accept(async (unit, request) => {
    asked.push(request);
    expect(unit.db).toBeDefined();
    return new Map(request.urls.map((url) => [url, 'https://s.example/1']));
  });
  const { body: shown } = await world.call(`/messages/${message.id}`);
  expect(shown.text.body).toBe('See https://s.example/1.');
  expect(asked).toEqual([
    {
      workspaceId,
      messageId: uuidOf('message', message.id),
      contactId: uuidOf('contact', shown.contact_id),
      urls: ['https://example.com/long?a=1'],
    },
  ]);
  const found = await world.call(`/messages?instance_id=${instance}&q=long`);
  expect(found.body.data.map(({ id }: { id: string }) => id)).not.toContain(message.id);

  const count = async () => (await world.rows('select count(*)::int as n from messages'))[0].n;
  const before = await count();
  await expect(accept(() => Promise.reject(new Error('no links today')))).rejects.toThrow('no links today');
  expect(await count()).toBe(before);
});
