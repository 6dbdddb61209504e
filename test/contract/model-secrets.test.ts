/**
 * Keys and headers of model providers, and what callers and models write, are searched for in every table, file, log line,
 * API response and in a backup: keys are only in the sealed column, prompts and responses nowhere, unless a workspace stores
 * them, or a rule asks: its runs hold both.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runBackup } from '../../src/ops/backup/run-backup.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { said } from '../support/admin.ts';
import { testServerUrl } from '../support/db.ts';
import { type ModelWorld, startModelWorld } from '../support/models/model-world.ts';
import {
  ANSWER,
  SCRIPTED_MODELS,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../support/models/scripted-upstream.ts';
import { searchBackup } from '../support/models/search-backup.ts';
import { PATIENCE } from '../support/patience.ts';
import { searchEverything } from '../support/search-everything.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { TEST_SECRET } from '../support/test-app.ts';

const KEY = 'sk-marker-2f7c91';
const HEADER = 'header-marker-81ad';
const SECRETS = [KEY, HEADER];
const PROMPT = 'prompt-marker-5e60';
const WORDS = [PROMPT, ANSWER];
const NEW_KEY = 'sk-marker-replaced-77';
/** They answer only when their caller leaves. */
const ENDLESS = new Set(['slow', 'hangs', 'stalls', 'flood']);

let world: ModelWorld;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  world = await startModelWorld({ LOG_LEVEL: 'debug' });
});
afterAll(async () => {
  await world?.stop();
  await upstream?.[Symbol.asyncDispose]();
});

/** Calls a model in each way, and reads or leaves the response. @returns how many calls were made */
async function callEverything(provider: string): Promise<number> {
  const send = (path: string, body: object, leavesAfterMs?: number) =>
    fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.home.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(leavesAfterMs ? { signal: AbortSignal.timeout(leavesAfterMs) } : {}),
    })
      .then((response) => response.text())
      .catch(() => null);
  const messages = [{ role: 'user', content: PROMPT }];
  let calls = 0;
  for (const model of [...SCRIPTED_MODELS.map((name) => `${provider}/${name}`), 'fairlead/echo'])
    for (const stream of [false, true]) {
      const leaves = ENDLESS.has(model.split('/')[1]!) ? 300 : undefined;
      await send('/chat/completions', { model, messages, stream }, leaves);
      calls += 1;
    }
  for (const model of [`${provider}/well`, 'fairlead/echo']) {
    await send('/embeddings', { model, input: PROMPT });
    await send('/responses', { model, input: PROMPT });
    calls += 2;
  }
  // Rejected before they reach a model.
  await send('/chat/completions', { model: 'fairlead/echo', messages: PROMPT });
  await send(`/chat/completions?note=${PROMPT}`, { model: 'nobody/none', messages });
  return calls;
}

