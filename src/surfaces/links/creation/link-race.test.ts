/**
 * Tests concurrent requests: one of them gets a slug (`npm run soak links` repeats this 100 times), and equal requests
 * create one link.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { AT_ONCE, raceForSlug } from '../../../../test/support/links/slug-race.ts';

const ROUNDS = 10;

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

/** Calls two processes alternately. Retries calls that waited too long for a lock, as the error asks clients to. */
const atOnce = (path: string, getBody: (nth: number) => object, method = 'POST') =>
  Promise.all(
    Array.from({ length: AT_ONCE }, async (_, nth) => {
      for (;;) {
        const answer = await [app, second][nth % 2]!.call(path, {
          key: home.key,
          method,
          body: getBody(nth),
        });
        if (answer.status !== 503) return answer;
        expect(answer.headers.get('retry-after')).toBe('2');
      }
    }),
  );
const count = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

test('of twenty who ask for a slug at once, one gets it, each time', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const race = await raceForSlug([app, second], [home.key, other.key], `race-${round}`);
    expect(race).toEqual({ made: 1, refused: AT_ONCE - 1, faults: [] });
  }
});

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
  for (const buildBody of bodies) {
    const answers = await atOnce('/links/upsert', buildBody, 'PUT');
    expect([count(answers, 201), count(answers, 200)], JSON.stringify(answers)).toEqual([1, AT_ONCE - 1]);
    const ids = new Set<string>(answers.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    const events = (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(({ data }) =>
      ids.has(data.object.id),
    );
    expect(events.filter(({ type }) => type === 'link.created')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'link.updated')).toHaveLength(AT_ONCE - 1);
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
