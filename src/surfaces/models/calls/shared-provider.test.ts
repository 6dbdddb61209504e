/** Two workspaces that call the same provider. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { ALL_SCOPES } from '../../../core/vocabulary/scopes.ts';

/** More than webhooks have connections to one host. */
const HUNG = 600;
const KEY = { scopes: ALL_SCOPES, rate_limit: null };
const CHAT = { model: 'shared/small', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 };

let fake: FakeProvider;
let app: TestApp;
beforeAll(async () => {
  fake = await startFakeProvider();
  app = await startTestApp({ EGRESS_ALLOW: `127.0.0.1:${fake.port}` });
});
afterAll(async () => {
  await app.stop();
  await fake.stop();
});

async function openHome() {
  const home = await startWorkspace(app, KEY);
  const created = await app.call('/model-providers', {
    key: home.key,
    body: {
      kind: 'openai_compatible',
      name: 'Shared',
      slug: 'shared',
      base_url: fake.url,
      models: [{ id: 'small' }],
    },
  });
  expect(created).toHaveStatus(201);
  return home;
}

test(`${HUNG} calls that wait for a provider don't keep others from it`, PATIENCE, async () => {
  const [busy, other] = [await openHome(), await openHome()];
  let received = 0;
  fake.respond = () => void (received += 1);
  const leave = new AbortController();
  const hung = Array.from({ length: HUNG }, () =>
    fetch(`${app.base}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${busy.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(CHAT),
      signal: leave.signal,
    }).then(
      ({ status }) => status,
      () => 'left',
    ),
  );
  await vi.waitFor(() => expect(received).toBe(HUNG), PATIENCE);
  fake.respond = (_, response) =>
    sendJson(response, 200, { choices: [{ message: { role: 'assistant', content: 'Hello' } }] });
  const answer = await app.call('/chat/completions', { key: other.key, body: CHAT });
  expect(answer).toHaveStatus(200);
  leave.abort();
  expect(new Set(await Promise.all(hung))).toEqual(new Set(['left']));
});

test('tests of a provider count as calls in progress, and leave room to others', PATIENCE, async () => {
  const [busy, other] = [await openHome(), await openHome()];
  const findProvider = async (key: string): Promise<string> =>
    (await app.call('/model-providers', { key })).body.data[0].id;
  const id = await findProvider(busy.key);
  fake.respond = () => {};
  const leave = new AbortController();
  const statuses: (number | 'left')[] = [];
  const hung: Promise<unknown>[] = [];
  const runTest = async (): Promise<void> => {
    const status = await fetch(`${app.base}/api/v1/model-providers/${id}/test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${busy.key}`, 'content-type': 'application/json' },
      body: '{}',
      signal: leave.signal,
    }).then(
      (response) => response.status,
      () => 'left' as const,
    );
    statuses.push(status);
  };
  // Each holds 2 MiB of at most 1 GiB.
  for (let n = 0; n < 512 && !statuses.includes(429); n += 16) {
    hung.push(...Array.from({ length: 16 }, runTest));
    await nextIteration();
  }
  await vi.waitFor(() => expect(statuses).toContain(429), PATIENCE);
  const refused = await app.call(`/model-providers/${id}/test`, { key: busy.key, body: {} });
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  fake.respond = (_, response) => sendJson(response, 200, COMPLETION);
  const answer = await app.call(`/model-providers/${await findProvider(other.key)}/test`, {
    key: other.key,
    body: {},
  });
  expect([answer.status, answer.body.call]).toMatchObject([200, { ok: true }]);
  leave.abort();
  await Promise.all(hung);
});
