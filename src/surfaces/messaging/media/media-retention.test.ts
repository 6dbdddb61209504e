/** Media that a workspace keeps for a time only. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnits, type Units } from '../../../core/unit/unit-of-work.ts';
import { firstUuidAt } from '../../../platform/db/uuid-time.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import type { MediaFiles } from './media-files.ts';
import { deleteOldMedia } from './media-retention.ts';
import { openMediaFiles } from './open-files.ts';
import { getFiles, upload } from '../../../../test/support/messaging/media.ts';

type Place = Awaited<ReturnType<typeof startWorkspace>>;
const DAY_MS = 24 * 3600 * 1000;

let app: TestApp;
let units: Units;
let files: MediaFiles;
beforeAll(async () => {
  app = await startTestApp();
  const never = {} as never;
  units = createUnits({ db: app.database.db, events: never, jobs: never });
  files = openMediaFiles(app.config, { units, log: app.app.server.log });
});
afterAll(() => app.stop());

const run = (signal?: AbortSignal) => deleteOldMedia(app.database.db, units, files, new Date(), signal);
const keepFor = async (place: Place, days: unknown) =>
  place.owner.call(`/workspaces/${place.workspace}`, {
    workspace: place.workspace,
    method: 'PATCH',
    body: { media_retention_days: days },
  });
const left = async (place: Place): Promise<number> =>
  Number(
    (
      await app.database.pool.query('select count(*) from media where workspace_id = $1', [
        toUuid('workspace', place.workspace),
      ])
    ).rows[0].count,
  );
const idOfAge = (days: number): string =>
  firstUuidAt(new Date(Date.now() - days * DAY_MS)).slice(0, 14) + `7${randomUUID().slice(15)}`;

/** Uploads a file and backdates it by that many days. */
async function old(place: Place, days: number, bytes: string) {
  const { body } = await upload(app, place, { bytes });
  const workspaceId = toUuid('workspace', place.workspace);
  await app.database.pool.query('update media set id = $3 where workspace_id = $1 and id = $2', [
    workspaceId,
    toUuid('media', body.id),
    idOfAge(days),
  ]);
  return { path: `${workspaceId}/${body.sha256.slice(0, 2)}/${body.sha256}` };
}

test('the days are part of the workspace, and null at first', async () => {
  const place = await startWorkspace(app);
  const get = async () =>
    (await app.call(`/workspaces/${place.workspace}`, { key: place.key })).body.media_retention_days;
  expect(await get()).toBeNull();
  const changed = await keepFor(place, 30);
  expect([changed.status, changed.body.media_retention_days, await get()]).toEqual([200, 30, 30]);
  for (const wrong of [0, -1, 1.5, 36_501, '30', true]) {
    const { status, body } = await keepFor(place, wrong);
    expect([status, body.errors?.[0]?.pointer], String(wrong)).toEqual([400, '/media_retention_days']);
  }
  expect((await keepFor(place, null)).body.media_retention_days).toBeNull();
  expect(await get()).toBeNull();
});

test('deletes expired media, and contents that nothing else uses; the rest stays', async () => {
  const place = await startWorkspace(app);
  const forever = await startWorkspace(app);
  const gone = await old(place, 10.01, 'gone');
  const shared = await old(place, 11, 'shared');
  await upload(app, place, { bytes: 'shared' });
  await old(place, 9.99, 'young enough');
  await old(forever, 5000, 'kept');
  expect(await run()).toBe(0);
  await keepFor(place, 10);
  expect(await run()).toBe(2);
  expect([await left(place), await left(forever)]).toEqual([2, 1]);
  const stored = await getFiles(app);
  expect([stored.includes(gone.path), stored.includes(shared.path)]).toEqual([false, true]);
  expect(await run()).toBe(0);
});

test('deletes many in batches that take turns, and can be interrupted without loss', async () => {
  const [many, few] = [await startWorkspace(app), await startWorkspace(app)];
  const lay = (place: Place, count: number) =>
    app.database.pool.query(
      `insert into media (workspace_id, id, state, created_by, created_at, updated_at)
       select $1, unnest($2::uuid[]), 'failed', 'key_x', now(), now()`,
      [toUuid('workspace', place.workspace), Array.from({ length: count }, () => idOfAge(40))],
    );
  await lay(many, 900);
  await lay(few, 3);
  await keepFor(many, 30);
  await keepFor(few, 30);
  const stop = new AbortController();
  const stopping = { ...units, write: (work: never) => units.write(work).finally(() => stop.abort()) };
  await deleteOldMedia(app.database.db, stopping as Units, files, new Date(), stop.signal);
  expect((await left(many)) + (await left(few))).toBeGreaterThan(0);
  expect(await left(many)).toBeGreaterThanOrEqual(700);
  await run();
  expect([await left(many), await left(few)]).toEqual([0, 0]);
});
