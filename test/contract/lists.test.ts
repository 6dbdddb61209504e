/** Lists, for every operation that documents a cursor: the envelope, order, filters, and pages that stay true. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type ApiOperation, fillPath } from '../support/api-document.ts';
import { startContractWorld } from '../support/contract-world.ts';
import { addMessage, addUnprocessed, callAsOwner, MAKERS } from '../support/makers.ts';
import { makeObjects } from '../support/references.ts';
import { makeHome } from '../support/tenancy-world.ts';

const world = await startContractWorld();
afterAll(() => world.app.stop());
const { app, document, call, home } = world;

/** Lists with an order of their own, which have tests of their own. */
const IN_OTHER_ORDER = [
  'webhooks.list_health',
  'instances.list_queue',
  'instances.templates',
  'groups.participants',
  'model_providers.list_models',
];

const lists = document.operations
  .filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'))
  .filter(({ id }) => !IN_OTHER_ORDER.includes(id))
  .map((operation) => [operation.id, operation] as const);

test('there are lists', () => expect(lists.length).toBeGreaterThan(4));

let made = 0;

/** Makes one more item of the list. What is written beside each change needs only a change. */
async function makeItem(operation: ApiOperation): Promise<void> {
  const [schema] = document.getVariants(operation.document.responses[200].content['application/json'].schema);
  const [item] = document.getVariants(schema.properties.data.items);
  const [prefix = ''] = String(item.properties.id.examples[0]).split('_');
  if (operation.id === 'clicks.list') await visitLink((await getPath(operation)).split('/').at(-2)!);
  else if (operation.id === 'chats.messages')
    await addMessage(home, (await getPath(operation)).split('/').at(-2)!);
  else if (operation.id === 'instances.list_unprocessed_updates')
    await addUnprocessed(app, home, (await getPath(operation)).split('/').at(-2)!);
  else if (operation.id.endsWith('.list_created'))
    await createFor((await getPath(operation)).split('/').at(-2)!);
  else if (prefix === 'ws') await makeHome(app, `listed-${++made}`, home.owner);
  else if (prefix === 'aud' || prefix === 'evt') await MAKERS.key!(app, home);
  else if (MAKERS[prefix]) await MAKERS[prefix](app, home);
  else
    throw new Error(
      `${operation.id}: no maker for ids with the prefix ${prefix}_; see test/support/makers.ts`,
    );
}

/** Makes a webhook that a key or person created. */
async function createFor(createdBy: string): Promise<void> {
  const id = await MAKERS.whk!(app, home);
  await app.database.pool.query('update webhooks set created_by = $1 where id = $2', [
    createdBy,
    toUuid('webhook', id),
  ]);
}

/** The link is followed, as nothing else makes a click. */
async function visitLink(id: string): Promise<void> {
  const { slug } = await callAsOwner(home, `/links/${id}`);
  const { status } = await fetch(`${app.base}/${slug}`, { redirect: 'manual' });
  if (status !== 302) throw new Error(`the link answered ${status}`);
}

const asOwner = { cookie: home.owner.cookie, origin: app.base, 'fairlead-workspace': home.workspace };

const paths = new Map<string, Promise<string>>();

/** The list's path; where it is of one object, that is made once, and makers of items put theirs into the newest. */
function getPath(operation: ApiOperation): Promise<string> {
  const known = paths.get(operation.id);
  if (known) return known;
  const path = makeObjects(app, operation, home).then((params) => fillPath(operation.path, params, {}));
  paths.set(operation.id, path);
  return path;
}

const page = async (operation: ApiOperation, query: Record<string, string> = {}) =>
  call({
    path: `${await getPath(operation)}?${new URLSearchParams(query).toString()}`,
    headers: asOwner,
  });

/** Lists that can't hold more than a page: how many their maker makes. */
const FEW: Record<string, number> = { 'inspectors.list': 10 };

interface Item {
  id: string;
  created_at: string;
}

/** All items, page by page, from a cursor on where one is given. */
async function allItems(
  operation: ApiOperation,
  limit: number,
  from: string | null = null,
  query: Record<string, string> = {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = from, more = true; more;) {
    const at: Record<string, string> = cursor ? { cursor } : {};
    const { body, text } = await page(operation, { ...query, limit: String(limit), ...at });
    expect(body.data.length, text).toBeLessThanOrEqual(limit);
    if (body.has_more) expect(body.data).toHaveLength(limit);
    items.push(...body.data);
    ({ next_cursor: cursor, has_more: more } = body);
    if (!more) expect(cursor).toBeNull();
  }
  return items;
}

const getIds = (items: Item[]): string[] => items.map(({ id }) => id);
const allIds = async (...query: Parameters<typeof allItems>): Promise<string[]> =>
  getIds(await allItems(...query));

