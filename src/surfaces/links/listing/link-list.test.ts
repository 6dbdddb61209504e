import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let otherKey: { id: string; secret: string };
/** Name → ID, in the order in which they were made. */
const links = new Map<string, string>();
const [contact, message] = [newUuid(), newUuid()];

const createLink = async (name: string, body: object, key = home.key) => {
  const made = await app.call('/links', { key, body: { url: 'https://example.com/', title: name, ...body } });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  links.set(name, made.body.id);
};
const run = (text: string, values: unknown[]) => app.database.pool.query(text, values);
const uuid = (name: string) => toUuid('link', links.get(name)!)!;
const getNames = (data: { id: string }[]) =>
  data.map(({ id }) => [...links].find(([, own]) => own === id)?.[0] ?? id);

/** Names of all that fit, page by page. */
async function list(query: string, limit = 2): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const answer = await app.call(
      `/links?limit=${limit}${query === '' ? '' : `&${query}`}${cursor ? `&cursor=${cursor}` : ''}`,
      { key: home.key },
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    names.push(...getNames(answer.body.data));
    cursor = answer.body.next_cursor;
  } while (cursor);
  return names;
}

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  otherKey = (
    await home.owner.call('/api-keys', { workspace: home.workspace, body: { name: 'o', preset: 'links' } })
  ).body;
  await run(
    `insert into domains (workspace_id, id, host, state, token, pending_since, created_at, updated_at)
     values ($1, $2, 'go.example', 'verified', 't', now(), now(), now())`,
    [toUuid('workspace', home.workspace), newUuid()],
  );
  await createLink('plain', {});
  await createLink('tagged', { tags: ['Spring', 'ads'], slug: 'Frühling_2026' });
  await createLink('other tag', {
    tags: ['summer'],
    domain: 'GO.example',
    slug: 'both',
    url: 'https://shop.example/cart?x=Bücher',
  });
  await createLink('secret', { password: 'open sesame', external_id: 'ext-1' }, otherKey.secret);
  await createLink('over', {});
  await createLink('archived', { slug: 'both' });
  await createLink('spent', { max_clicks: 2 });
  await createLink('sent', { description: 'for Alice' });
  await app.call(`/links/${links.get('over')}`, {
    key: home.key,
    method: 'PATCH',
    body: { expires_at: '2020-01-01T00:00:00Z' },
  });
  await app.call(`/links/${links.get('archived')}`, {
    key: home.key,
    method: 'PATCH',
    body: { archived: true },
  });
  await run('update link_budgets set used = 2 where link_id = $1', [uuid('spent')]);
  await run('update links set contact_id = $2, message_id = $3 where id = $1', [
    uuid('sent'),
    contact,
    message,
  ]);
  for (const [name, clicks, at] of [
    ['plain', 5, '2026-02-01T00:00:00.123456Z'],
    ['tagged', 5, '2026-02-03T00:00:00Z'],
    ['secret', 9, '2026-02-02T00:00:00Z'],
  ])
    await run('update link_counters set clicks = $2, last_clicked_at = $3 where link_id = $1', [
      uuid(name as string),
      clicks,
      at,
    ]);
});
afterAll(() => app.stop());

const ALL = ['sent', 'spent', 'archived', 'over', 'secret', 'other tag', 'tagged', 'plain'];

