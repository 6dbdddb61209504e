import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';

let world: MessagesWorld;
let instance: string;
const sent: Record<string, string> = {};

beforeAll(async () => {
  world = await startMessages();
  instance = await world.instance();
  for (const [name, body] of [
    ['order', 'Your order number 4711 is on its way'],
    ['mail', 'Write to alice@example.com, please'],
    ['german', 'Grüße aus München'],
    ['quoted', `It's a "test" \\ with & | ! ( ) : * <-> marks`],
  ] as const)
    sent[name] = (await world.send(instance, { to: name, text: { body } })).id;
});
afterAll(() => world.app.stop());

const ids = async (query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await world.call(`/messages?${new URLSearchParams(query).toString()}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};

describe('search', () => {
  test.each([
    ['order', 'order'],
    ['ORDER num', 'order'],
    ['way order 47', 'order'],
    ['alice@example.com', 'mail'],
    ['alice@exam', 'mail'],
    ['grüße münch', 'german'],
    [`it's a`, 'quoted'],
    [`test' | 'order`, null],
    ['rder', null],
    ['order 4712', null],
    [':* & !', null],
    [`'`, null],
    ['\\', null],
  ])('%s', async (q, name) => {
    expect(await ids({ q })).toEqual(name === null ? [] : [sent[name]]);
  });

  test('finds what lies behind the newest messages by the index of words', async () => {
    const workspace = toUuid('workspace', world.home.workspace);
    const old = await world.send(instance, { to: 'old', text: { body: 'needle in a haystack' } });
    // Others in between: as many as a search looks through itself, and more.
    await world.rows(
      `insert into messages (workspace_id, id, instance_id, chat_id, sequence, direction, source, type, content,
         search_text, status, status_history, created_at, updated_at)
       select m.workspace_id, ('ffff' || substr(md5(n::text), 5, 8) || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
         m.instance_id, m.chat_id, 100 + n, 'inbound', 'channel', 'text', '{"body": "hay"}', 'hay', 'received', '[]', now(), now()
       from messages m, generate_series(1, 6000) n where m.id = $1`.replace(
        'substr(md5(n::text), 5, 8)',
        "'ffff'",
      ),
      [toUuid('message', old.id)],
    );
    expect(await ids({ q: 'needle' })).toEqual([old.id]);
    expect(await ids({ q: 'needle', instance_id: instance, direction: 'outbound', type: 'text' })).toEqual([
      old.id,
    ]);
    expect(await ids({ q: 'needle', direction: 'inbound' })).toEqual([]);
    expect(await ids({ q: 'hay', limit: '100' })).toHaveLength(100);
    // Combines the search with other filters; no match is among the newest messages.
    expect(await ids({ q: 'hay', direction: 'outbound' })).toEqual([old.id]);
    expect(await ids({ q: 'hay', type: 'poll' })).toEqual([]);
    expect(await ids({ q: 'needle', status: 'queued', created_before: '2020-01-01T00:00:00Z' })).toEqual([]);
    const { rows } = {
      rows: await world.rows('select count(*)::int as n from messages where workspace_id = $1', [workspace]),
    };
    expect(rows[0].n).toBeGreaterThan(6_000);
    await world.rows("delete from messages where search_text = 'hay'");
  });

  test("never finds another workspace's", async () => {
    const other = await world.app.signUp();
    const { body } = await other.call('/workspaces', { body: { name: 'Elsewhere' } });
    const found = await other.call('/messages?q=order', { workspace: body.id });
    expect(found.body.data).toEqual([]);
  });
});

describe('filters', () => {
  test('by chat, contact, direction, type, status and instance, together as well', async () => {
    const own = await world.instance();
    const out = await world.send(own, { to: 'filtered' });
    const came = await world.receive(out.chat.id, 'Hello');
    const place = await world.send(own, {
      to: 'elsewhere',
      type: 'location',
      text: undefined,
      location: { latitude: 1, longitude: 2 },
    });
    const at = { instance_id: own };
    expect(await ids(at)).toEqual([place.id, came, out.id]);
    expect(await ids({ ...at, chat_id: out.chat.id })).toEqual([came, out.id]);
    expect(await ids({ contact_id: out.contact_id })).toEqual([came, out.id]);
    expect(await ids({ contact_id: out.contact_id, direction: 'inbound' })).toEqual([came]);
    expect(await ids({ ...at, type: 'location' })).toEqual([place.id]);
    expect(await ids({ ...at, status: 'received' })).toEqual([came]);
    expect(await ids({ ...at, status: 'queued' })).toEqual([place.id, out.id]);
    expect(await ids({ ...at, status: 'sending' })).toEqual([]);
    await world.rows(
      "update messages set status = 'failed', failed_as = 'failed', error_code = 'expired' where id = $1",
      [toUuid('message', place.id)],
    );
    expect(await ids({ ...at, status: 'failed' })).toEqual([place.id]);
    expect((await world.call(`/messages/${place.id}`)).body.error).toEqual({
      code: 'expired',
      title: 'Not sent in time',
      detail: '',
      retryable: false,
    });
    expect(await ids({ instance_id: 'ins_7zzzzzzzzzzzzzzzzzzzzzzzzz' })).toEqual([]);
  });
});
