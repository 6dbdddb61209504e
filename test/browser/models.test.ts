/** Models in the console, in a browser: a provider connected, tried, routed to, limited and counted, as a person would. */
import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM, type Watch } from '../support/browser.ts';
import {
  asOwner,
  dialog,
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../support/models/fake-provider.ts';

const KEY = 'sk-that-nobody-sees';
const USAGE = {
  prompt_tokens: 1000,
  completion_tokens: 50,
  total_tokens: 1050,
  prompt_tokens_details: { audio_tokens: 7, cache_write_tokens: 300 },
  completion_tokens_details: { reasoning_tokens: 20 },
};

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (part: object): string => frame({ ...COMPLETION, choices: [{ index: 0, delta: part }] });

function stream(response: ServerResponse, parts: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) response.write(delta(part));
  response.write(frame({ ...COMPLETION, choices: [], usage: USAGE }));
  response.end('data: [DONE]\n\n');
}

describe('models in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
    provider.list = {
      object: 'list',
      data: ['small', 'large'].map((id) => ({
        id,
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'lab',
      })),
    };
    provider.respond = ({ body }, response) => {
      const { model, stream: streams, messages, tools } = JSON.parse(body);
      if (model === 'large') return sendJson(response, 503, { error: { message: 'Overloaded' } });
      const { content } = messages.at(-1);
      const said = typeof content === 'string' ? content : JSON.stringify(content).slice(0, 200);
      if (!streams) return sendJson(response, 200, { ...COMPLETION, usage: USAGE });
      if (tools && messages.at(-1).role !== 'tool') {
        const call = (index: object) => ({ tool_calls: [{ index: 0, ...index }] });
        return stream(response, [
          call({ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":' } }),
          call({ function: { arguments: '"Oslo"}' } }),
        ]);
      }
      return stream(response, [{ content: 'You said: ' }, { content: said }]);
    };
    world = await startTestConsole({ EGRESS_ALLOW: `127.0.0.1:${provider.port}` });
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    await world?.stop();
    await provider?.stop();
  });

  /** A workspace with the provider, whose models are listed. */
  async function newLab(): Promise<{ home: Home; id: string }> {
    const home = await world.newHome();
    const { id } = await asOwner(home, '/model-providers', {
      kind: 'openai_compatible',
      name: 'Lab',
      base_url: provider.url,
      api_key: KEY,
      prices: { small: { input: 1, output: 10 } },
    });
    await asOwner(home, `/model-providers/${id}/refresh`, {});
    return { home, id };
  }
  const expectOnlyRefusals = (seen: Watch) =>
    expectClean({
      ...seen,
      faults: seen.faults.filter((fault) => !/status of (402|422|502|503)/.test(fault)),
    });
  const ask = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  };
  const pick = async (page: Page, label: string, model: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).fill(model);
    await page.getByRole('option', { name: model }).first().click();
  };

  test('a provider is connected, refused where its address is not allowed, tested, priced and called', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/model-providers');
    await page.getByText('No model providers yet').waitFor();
    await page.getByRole('button', { name: 'Connect provider' }).first().click();
    await dialog(page).getByRole('button', { name: 'Ollama' }).getByText('Local').waitFor();
    await dialog(page)
      .getByRole('button', { name: /^OpenAI-compatible/ })
      .click();
    await dialog(page).getByLabel('Name', { exact: true }).fill(`Lab ${HOSTILE}`);
    await dialog(page).getByLabel('Slug').fill('lab');
    await dialog(page).getByLabel('Base URL').fill('http://127.0.0.1:9/v1');
    await dialog(page).getByLabel('API key').first().fill(KEY);
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).getByText('curl -X POST').innerText()).not.toContain(KEY);
    await dialog(page).getByRole('button', { name: 'Connect provider' }).click();
    await dialog(page).getByText('EGRESS_ALLOW=127.0.0.1:9', { exact: true }).waitFor();
    await dialog(page).getByLabel('Base URL').fill(provider.url);
    await dialog(page).getByRole('button', { name: 'Test settings' }).click();
    await dialog(page).getByText('Test successful').waitFor();
    expect((await asOwner(home, '/model-providers')).data).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Dismiss' }).click();
    await dialog(page).getByRole('button', { name: 'Connect provider' }).click();

    await page.getByText('Test successful').waitFor();
    await page.getByText('2 models listed').waitFor();
    expect(provider.received.at(-1)?.headers['authorization']).toBe(`Bearer ${KEY}`);
    await page.getByRole('row', { name: 'lab/small' }).getByText('Not set').waitFor();
    await page.getByRole('button', { name: 'Actions for small' }).click();
    await page.getByRole('menuitem', { name: 'Edit price' }).click();
    await dialog(page).getByLabel('Input', { exact: true }).fill('1');
    await dialog(page).getByLabel('Output').fill('10');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row', { name: 'lab/small' })
      .getByRole('cell', { name: '$10.00', exact: true })
      .waitFor();

    // Another origin asks for the key again; the same one keeps it.
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog(page).getByLabel('Base URL').fill('https://elsewhere.example.com/v1');
    await dialog(page).getByText('Enter the API key again').waitFor();
    await dialog(page).getByLabel('Base URL').fill(provider.url);
    await dialog(page).getByLabel('Name', { exact: true }).fill('Lab');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Lab', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Actions for small' }).click();
    await page.getByRole('menuitem', { name: 'Open in playground' }).click();
    await ask(page, `Hello ${HOSTILE}`);
    await page.getByText(`You said: Hello ${HOSTILE}`).waitFor();
    await page.getByText('1,000 in, 50 out · $0.0015').waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(seen.sent.filter((line) => line.includes(KEY)).every((line) => line.startsWith('POST'))).toBe(
      true,
    );
    expectOnlyRefusals(seen);
  });

  test('the playground calls tools, sends images, compares two models and shows the code', async () => {
    const { home } = await newLab();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/models?model=lab/small');
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Tools').fill('{');
    await page.getByText('Not valid JSON').waitFor();
    await page.getByLabel('Message').fill('Weather?');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByLabel('Tools').fill('[{"type":"function","function":{"name":"get_weather"}}]');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('get_weather({"city":"Oslo"})').waitFor();
    await page.getByLabel('Tool result').fill('Sunny');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Sunny').waitFor();
    await page.getByRole('button', { name: /^Code/ }).click();
    await page.getByText('"tool_call_id": "call_1"').waitFor();
    await page.getByText('Python', { exact: true }).click();
    await page.getByText('from openai import OpenAI').waitFor();

    await page.getByLabel('Tools').fill('');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await pick(page, 'Second model', 'fairlead/echo');
    const png = Buffer.from('iVBORw0KGgo=', 'base64');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: png });
    await page.getByText('a.png').waitFor();
    await ask(page, 'Look');
    await page.getByText('image_url').first().waitFor();
    await expect.poll(() => page.getByText(/total \d/).count(), PATIENCE).toBe(2);
    // A model that fails says why, beside the one that answers.
    await page.getByRole('button', { name: 'Clear' }).click();
    await pick(page, 'Model', 'lab/large');
    await ask(page, 'Anyone?');
    await page.getByRole('alert').getByText('Overloaded').waitFor();
    await expect.poll(() => page.getByText('Anyone?', { exact: true }).count(), PATIENCE).toBe(3);
    expectOnlyRefusals(seen);
  });

  test('a route tries its models in order, a budget refuses, and usage shows the calls', async () => {
    const { home } = await newLab();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/model-routes');
    await page.getByText('No model routes yet').waitFor();
    await page.getByRole('button', { name: 'Create route' }).first().click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('default');
    await pick(page, 'Model 1', 'lab/small');
    await dialog(page).getByRole('button', { name: 'Add attempt' }).click();
    await pick(page, 'Model 2', 'lab/large');
    await dialog(page).getByRole('button', { name: 'Move model 2 up' }).click();
    await dialog(page).getByRole('button', { name: 'Create route' }).click();
    await dialog(page).getByText('lab/large').waitFor();

    await world.go(page, home, '/budgets');
    await page.getByText('No budgets yet').waitFor();
    await page.getByRole('button', { name: 'Create budget' }).first().click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Two calls');
    await dialog(page).getByLabel('Unit').selectOption('calls');
    await dialog(page).getByLabel('Limit').fill('2');
    await dialog(page).getByText('Daily', { exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Create budget' }).click();
    await dialog(page).getByText('0 of 2 calls').waitFor();

    await world.go(page, home, '/models?model=route/default');
    await ask(page, 'One');
    await page.getByText('You said: One').waitFor();
    await page.getByText('lab/small · after lab/large failed · 1,000 in').waitFor();
    await ask(page, 'Two');
    await page.getByText('You said: Two').waitFor();
    await ask(page, 'Three');
    await page.getByRole('alert').getByText('The budget resets').waitFor();

    await world.go(page, home, '/budgets');
    await page.getByRole('row', { name: 'Two calls' }).getByText('2 of 2 calls').waitFor();
    await world.go(page, home, '/model-usage');
    await page.getByRole('row', { name: 'lab/small' }).getByText('$0.003').waitFor();
    await page.getByRole('radiogroup', { name: 'Group by' }).getByText('Route').click();
    await page.getByRole('row', { name: 'default' }).getByRole('button').click();
    await expect.poll(() => new URL(page.url()).searchParams.get('route'), PATIENCE).toBe('default');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    expect((await download).suggestedFilename()).toBe('model-usage-by-day.csv');
    expectOnlyRefusals(seen);
  });

  test('calls are listed, with prompt and response once the workspace stores them', async () => {
    const { home } = await newLab();
    const messages = (content: string) => [{ role: 'user', content }];
    await asOwner(home, '/chat/completions', { model: 'lab/small', messages: messages('Not kept') });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/settings');
    await page.getByRole('switch', { name: 'Store prompts and responses' }).click({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Changes saved').waitFor();
    await asOwner(home, '/chat/completions', {
      model: 'fairlead/echo',
      messages: messages('Kept for a week'),
    });

    await world.go(page, home, '/model-usage');
    // Parts of tokens that are zero are not shown.
    await page.getByText('300 written to the cache', { exact: true }).waitFor();
    await page.getByText('20 reasoning', { exact: true }).waitFor();
    await page.getByText('Media tokens: 7 audio', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'lab/small succeeded' }).click();
    const sheet = page.getByRole('dialog', { name: 'lab/small' });
    await sheet.getByText('Reasoning tokens', { exact: true }).waitFor();
    expect(await sheet.getByText('Image tokens').count()).toBe(0);
    await sheet.getByText('The prompt and response are not stored.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'fairlead/echo succeeded' }).click();
    const kept = page.getByRole('dialog', { name: 'fairlead/echo' });
    await kept.getByText('"content":"Kept for a week"').first().waitFor();
    await kept.getByRole('heading', { name: 'Response' }).waitFor();
    expectClean(seen);
  });

  test('a key is limited to models, which Ctrl-K finds with their provider', async () => {
    const { home } = await newLab();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/api-keys?create=true');
    await dialog(page).getByLabel('Name').fill('Limited');
    await dialog(page).getByRole('button', { name: 'Restrictions' }).click();
    await dialog(page).getByRole('combobox', { name: 'Allowed models' }).fill('lab/');
    await page.getByRole('option', { name: 'lab/small' }).click();
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();
    const { data } = await asOwner(home, '/api-keys?search=Limited');
    expect(data[0].allowed_models).toEqual(['lab/small']);

    await world.visit(page, home, '/settings');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search links').fill('lab');
    await page.getByRole('dialog').getByRole('button', { name: 'Lab', exact: false }).first().click();
    await page.getByRole('heading', { name: 'Lab', exact: true }).waitFor();
    expectOnlyRefusals(seen);
  });

  test('every page is accessible, fits and breaks no rule', async () => {
    const { home, id } = await newLab();
    await asOwner(home, '/model-routes', { name: 'default', attempts: [{ model: 'lab/small' }] });
    const budget = await asOwner(home, '/budgets', {
      name: HOSTILE,
      limit: { usd: 5 },
      window: 'month',
      api_key_id: home.keyId,
    });
    await world.app.call('/chat/completions', {
      key: home.key,
      body: { model: 'lab/small', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
    });
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    const pages: [path: string, shows: string][] = [
      ['/models', 'Send a message to try this model'],
      ['/models?model=lab/small&with=fairlead/echo', 'Send a message to try this model'],
      ['/model-providers', 'Active'],
      ['/model-providers?create=true', 'GPT and embedding models'],
      [`/model-providers/${id}`, 'lab/large'],
      [`/model-providers/${id}?tab=settings`, 'Stored'],
      ['/model-routes', 'route/default'],
      ['/model-routes?create=true', 'Tried in this order'],
      ['/budgets', 'left'],
      [`/budgets?id=${budget.id}`, 'Reserved'],
      ['/budgets?create=true', 'All calls of the workspace'],
      ['/model-usage', 'First byte (p50)'],
      ['/model-usage?range=7d&model=none', 'No calls match'],
    ];
    for (const [path, shows] of pages) {
      await world.go(page, home, path);
      await page.locator('body').getByText(shows).filter({ visible: true }).first().waitFor();
      await expectFits(page, path);
    }
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