test.each<[string, string[]]>([
  ['', ALL],
  ['sort=created_at', ALL],
  ['sort=clicks', ['secret', 'tagged', 'plain', 'sent', 'spent', 'archived', 'over', 'other tag']],
  ['sort=last_clicked_at', ['tagged', 'secret', 'plain', 'sent', 'spent', 'archived', 'over', 'other tag']],
  ['domain=go.example', ['other tag']],
  ['domain=localhost', ALL.filter((name) => name !== 'other tag')],
  ['domain=unknown.example', []],
  ['slug=Fr%C3%BChling_2026', ['tagged']],
  ['slug=Fru%CC%88hling_2026', ['tagged']],
  ['slug=fr%C3%BChling_2026', []],
  ['slug=Fr%C3%BChling', []],
  ['slug=both', ['archived', 'other tag']],
  ['slug=both&sort=clicks', ['archived', 'other tag']],
  ['slug=both&domain=go.example', ['other tag']],
  ['slug=both&domain=localhost&state=active', []],
  ['slug=a/b', []],
  ['tag=spring', ['tagged']],
  ['tag=SUMMER,spring,none', ['other tag', 'tagged']],
  ['tag=SUMMER&tag=spring,none', ['other tag', 'tagged']],
  ['tag=summer,spring&sort=clicks', ['tagged', 'other tag']],
  ['tag=none', []],
  ['state=active', ['sent', 'secret', 'other tag', 'tagged', 'plain']],
  ['state=archived', ['archived']],
  ['state=expired', ['over']],
  ['state=exhausted', ['spent']],
  ['state=active&sort=clicks', ['secret', 'tagged', 'plain', 'sent', 'other tag']],
  ['search=fr%C3%BChling', ['tagged']],
  ['search=fr%C3%BC', ['tagged']],
  ['search=fr%C3%BC%202026', []],
  ['search=2026%20fr%C3%BC', ['tagged']],
  [
    'search=EXAMPLE&sort=clicks',
    ['secret', 'tagged', 'plain', 'sent', 'spent', 'archived', 'over', 'other tag'],
  ],
  ['search=shop.example', ['other tag']],
  ['search=b%C3%BCch', ['other tag']],
  ['search=ext-1', ['secret']],
  ['search=alice', ['sent']],
  ['search=%27%3A*%20%26%20!', []],
  [`search=${'x'.repeat(200)}`, []],
  ['external_id=ext-1', ['secret']],
  ['external_id=ext', []],
  ['has_password=true', ['secret']],
  ['has_password=false&state=active', ['sent', 'other tag', 'tagged', 'plain']],
  ['created_after=2020-01-01T00:00:00Z', ALL],
  ['created_before=2020-01-01T00:00:00Z', []],
  ['created_before=2020-01-01T00:00:00Z&sort=clicks', []],
])('%s', async (query, names) => {
  expect(await list(query)).toEqual(names);
  expect(await list(query, 100)).toEqual(names);
  const count = await app.call(`/links/count?${query.replace(/&?sort=\w+/, '')}`, { key: home.key });
  expect(count.body).toEqual({ object: 'link_count', count: names.length, is_exact: true });
});

test('links of other workspaces are not found by their slug', async () => {
  const stranger = await startWorkspace(app);
  const { body } = await app.call('/links?slug=both', { key: stranger.key });
  expect(body.data).toEqual([]);
});

test('what they were made for and who made them are filters', async () => {
  expect(await list(`contact_id=${publicId('contact', contact)}`)).toEqual(['sent']);
  expect(await list(`message_id=${publicId('message', message)}`)).toEqual(['sent']);
  expect(await list(`created_by=${otherKey.id}`)).toEqual(['secret']);
  expect(await list(`created_by=${home.keyId}&sort=last_clicked_at`)).toEqual([
    'tagged',
    'plain',
    'sent',
    'spent',
    'archived',
    'over',
    'other tag',
  ]);
});

describe('cursors', () => {
  test.each(['created_at', 'clicks', 'last_clicked_at'])(
    'of another order are refused by %s',
    async (sort) => {
      for (const other of ['created_at', 'clicks', 'last_clicked_at'].filter((one) => one !== sort)) {
        const page = await app.call(`/links?limit=1&sort=${other}`, { key: home.key });
        const answer = await app.call(`/links?sort=${sort}&cursor=${page.body.next_cursor}`, {
          key: home.key,
        });
        expect([answer.status, answer.body.code]).toEqual([400, 'invalid_cursor']);
      }
    },
  );

  test('stay where they are while clicks are counted and links are made', async () => {
    const first = await app.call('/links?limit=2&sort=clicks', { key: home.key });
    expect(getNames(first.body.data)).toEqual(['secret', 'tagged']);
    await createLink('late', {});
    const second = await app.call(`/links?limit=2&sort=clicks&cursor=${first.body.next_cursor}`, {
      key: home.key,
    });
    expect(getNames(second.body.data)).toEqual(['plain', 'late']);
    await app.call(`/links/${links.get('late')}`, { key: home.key, method: 'DELETE' });
  });
});
