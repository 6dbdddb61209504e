import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;
let box: string;
let other: string;
// Nothing is sent and no job runs, so that queued rows can be inspected.
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api' });
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
  box = await newInstance();
  other = await newInstance();
});
afterAll(() => app.stop());

let made = 0;
const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
async function newInstance(): Promise<string> {
  const { status, body } = await call('/instances', { name: `Contacts ${++made}`, channel: 'sandbox' });
  expect(status).toBe(201);
  return body.id;
}
const at = (address: string, instance = box) => ({ instance_id: instance, address });
const someone = (): string => `someone${++made}`;
async function create(body: object) {
  const answer = await call('/contacts', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}
const get = (id: string) => call(`/contacts/${id}`);
const getNames = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);
const eventsAbout = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
    ({ data }) => (data as { object: { id?: string } }).object.id === id,
  );
const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;

describe('create', () => {
  test('creates a contact with normalized addresses and emits an event', async () => {
    const address = someone();
    const given = { name: ' Alice ', identities: [at(` ${address.toUpperCase()} `), at(address)] };
    const { status, body, headers } = await call('/contacts', { ...given, metadata: { b: '1', a: '2' } });
    expect([status, headers.get('etag')]).toEqual([201, '"1"']);
    expect(body).toMatchObject({
      object: 'contact',
      name: 'Alice',
      profile_name: null,
      identities: [at(address)],
      avatar_url: null,
      blocked: false,
      metadata: { a: '2', b: '1' },
    });
    expect((await get(body.id)).body).toEqual(body);
    expect((await eventsAbout(body.id)).map(({ type }) => type)).toEqual(['contact.created']);
  });

  test('rejects an address of another contact, and names that contact', async () => {
    const address = someone();
    const first = await create({ identities: [at(address)] });
    const { status, body } = await call('/contacts', { identities: [at(address)] });
    expect([status, body.code]).toEqual([409, 'conflict']);
    expect(body.detail).toContain(first.id);
  });

  test.each([
    ['nothing at all', {}, 400, ''],
    ['an unknown field', { nam: 'x' }, 400, '/nam'],
    ['a script as picture', { name: 'x', avatar_url: 'javascript:alert(1)' }, 400, '/avatar_url'],
  ])('refuses %s', async (_what, body, status, pointer) => {
    const answer = await call('/contacts', body);
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });

  test('rejects invalid addresses and instances of other workspaces', async () => {
    const bad = await call('/contacts', {
      identities: [at('a b'), at('@'), at(publicId('contact', newUuid()))],
    });
    expect([bad.status, bad.body.code, bad.body.errors.length]).toEqual([422, 'invalid_address', 2]);
    const foreign = await app.call('/instances', {
      key: stranger.key,
      body: { name: 'Theirs', channel: 'sandbox' },
    });
    const answer = await call('/contacts', { identities: [at('x', foreign.body.id)] });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([404, '/identities/0/instance_id']);
  });
});

describe('upsert', () => {
  test('creates one contact from twenty concurrent requests, then changes it', async () => {
    const address = someone();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('/contacts/upsert', { ...at(address), name: 'Bob' }, 'PUT')),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      201,
    ]);
    const ids = new Set(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const [id] = ids;
    expect(await eventsAbout(id)).toHaveLength(1);
    const changed = await call('/contacts/upsert', { ...at(address), name: 'Robert' }, 'PUT');
    expect([changed.status, changed.body.id, changed.body.name]).toEqual([200, id, 'Robert']);
    const events = await eventsAbout(id);
    expect(events.at(-1)).toMatchObject({
      type: 'contact.updated',
      data: { previous_attributes: { name: 'Bob' } },
    });
    const again = await call('/contacts/upsert', { ...at(address), name: 'Robert' }, 'PUT');
    expect(again.headers.get('etag')).toBe(changed.headers.get('etag'));
    expect(await eventsAbout(id)).toHaveLength(events.length);
  });
});

