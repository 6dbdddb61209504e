import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendRaw } from '../../../test/support/raw-http.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createMetrics } from './metrics.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const NAME = 'http_request_duration_seconds';

/** The labels of all series, as they are told. */
async function series(): Promise<string[]> {
  const text = await (await fetch(`${app.base}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith(`${NAME}_count`));
}

test('answers are counted by route and status', async () => {
  const { key } = await startWorkspace(app);
  for (const id of ['key_a', 'key_b']) await app.call(`/api-keys/${id}`, { key });
  await app.call('/models', { key });
  expect(await series()).toEqual(
    expect.arrayContaining([
      `${NAME}_count{method="GET",route="/api/v1/api-keys/:id",status="404"} 2`,
      `${NAME}_count{method="GET",route="/api/v1/models",status="200"} 1`,
    ]),
  );
});

test('what callers make up makes no series', async () => {
  const host = new URL(app.base).host;
  const ask = async (first: string) => {
    const { answers } = await sendRaw(
      app.base,
      `${first} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answers[0]!.status).toBeGreaterThanOrEqual(400);
  };
  await ask('GET /api/v1/nothing');
  const before = (await series()).length;
  for (let count = 0; count < 100; count++) await ask(`GET /made-up-${count}?x=${count}`);
  for (const method of ['PROPFIND', 'TRACE', 'MKCOL', 'PURGE', 'REPORT']) await ask(`${method} /x`);
  await ask('GET /%zz');
  await ask('GET http://made-up.example/x');
  const after = await series();
  expect(after.length - before).toBeLessThanOrEqual(8);
  expect(after.join('\n')).not.toContain('made-up');
});

test('each time falls into the first bound that it is within', async () => {
  const { registry, answered } = createMetrics(new Registry());
  for (const ms of [0.2, 1, 1.5, 700, 60_000]) answered('GET', '/x', 200, ms);
  const text = await registry.getSingleMetricAsString(NAME);
  const below = (bound: string) => Number(new RegExp(`le="${bound}".*? (\\d+)`).exec(text)?.[1]);
  expect([below('0.001'), below('0.005'), below('0.5'), below('1'), below('10'), below('\\+Inf')]).toEqual([
    2, 3, 3, 4, 4, 5,
  ]);
  expect(text).toMatch(/_sum\{.*\} 60\.7027/);
});
