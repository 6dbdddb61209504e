/**
 * What many ask for at once: one gets a slug, one link is made of what is the same. `LINK_RACE_ROUNDS` sets how often
 * (`npm run soak links` uses 100).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidOf } from '../http/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../testing/test-app.ts';
import { eventsOf } from '../workspaces/testing.ts';

const ROUNDS = Number(process.env['LINK_RACE_ROUNDS'] ?? 10);
const AT_ONCE = 20;

let app: TestApp;
let second: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let other: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  second = await startTestApp({}, app);
  [home, other] = [await startWorkspace(app), await startWorkspace(app)];
});
afterAll(async () => {
  await second.stop();
  await app.stop();
});

/** Over two processes and two workspaces in turn. */
const atOnce = (path: string, bodyOf: (nth: number) => object, method = 'POST', keys = [home.key]) =>
  Promise.all(
    Array.from({ length: AT_ONCE }, (_, nth) =>
      [app, second][nth % 2]!.call(path, { key: keys[(nth >> 1) % keys.length]!, method, body: bodyOf(nth) }),
    ),
  );
const count = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test(
  'of twenty who ask for a slug at once, one gets it, each time',
  { timeout: 60_000 + ROUNDS * 1_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const slug = `race-${round}`;
      const answers = await atOnce(
        '/links',
        (nth) => ({ url: `https://example.com/${nth}`, slug, tags: [`tag ${nth % 3}`] }),
        'POST',
        [home.key, other.key],
      );
      expect(
        [count(answers, 201), count(answers, 409)],
        JSON.stringify(answers.map(({ body }) => body)),
      ).toEqual([1, AT_ONCE - 1]);
      const made = answers.find(({ status }) => status === 201)!.body;
      for (const { status, body } of answers)
        if (status === 409)
          expect(body).toMatchObject({ code: 'slug_taken', errors: [{ pointer: '/slug' }] });
      const { rows } = await app.database.pool.query(
        `select (select count(*)::int from links where slug = $1) as links,
         (select link_id from link_routes where slug = $1) as route`,
        [slug],
      );
      expect(rows).toEqual([{ links: 1, route: uuidOf('link', made.id) }]);
    }
  },
);

test('of twenty who take what is there or make it, all get one link', async () => {
  for (let round = 0; round < 5; round++) {
    const answers = await atOnce('/links', () => ({
      url: `https://example.com/find/${round}`,
      tags: ['found'],
      find_if_exists: true,
    }));
    expect(count(answers, 201)).toBe(1);
    expect(count(answers, 200)).toBe(AT_ONCE - 1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  }
});

test('of twenty upserts at once one makes the link, the others change it', async () => {
  const bodies = [
    (nth: number) => ({ external_id: 'raced', url: 'https://example.com/', title: `title ${nth}` }),
    (nth: number) => ({ slug: 'upserted', url: 'https://example.com/', title: `title ${nth}` }),
  ];
  for (const bodyOf of bodies) {
    const answers = await atOnce('/links/upsert', bodyOf, 'PUT');
    expect([count(answers, 201), count(answers, 200)], JSON.stringify(answers)).toEqual([1, AT_ONCE - 1]);
    const ids = new Set<string>(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const told = (await eventsOf(app, uuidOf('workspace', home.workspace)!)).filter(({ data }) =>
      ids.has(data.object.id),
    );
    expect(told.filter(({ type }) => type === 'link.created')).toHaveLength(1);
    expect(told.filter(({ type }) => type === 'link.updated')).toHaveLength(AT_ONCE - 1);
  }
});

test('of two who give links one external_id at once, one does', async () => {
  const ids = await Promise.all(
    [1, 2].map(
      async () =>
        (await app.call('/links', { key: home.key, body: { url: 'https://example.com/' } })).body.id,
    ),
  );
  const answers = await Promise.all(
    ids.map((id, nth) =>
      [app, second][nth]!.call(`/links/${id}`, {
        key: home.key,
        method: 'PATCH',
        body: { external_id: 'mine' },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});