describe('change', () => {
  test('replaces addresses, including several on one instance, and checks versions', async () => {
    const [a, b, c] = [someone(), someone(), someone()];
    const contact = await create({ name: 'Many', identities: [at(a)] });
    const path = `/contacts/${contact.id}`;
    const changed = await call(path, { identities: [at(b), at(c), at(a, other)] }, 'PATCH');
    expect(changed).toHaveStatus(200);
    expect(changed.body.identities).toEqual(
      expect.arrayContaining([at(b), at(c), at(a, other)].map((one) => ({ ...one, reachable: true }))),
    );
    expect(changed.body.identities).toHaveLength(3);
    expect((await get(contact.id)).body).toEqual(changed.body);
    const late = await call(path, { name: 'Late' }, 'PATCH', { 'if-match': '"1"' });
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    const freed = await create({ identities: [at(a)] });
    const taken = await call(path, { identities: [at(a)] }, 'PATCH');
    expect([taken.status, taken.body.detail]).toEqual([409, expect.stringContaining(freed.id)]);
    const same = await call(path, { metadata: {}, name: 'Many' }, 'PATCH');
    expect(same.headers.get('etag')).toBe(changed.headers.get('etag'));
  });
});

describe('list', () => {
  test('searches by prefix of name or address, page by page, with filters', async () => {
    const tag = `zq${++made}`;
    const names = ['b', 'A', 'c_', 'c%', 'd'].map((end) => `${tag.toUpperCase()}${end}`);
    for (const [nth, name] of names.entries())
      await create({
        name,
        identities: [at(`${tag}x${nth}`), at(`${tag}x${nth}`, other), at(`${tag}y${nth}`)],
      });
    const all: string[] = [];
    for (let cursor = ''; ;) {
      const page = await call(`/contacts?name=${tag}&limit=2${cursor}`);
      expect(page).toHaveStatus(200);
      all.push(...getNames(page));
      if (!page.body.has_more) break;
      cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`;
    }
    expect(all.map((name) => name.slice(tag.length))).toEqual(['A', 'b', 'c%', 'c_', 'd']);
    expect(getNames(await call(`/contacts?name=${tag}c%25`))).toEqual([names[3]]);
    const byAddress: string[] = [];
    for (let cursor = ''; ;) {
      const page = await call(`/contacts?address=${tag.toUpperCase()}&limit=2${cursor}`);
      byAddress.push(...getNames(page));
      if (!page.body.has_more) break;
      cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`;
    }
    // Each contact once, however many addresses match.
    expect(byAddress).toEqual(names);
    expect(getNames(await call(`/contacts?name=${tag}&address=${tag}y3`))).toEqual([names[3]]);
    expect(getNames(await call(`/contacts?instance_id=${other}&limit=5`))).toEqual(names.toReversed());
    const blocked = (await call(`/contacts?address=${tag}x1`)).body.data[0];
    await call(`/contacts/${blocked.id}/block`, undefined, 'POST');
    expect(getNames(await call(`/contacts?name=${tag}&blocked=true`))).toEqual([names[1]]);
    expect(getNames(await call('/contacts?blocked=true&limit=1'))).toEqual([names[1]]);
    expect(getNames(await call(`/contacts?instance_id=${other}&blocked=false&limit=4`))).toEqual(
      [...names].toReversed().filter((name) => name !== names[1]),
    );
    const before = encodeURIComponent(blocked.created_at);
    expect(getNames(await call(`/contacts?limit=1&created_before=${before}`))).toEqual([names[0]]);
    expect(getNames(await call(`/contacts?name=${tag}&created_after=${before}`))).toHaveLength(3);
  });

  test('search finds contacts by the beginning of any word of a name', async () => {
    const tag = `sw${++made}`;
    const named = (name: string) => create({ name: name.replaceAll('~', tag) });
    for (const name of ['Ann ~Meyer', '~Anna Jean-~Luc', "O'~Brien (~Bob)", 'ÜMIT ~meyerhof', '~Ann ~Anna'])
      await named(name);
    const search = async (text: string, more = '') => {
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const page = await call(
          `/contacts?search=${encodeURIComponent(text.replaceAll('~', tag))}&limit=2${more}${cursor}`,
        );
        expect(page).toHaveStatus(200);
        found.push(...getNames(page).map((name) => name.replaceAll(tag, '~')));
        if (!page.body.has_more) return found;
        cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`;
      }
    };
    expect(await search('~MEY')).toEqual(['Ann ~Meyer', 'ÜMIT ~meyerhof']);
    expect(await search('~mey ann')).toEqual(['Ann ~Meyer']);
    expect(await search('ümi ~m')).toEqual(['ÜMIT ~meyerhof']);
    expect(await search('~luc')).toEqual(['~Anna Jean-~Luc']);
    expect(await search("o'~brien")).toEqual(["O'~Brien (~Bob)"]);
    // Each contact once, however many of its words match.
    expect(await search('~ann')).toEqual(['~Ann ~Anna', '~Anna Jean-~Luc']);
    expect(await search('~')).toHaveLength(5);
    expect(await search('eyer')).toEqual([]);
    expect(await search('-- !')).toEqual([]);
    expect(await search('~mey', '&name=ann')).toEqual(['Ann ~Meyer']);
    const lines = (await call(`/contacts/export?search=${tag}mey`)).body.trim().split('\n');
    expect(lines).toHaveLength(3);

    const [contact] = (await call(`/contacts?search=${tag}brien`)).body.data;
    await call(`/contacts/${contact.id}`, { name: `${tag}Brown` }, 'PATCH');
    expect(await search('~brien')).toEqual([]);
    expect(await search('~bro')).toEqual(['~Brown']);
    await call(`/contacts/${contact.id}`, undefined, 'DELETE');
    expect(await search('~bro')).toEqual([]);
    expect((await app.call(`/contacts?search=${tag}`, { key: stranger.key })).body.data).toEqual([]);
  });

  test('rejects a cursor of another sort order', async () => {
    await create({ name: 'One' });
    await create({ name: 'Two' });
    const { next_cursor: cursor } = (await call('/contacts?limit=1')).body;
    const { status, body } = await call(`/contacts?name=t&cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  });

  test('contains nothing of other workspaces', async () => {
    expect((await app.call('/contacts', { key: stranger.key })).body.data).toEqual([]);
  });
});

describe('block', () => {
  test('is stored on the contact and sent in order to each channel that supports it', async () => {
    const contact = await create({ identities: [at(someone()), at(someone(), other)] });
    const path = `/contacts/${contact.id}`;
    const blocked = await call(`${path}/block`, undefined, 'POST');
    expect([blocked.status, blocked.body.blocked]).toEqual([200, true]);
    expect((await call(`${path}/block`, undefined, 'POST')).headers.get('etag')).toBe(
      blocked.headers.get('etag'),
    );
    expect((await call(`${path}/unblock`, undefined, 'POST')).body.blocked).toBe(false);
    const rows = await query(
      `select instance_id, action, payload, due_at = 'infinity' as waits from send_queue
       where payload ->> 'contact_id' = $1 order by instance_id, position`,
      [contact.id],
    );
    expect(rows.map(({ action, waits }) => [action, waits])).toEqual([
      ['block', false],
      ['unblock', true],
      ['block', false],
      ['unblock', true],
    ]);
    expect((await eventsAbout(contact.id)).map(({ type }) => type)).toEqual([
      'contact.created',
      'contact.updated',
      'contact.updated',
    ]);
  });
});

describe('check', () => {
  test('is rejected if the instance is not connected or does not exist', async () => {
    const answer = await call('/contacts/check', { instance_id: box, addresses: ['alice'] });
    expect([answer.status, answer.body.code]).toEqual([422, 'instance_disconnected']);
    const none = await call('/contacts/check', {
      instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
      addresses: ['alice'],
    });
    expect(none).toHaveStatus(404);
  });

  test('completes immediately if the channel cannot check addresses', async () => {
    const mail = await call('/instances', {
      name: 'Mail',
      channel: 'email',
      settings: {
        address: `check-${++made}@example.com`,
        imap: { host: '8.8.8.8', port: 993, security: 'tls' },
        smtp: { host: '8.8.8.8', port: 465, security: 'tls' },
      },
      credentials: { user: 'u', password: 'p' },
    });
    const { status, body } = await call('/contacts/check', {
      instance_id: mail.body.id,
      addresses: ['Bob@EXAMPLE.com', 'nobody'],
    });
    expect([status, body.state]).toEqual([202, 'succeeded']);
    expect(body.result).toEqual({
      results: [
        { address: 'Bob@EXAMPLE.com', normalised: expect.stringMatching(/@example\.com$/), exists: null },
        { address: 'nobody', normalised: null, exists: false },
      ],
    });
    expect((await call(`/jobs/${body.id}`)).body).toEqual(body);
  });
});
