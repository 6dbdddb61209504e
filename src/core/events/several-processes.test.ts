import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { unitsFor, until, writeEvent } from '../../../test/support/events/outbox.ts';
import { openSse } from '../../../test/support/events/sse.ts';

let worker: TestApp;
let api: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  worker = await startTestApp();
  api = await startTestApp({ ROLE: 'api' }, worker);
  home = await startWorkspace(worker);
});
afterAll(async () => {
  await api.stop();
  await worker.stop();
});

const change = (name: string) =>
  home.owner.call(`/workspaces/${home.workspace}`, {
    workspace: home.workspace,
    method: 'PATCH',
    body: { name },
  });

test('a process that does not sequence still writes events and shows them live', async () => {
  const reader = await openSse(`${api.base}/api/v1/events/stream?type=workspace.*`, {
    authorization: `Bearer ${home.key}`,
  });
  await until(() => reader.lastId() !== null);
  const answer = await api.call('/event-types', { key: home.key });
  expect(answer).toHaveStatus(200);
  await change('Renamed on the worker');
  await until(() => reader.events.length === 1);
  const viaApi = await fetch(`${api.base}/api/v1/workspaces/${home.workspace}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Renamed on the other' }),
  });
  expect(viaApi).toHaveStatus(200);
  await until(() => reader.events.length === 2);
  expect(reader.events.map(({ data }) => data.data.object.name)).toEqual([
    'Renamed on the worker',
    'Renamed on the other',
  ]);
  reader.close();
});

test('without hints events come all the same, only later', async () => {
  const reader = await openSse(`${api.base}/api/v1/events/stream?type=ping`, {
    authorization: `Bearer ${home.key}`,
  });
  await until(() => reader.lastId() !== null);
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fairlead hints' and datname = current_database()`;
  const units = unitsFor(worker.database.db);
  for (let n = 1; n <= 5; n++) {
    await worker.database.pool.query(cut);
    await writeEvent(units, toUuid('workspace', home.workspace)!);
    await until(() => reader.events.length === n, 3000);
  }
  const ids = reader.events.map(({ id }) => id!);
  expect(ids).toEqual(Array.from({ length: 5 }, (_, n) => ids[0]! + n));
  reader.close();
});
