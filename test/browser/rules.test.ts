/** Rules in the console, in a browser: begun from a starter, tried on events, run, looked into, changed, as a person would. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM, type Watch } from '../support/browser.ts';
import {
  asOwner,
  connectSandbox,
  dialog,
  expectClean,
  expectFits,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

/** Of a machine that does much else meanwhile. */
const MAX_MS = 90_000;

describe('rules in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  /** A workspace whose channel in the sandbox is connected. */
  async function newWorld() {
    const home = await world.newHome();
    const id = await connectSandbox(home);
    /** Somebody writes: the sandbox's contact says again what it was told. */
    const hear = async (text: string) => {
      await asOwner(home, '/messages', { instance_id: id, to: 'echo', type: 'text', text: { body: text } });
      await vi.waitFor(async () => {
        const { data } = await asOwner(home, '/events?type=message.received&limit=5');
        expect(JSON.stringify(data)).toContain(JSON.stringify(text).slice(1, -1));
      }, 20_000);
    };
    return { home, instance: id, hear };
  }

  /** What is tried while it is typed is refused until it is right, and what is deleted is gone. */
  const expectOnlyRefusals = (seen: Watch) =>
    expectClean({
      ...seen,
      faults: seen.faults.filter((fault) => !/status of (400|404|422) /.test(fault)),
    });

  const trial = (page: Page) => page.getByRole('region', { name: 'Test result' });

  test(
    'creates a rule from a template and tests it while it is edited',
    async () => {
      const { home, hear } = await newWorld();
      await hear('Hello there');
      const { page, seen } = await world.open(home.owner);
      await world.visit(page, home, '/rules');
      await page.getByText('No rules yet').waitFor();
      await expectFits(page, 'the empty list');
      await page.getByRole('link', { name: 'Reply with a short link' }).click();
      await trial(page).getByText("The filter doesn't match this event").waitFor();
      await trial(page).getByText('Here is our catalog: http').waitFor();
      await page.getByRole('button', { name: 'cURL', exact: true }).click();
      await page.getByText('"events": [').waitFor();
      // Every change is tested immediately, without side effects.
      await page.getByLabel('Filter').first().fill('event.data.object.text.body contains "Hello"');
      await trial(page).getByText('The rule runs for this event').waitFor();
      // So is an event of one's own.
      const event = page.getByRole('region', { name: 'Event' });
      await event.getByText('JSON', { exact: true }).click();
      const json = event.getByRole('textbox', { name: 'JSON event' });
      await json.fill('{"type": "message.received", "data": {"object": {"text": {"body": "Bye"}}}}');
      await trial(page).getByText("The filter doesn't match this event").waitFor();
      await json.fill('{"type": ');
      await event.getByText(/^Invalid JSON/).waitFor();
      await event.getByRole('combobox', { name: 'Test event' }).selectOption({ index: 0 });
      await trial(page).getByText('The rule runs for this event').waitFor();
      await event.getByText('Values', { exact: true }).click();
      await page.getByLabel('Text', { exact: true }).fill('Take {{ steps.short.short_url | upcas }}');
      await page.getByText('undefined filter: upcas').first().waitFor();
      await page.getByLabel('Text', { exact: true }).fill('Take ');
      await page.getByRole('button', { name: 'Insert steps.short.short_url' }).click();
      await expect
        .poll(() => page.getByLabel('Text', { exact: true }).innerText(), PATIENCE)
        .toBe('Take {{ steps.short.short_url }}');
      await expectFits(page, 'the editor');
      expect((await asOwner(home, '/links')).data).toEqual([]);
      await page.getByRole('button', { name: 'Create rule' }).click();
      await page.getByText('No matching events yet').waitFor();
      expectOnlyRefusals(seen);
    },
    MAX_MS,
  );

  test(
    'a new rule names the fields that its test lacks, and has an example of a filter',
    async () => {
      const { home } = await newWorld();
      const { page, seen } = await world.open(home.owner);
      await world.visit(page, home, '/rules/new');
      await page.getByRole('button', { name: 'Message received' }).click();
      await page.getByRole('button', { name: 'Filter by text' }).click();
      await expect
        .poll(() => page.getByLabel('Filter').first().innerText(), PATIENCE)
        .toBe('event.data.object.text.body | contains_ignore_case: "hello"');
      await page.getByLabel('Filter').first().fill('body contains "hello"');
      await page.getByText('`body` is not a variable. Did you mean `event.data.object.text.body`?').waitFor();
      await page.getByRole('button', { name: 'Call webhook' }).click();
      await trial(page).getByText('Fill in these fields to test the rule: URL').waitFor();
      await page.getByRole('button', { name: 'Create rule' }).click();
      await page.getByText('Must not be empty', { exact: true }).first().waitFor();
      expectOnlyRefusals(seen);
    },
    MAX_MS,
  );

  test(
    'shows runs live, with their details, and runs one again',
    async () => {
      const { home, instance, hear } = await newWorld();
      await asOwner(home, '/rules', {
        name: 'Greet',
        events: ['message.received'],
        filter: 'event.data.object.text.body contains "Hello"',
        actions: [
          { type: 'create_link', name: 'short', url: 'https://example.com/catalog' },
          {
            type: 'send_message',
            instance_id: instance,
            to: 'echo',
            template: '{{ steps.short.short_url }}',
          },
        ],
      });
      const { page, seen } = await world.open(home.owner);
      await world.visit(page, home, '/rules');
      await page.getByRole('row', { name: /Greet/ }).click();
      await page.getByRole('tab', { name: 'Runs' }).click();
      await page.getByText('No runs yet').waitFor();
      await hear(`Hello ${HOSTILE}`);
      await page
        .getByRole('row', { name: /Succeeded/ })
        .first()
        .click();
      const sheet = page.getByRole('dialog', { name: /Succeeded/ });
      await sheet.getByText('"short_url"').waitFor();
      await expectFits(page, 'the sheet of a run');
      await sheet.getByRole('button', { name: 'Run again' }).click();
      await expect.poll(async () => (await asOwner(home, '/rule-runs')).data.length).toBeGreaterThan(1);
      expect(await page.title()).not.toBe('owned');
      expectOnlyRefusals(seen);
    },
    MAX_MS,
  );

  test(
    'edits a rule, shows field errors, disables and deletes it; narrow and dark',
    async () => {
      const { home } = await newWorld();
      const { url } = await asOwner(home, '/inspectors', { name: 'CRM' });
      const { id } = await asOwner(home, '/rules', {
        name: HOSTILE,
        events: ['message.*'],
        actions: [
          { type: 'call_webhook', name: 'crm', url, headers: { 'X-Their-Key': 'a value that nobody sees' } },
          { type: 'ask_model', name: 'answer', model: 'fairlead/echo', prompt: '{{ event.type }}' },
        ],
      });
      const { page, seen } = await world.open(home.owner, { viewport: NARROW, colorScheme: 'dark' });
      await world.visit(page, home, '/rules');
      await page.getByRole('row', { name: 'Call webhook, Ask model' }).waitFor();
      await expectFits(page, 'the list, narrow');
      await page.getByRole('row', { name: 'Call webhook, Ask model' }).click();
      await page.getByLabel('URL').fill('https://elsewhere.example/hook');
      await page.getByText('The URL points to a different server').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page
        .getByText(/must be given again when the origin of the url changes/i)
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('button', { name: 'Move action 2 up' }).click();
      await page.getByText('Unsaved changes').waitFor();
      await expectFits(page, 'the editor, narrow');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect
        .poll(
          async () => (await asOwner(home, `/rules/${id}`)).actions.map(({ name }: { name: string }) => name),
          PATIENCE,
        )
        .toEqual(['answer', 'crm']);
      await page.getByText('Test', { exact: true }).click();
      await trial(page).getByText('The rule runs for this event').waitFor();
      await expectFits(page, 'the trial, narrow');
      await page.getByLabel('Enabled').click();
      await dialog(page).getByRole('button', { name: 'Disable' }).click();
      await expect.poll(async () => (await asOwner(home, `/rules/${id}`)).enabled, PATIENCE).toBe(false);
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByRole('button', { name: 'Delete rule' }).click();
      await page.getByText('No rules yet').waitFor();
      expect(await page.title()).not.toBe('owned');
      expectOnlyRefusals(seen);
    },
    MAX_MS,
  );
});