/** Until what was written has come to stand in the list. */
async function settled(operation: ApiOperation, more: number): Promise<void> {
  await expect.poll(async () => (await allIds(operation, 100)).length).toBeGreaterThanOrEqual(more);
}

/** A test that runs alone finds no items of the tests before. */
async function ensureItems(operation: ApiOperation, least: number): Promise<void> {
  const has = (await allIds(operation, 100)).length;
  for (let count = has; count < least; count++) await makeItem(operation);
  await settled(operation, least);
}

/** Until the log has the requests of the tests before; reads of the log add none. */
async function loggedAll(operation: ApiOperation): Promise<void> {
  for (let before = -1, now = 0; now !== before;) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    now = (await allIds(operation, 100)).length;
  }
}

describe.each(lists)('%s', (_id, operation) => {
  if (operation.id === 'requests.list') beforeEach(() => loggedAll(operation));

  test('pages give every item once, newest first, whatever is added meanwhile', async () => {
    const before = (await allIds(operation, 100)).length;
    for (let count = 0; count < 5; count++) await makeItem(operation);
    await settled(operation, before + 5);
    const whole = await allIds(operation, 100);
    expect(new Set(whole).size).toBe(whole.length);

    const { body: first } = await page(operation, { limit: '2' });
    expect(Object.keys(first).toSorted()).toEqual(['data', 'has_more', 'next_cursor', 'object']);
    expect([first.object, first.has_more, typeof first.next_cursor]).toEqual(['list', true, 'string']);
    const times = first.data.map(({ created_at }: Item) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());

    for (let count = 0; count < 3; count++) await makeItem(operation);
    await settled(operation, whole.length + 3);
    const rest = await allIds(operation, 2, first.next_cursor);
    expect([...getIds(first.data), ...rest]).toEqual(whole);
    expect(await allIds(operation, 1)).toEqual(await allIds(operation, 100));
  });

  test('twenty-five items are given where nothing is said', async () => {
    const max = FEW[operation.id] ?? 26;
    await ensureItems(operation, max);
    const { body } = await page(operation);
    expect([body.data.length, body.has_more]).toEqual(max > 25 ? [25, true] : [max, false]);
  });

  test.each(['0', '101', '-1', '1.5', 'ten', ''])('limit=%s is refused', async (limit) => {
    const { status, body } = await page(operation, { limit });
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid_request', '?limit']);
  });

  test('a cursor that the list did not give is refused', async () => {
    await ensureItems(operation, 2);
    const { body } = await page(operation, { limit: '1' });
    const good = Buffer.from(body.next_cursor, 'base64url').toString();
    const forged = [
      'x',
      '%00',
      body.next_cursor.slice(0, -2),
      `${body.next_cursor}A`,
      Buffer.from(`2${good.slice(1)}`).toString('base64url'),
      Buffer.from(`${good}'`).toString('base64url'),
      Buffer.from(`1:' or 1=1 --`).toString('base64url'),
      Buffer.from('1:').toString('base64url'),
      Buffer.from('1:99999999999999999999').toString('base64url'),
    ];
    for (const cursor of forged) {
      const answer = await page(operation, { cursor });
      expect([cursor, answer.status, answer.body.code]).toEqual([cursor, 400, 'invalid_cursor']);
    }
  });

  test('filters by time are bounds that are not in', async () => {
    const names = operation.parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['created_after', 'created_before']));
    await ensureItems(operation, 3);
    const items = await allItems(operation, 100);
    const middle = items[Math.floor(items.length / 2)]!.created_at;
    const idsWhere = (passes: (time: string) => boolean): string[] =>
      getIds(items.filter(({ created_at }) => passes(created_at)));
    const found = (query: Record<string, string>) => allIds(operation, 100, null, query);
    expect(await found({ created_before: middle })).toEqual(idsWhere((time) => time < middle));
    expect(await found({ created_after: middle })).toEqual(idsWhere((time) => time > middle));
    expect(await found({ created_after: middle, created_before: middle })).toEqual([]);
    for (const wrong of ['yesterday', '2026-01-01', '1700000000', '9999-12-31T23:59:59-23:59']) {
      const answer = await page(operation, { created_after: wrong });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, '?created_after']);
    }
  });

  test('a cursor goes on with the filters that it was made with', async () => {
    await ensureItems(operation, 3);
    const items = await allItems(operation, 100);
    const last = items.at(-1)!.created_at;
    const expected = getIds(items.filter(({ created_at }) => created_at > last));
    expect(await allIds(operation, 3, null, { created_after: last })).toEqual(expected);
  });
});

test('/models alone gives all at once', async () => {
  const { body } = await call({ path: '/api/v1/models', headers: { authorization: `Bearer ${world.key}` } });
  expect([body.object, body.has_more, body.next_cursor]).toEqual(['list', false, null]);
  expect(await callAsOwner(home, '/models')).toEqual(body);
});