test('no key, prompt or response is kept or shown anywhere else', { timeout: 240_000 }, async () => {
  const { app } = world;
  const { pool } = app.database;
  const settings = { api_key: KEY, headers: { 'X-Extra': HEADER } };
  const id = await world.createProvider({ slug: 'up', base_url: upstream.url, ...settings });
  const calls = await callEverything('up');
  await world.call(`/model-providers/${id}/test`, { model: 'unauthorized' });
  await world.call(`/model-providers/${id}/test`, {});
  await vi.waitFor(async () => {
    const { rows } = await pool.query('select from model_calls');
    expect(rows.length).toBeGreaterThanOrEqual(calls);
  }, PATIENCE);
  // The provider has received both, and the search finds what is there.
  expect(upstream.calls.some(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  expect(upstream.calls.some(({ headers }) => headers['x-extra'] === HEADER)).toBe(true);

  const secrets = createSecretBox(TEST_SECRET);
  const search = (words: readonly string[]) =>
    searchEverything({ pool, secrets, dataDir: app.config.DATA_DIR }, words);
  const kept = await search([...SECRETS, ...WORDS]);
  expect(kept.map(({ where, word }) => [where, word])).toEqual(
    SECRETS.map((word) => ['model_providers.secrets_sealed, opened', word]),
  );

  for (const word of [...SECRETS, ...WORDS])
    expect(app.logged.filter((line) => line.includes(word))).toEqual([]);
  for (const path of [
    '/model-providers',
    `/model-providers/${id}`,
    `/model-providers/${id}/models`,
    '/models',
    '/events?limit=100',
    '/requests?limit=100',
    '/usage/models?group_by=model',
    '/audit-log?limit=100',
  ]) {
    const { body } = await world.home.owner.call(path, { workspace: world.home.workspace });
    for (const word of [...SECRETS, ...WORDS]) expect.soft([path, JSON.stringify(body)]).not.toContain(word);
  }

  await using folder = await temporaryFolder();
  const file = join(folder.path, 'models.fairlead');
  const env = {
    DATABASE_URL: testServerUrl(app.database.name),
    FAIRLEAD_SECRET: TEST_SECRET,
    DATA_DIR: app.config.DATA_DIR,
  };
  expect(await said((terminal) => runBackup([file], env, terminal))).toMatchObject({ code: 0, error: '' });
  const { found, entries } = await searchBackup(file, [...SECRETS, ...WORDS]);
  expect(entries).toBeGreaterThan(10);
  expect(found).toEqual([]);
  expect((await searchBackup(file, ['model_calls'])).found).not.toEqual([]);

  // A key that was replaced is gone.
  await world.call(`/model-providers/${id}`, { api_key: NEW_KEY }, 'PATCH');
  expect((await search([KEY])).map(({ where }) => where)).toEqual([]);
  await world.call(`/model-providers/${id}`, undefined, 'DELETE');
  expect(await search([KEY, NEW_KEY, HEADER])).toEqual([]);
});

test('a workspace that stores prompts and responses has them sealed, so that a backup does not show them', async () => {
  const { app, home } = world;
  const { pool } = app.database;
  const secrets = createSecretBox(TEST_SECRET);
  const id = await world.createProvider({ slug: 'kept', base_url: upstream.url, api_key: KEY });
  await world.call(`/workspaces/${home.workspace}`, { store_model_calls: true }, 'PATCH');
  const messages = [{ role: 'user', content: PROMPT }];
  await world.call('/chat/completions', { model: 'kept/well', messages });
  const found = await searchEverything({ pool, secrets, dataDir: app.config.DATA_DIR }, [KEY, ...WORDS]);
  expect(found.map(({ where, word }) => [where, word]).toSorted()).toEqual([
    ...WORDS.map((word) => ['model_call_contents.content_sealed, opened', word]).toSorted(),
    ['model_providers.secrets_sealed, opened', KEY],
  ]);
  for (const word of [KEY, ...WORDS]) expect(app.logged.filter((line) => line.includes(word))).toEqual([]);
  const { data } = await world.call('/model-calls?limit=1');
  expect(JSON.stringify(data)).not.toContain(PROMPT);
  const { content } = await world.call(`/model-calls/${data[0].id}`);
  expect(
    [content.request, content.response].map((text) => WORDS.some((word) => text.includes(word))),
  ).toEqual([true, true]);
  expect(JSON.stringify(content)).not.toContain(KEY);

  await using folder = await temporaryFolder();
  const file = join(folder.path, 'stored.fairlead');
  const env = {
    DATABASE_URL: testServerUrl(app.database.name),
    FAIRLEAD_SECRET: TEST_SECRET,
    DATA_DIR: app.config.DATA_DIR,
  };
  expect(await said((terminal) => runBackup([file], env, terminal))).toMatchObject({ code: 0, error: '' });
  expect((await searchBackup(file, [KEY, ...WORDS])).found).toEqual([]);
  await world.call(`/workspaces/${home.workspace}`, { store_model_calls: false }, 'PATCH');
  await pool.query('delete from model_call_contents');
  await world.call(`/model-providers/${id}`, undefined, 'DELETE');
});

test('what a rule asks and is answered is in its runs alone, and the key nowhere', async () => {
  const { app } = world;
  const { pool } = app.database;
  const secrets = createSecretBox(TEST_SECRET);
  const id = await world.createProvider({ slug: 'ruled', base_url: upstream.url, api_key: KEY });
  const rule = await world.call('/rules', {
    name: 'Ask',
    events: ['link.created'],
    actions: [
      { type: 'ask_model', name: 'ask', model: 'ruled/well', prompt: 'On {{ event.data.object.title }}' },
    ],
  });
  await world.call('/links', { url: 'https://example.com/', title: PROMPT });
  await vi.waitFor(async () => {
    const { data } = await world.call(`/rules/${rule.id}/runs`);
    expect(data[0]).toMatchObject({ status: 'succeeded', steps: [{ status: 'succeeded' }] });
    expect(JSON.stringify(data[0].steps[0])).toContain(ANSWER);
  }, PATIENCE);
  const found = await searchEverything({ pool, secrets, dataDir: app.config.DATA_DIR }, [KEY, ANSWER]);
  expect(
    [...new Set(found.map(({ where, word }) => `${word} ${where.replace(/_p?\d+$/, '')}`))].toSorted(),
  ).toEqual([`${ANSWER} public.rule_runs`, `${KEY} model_providers.secrets_sealed, opened`].toSorted());
  for (const word of [KEY, ANSWER, PROMPT])
    expect(app.logged.filter((line) => line.includes(word))).toEqual([]);
  await world.call(`/rules/${rule.id}`, undefined, 'DELETE');
  await world.call(`/model-providers/${id}`, undefined, 'DELETE');
});
