/** Publishing endpoints, their editor and the log of publications in the console, in a browser. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  asOwner,
  connectSandbox,
  dialog,
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

describe('publishing in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const endpoint = (home: Home, instance: string, others: object = {}) =>
    asOwner(home, '/publishing-endpoints', {
      name: 'Blog',
      auth: { type: 'secret_url' },
      destinations: [{ instance_id: instance, to: 'alice', template: 'New: {{ payload.title }}' }],
      ...others,
    });
  const post = async (url: string, payload: unknown) => {
    // The test's server has another port than the one that it says.
    const answer = await fetch(`${world.app.base}${new URL(url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const card = (page: Page, place = 1) => page.getByRole('listitem', { name: `Destination ${place}` });
  const row = (page: Page) => page.getByRole('row', { name: 'Secret URL' });
  const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });

  test('made on a sample, its address shown once, and the first request seen arriving', async () => {
    const home = await world.newHome();
    await connectSandbox(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/publishing');
    await page.getByText('No publishing endpoints yet').waitFor();
    await page.getByRole('link', { name: 'Create endpoint' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Blog');
    await card(page).getByLabel('Address').fill('alice');
    const template = card(page).getByRole('textbox', { name: 'Text' });
    await template.fill('Read: ');
    await page.getByRole('button', { name: /^Insert payload.author.name/ }).click();
    await expect.poll(() => template.innerText()).toBe('Read: {{ payload.author.name }}');
    await preview(page).getByText('Read: Ada').waitFor();
    await preview(page).getByText('Would be published immediately').waitFor();
    await template.fill('Read: {{ payload.title | upcas }}');
    await card(page).getByText('upcas').nth(1).waitFor();
    await template.fill('Read: {{ payload.subtitle }}');
    await preview(page).getByText('payload.subtitle is empty in this sample.').waitFor();
    await template.fill('Read: {{ payload.title | upcase }}');
    await preview(page).getByText('Read: SPRING IS HERE').waitFor();
    await page.getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await page.getByText('curl -X POST').innerText()).toContain('"secret_url"');
    await page.getByRole('button', { name: 'Create endpoint' }).click();

    const shown = page.getByRole('dialog', { name: 'Secret URL' });
    const url = await shown.getByText(/^http.*\/in\//).innerText();
    await page.keyboard.press('Escape');
    await shown.getByText('Waiting for the first request').waitFor();
    expect(await post(url, { title: HOSTILE })).toHaveStatus(202);
    await shown.getByText('Request received').waitFor();
    await shown.getByRole('button', { name: 'Copy URL' }).click();
    await shown.getByRole('button', { name: /Done|Close/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Blog' }).waitFor();
    expect(await page.content()).not.toContain(url);

    await page.getByRole('tab', { name: 'Publications' }).click();
    const run = page.getByRole('table', { name: 'Publications' }).getByRole('row', { name: 'Published' });
    await run.getByText('1 of 1').waitFor();
    await run.click();
    const sheet = page.getByRole('dialog', { name: 'Published' });
    await sheet.getByText(HOSTILE.toUpperCase()).waitFor();
    await sheet.getByRole('link', { name: 'View in chat' }).waitFor();
    await sheet.getByRole('button', { name: 'Replay' }).click();
    await dialog(page)
      .getByLabel(/Original version/)
      .check();
    await dialog(page).getByRole('button', { name: 'Replay' }).click();
    await sheet.getByText('Replay of').waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.keyboard.press('ArrowDown');
    await sheet.getByText('Secret URL', { exact: true }).waitFor();
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });

  test('says what is missing until it is filled in, and what is wrong with a filter', async () => {
    const home = await world.newHome();
    await connectSandbox(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/publishing/new');
    await page.getByLabel('Name', { exact: true }).fill('Blog');
    await card(page).getByLabel('Address').fill('alice');
    await page.getByRole('button', { name: 'Create destination' }).click();
    await card(page, 2).getByLabel('Address').fill('bob');
    const text = card(page, 2).getByRole('textbox', { name: 'Text' });
    expect((await text.innerText()).trim()).toBe('');
    await preview(page).getByText('Fill in these fields to test the endpoint: Text').waitFor();
    const create = page.getByRole('button', { name: 'Create endpoint' });
    await create.click();
    await card(page, 2).getByText('Must not be empty').waitFor();
    await page.getByRole('alert').getByText('Destinations › 2 › Text').waitFor();
    await text.fill('Also: {{ payload.title }}');
    await preview(page).getByText('Also: Spring is here').waitFor();
    await page.getByText('Must not be empty').waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);

    await page.getByRole('button', { name: 'Filter and deduplication' }).click();
    const filter = page.getByRole('textbox', { name: 'Filter' });
    await filter.fill('payload.id >');
    await page.getByText('A value is missing after `>`').first().waitFor();
    await filter.fill('id > 10');
    await page.getByText('`id` is not a variable. Did you mean `payload.id`?').waitFor();
    await filter.fill('payload.id > 10');
    await preview(page).getByText('Would be published immediately').waitFor();
    await page.getByText('is not a variable').waitFor({ state: 'detached' });
    expect(seen.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('a model is asked about each request, and templates have its response', async () => {
    const home = await world.newHome();
    await connectSandbox(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/publishing/new');
    await page.getByLabel('Name', { exact: true }).fill('Summaries');
    await card(page).getByLabel('Address').fill('alice');
    await page.getByRole('button', { name: 'Ask a model' }).click();
    await page.getByLabel('Ask a model about each request').check();
    await page.getByRole('combobox', { name: 'Model' }).fill('echo');
    await page.getByRole('option', { name: 'fairlead/echo' }).click();
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Sum up {{ payload.title }}');
    const template = card(page).getByRole('textbox', { name: 'Text' });
    await template.fill('In short: ');
    await page.getByRole('button', { name: /^Insert answer/ }).click();
    await expect.poll(() => template.innerText()).toBe('In short: {{ answer }}');
    await preview(page).getByText('Sum up Spring is here').waitFor();
    await preview(page).getByText('In short: SAMPLE').waitFor();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const shown = page.getByRole('dialog', { name: 'Secret URL' });
    const url = await shown.getByText(/^http.*\/in\//).innerText();
    expect(await post(url, { title: 'tulips' })).toHaveStatus(202);
    await shown.getByText('Request received').waitFor();
    await shown.getByRole('button', { name: 'Copy URL' }).click();
    await shown.getByRole('button', { name: /Done|Close/ }).click();
    await page.getByRole('tab', { name: 'Publications' }).click();
    await page.getByRole('table', { name: 'Publications' }).getByRole('row', { name: 'Published' }).click();
    await page.getByRole('dialog', { name: 'Published' }).getByText('In short: Sum up tulips').waitFor();
    expectClean(seen);
  });

  test('what is written is kept: leaving asks, and what others save meanwhile is told', async () => {
    const home = await world.newHome();
    const made = await endpoint(home, await connectSandbox(home), { dedupe_key: '{{ payload.id }}' });
    await post(made.url, { id: 1, title: 'One', token: 'very-secret-value-1234567890' });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/publishing/${made.id}`);
    await preview(page).getByText('New: One').waitFor();
    const template = card(page).getByRole('textbox', { name: 'Text' });
    await template.fill('Changed: {{ payload.title }}');
    await preview(page).getByText('Changed: One').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Rules' }).click();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('tab', { name: 'Editor' }).click();
    expect(await template.innerText()).toBe('Changed: {{ payload.title }}');

    await asOwner(home, `/publishing-endpoints/${made.id}`, { name: 'News' }, 'PATCH');
    await page.getByText('Someone else changed this').waitFor();
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText('Someone else changed this').waitFor({ state: 'detached' });
    const saved = await asOwner(home, `/publishing-endpoints/${made.id}`);
    // What was not touched here is as they left it.
    expect(saved).toMatchObject({
      name: 'News',
      destinations: [{ template: 'Changed: {{ payload.title }}' }],
    });

    await page.getByRole('textbox', { name: 'Filter' }).fill('payload.id > 1');
    await preview(page).getByText("The filter doesn't match").waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('');
    await page.getByRole('button', { name: /^Schedule/ }).click();
    await page.getByLabel('Delay', { exact: true }).fill('2');
    await page.getByLabel('Delay unit').selectOption('days');
    await preview(page).getByText('Scheduled in 2 days').waitFor();
    await page.getByRole('button', { name: 'Create destination' }).click();
    await card(page, 2).getByLabel('Address').fill('bob');
    await card(page, 2).getByRole('textbox', { name: 'Text' }).fill('Also {{ payload.id }}');
    await page.getByRole('button', { name: 'Move destination 2 up' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    expect(await asOwner(home, `/publishing-endpoints/${made.id}`)).toMatchObject({
      destinations: [{ to: 'bob' }, { to: 'alice' }],
      schedule: { at: null, delay_seconds: 172_800, quiet_hours: null },
    });

    await post(made.url, { id: 2, title: 'Two' });
    await page.getByRole('tab', { name: 'Publications' }).click();
    await page.getByRole('row', { name: 'Scheduled' }).click();
    await page.getByRole('button', { name: 'Cancel publication' }).click();
    await page.getByRole('row', { name: 'Canceled' }).waitFor();
    await post(made.url, { id: 3, title: 'Three' });
    await page.getByRole('button', { name: 'Close details' }).click();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Rotate URL' }).click();
    await dialog(page).getByRole('button', { name: 'Rotate' }).click();
    await page
      .getByRole('dialog', { name: 'Secret URL' })
      .getByText(/\/in\//)
      .first()
      .waitFor();
    await dialog(page).getByRole('button', { name: 'Done' }).click();
    await dialog(page).getByRole('button', { name: 'Close without copying' }).click();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByText('1 scheduled publication').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await dialog(page).getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No publishing endpoints yet').waitFor();
    expectClean(seen);
  });

  test('the list shows the endpoints whose publications failed', async () => {
    const home = await world.newHome();
    const instance = await connectSandbox(home);
    const to = (address: string) => ({ instance_id: instance, to: address, template: 'New' });
    const failing = await endpoint(home, instance, { name: 'Failing', destinations: [to('fail@ada')] });
    const good = await endpoint(home, instance, { name: 'Good', destinations: [to('ada')] });
    for (const { url } of [failing, good]) await post(url, {});
    await expect
      .poll(async () => (await asOwner(home, '/events?type=publication.failed')).data, PATIENCE)
      .toHaveLength(1);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/publishing');
    await page
      .getByRole('row', { name: 'Good' })
      .getByRole('cell', { name: 'Healthy', exact: true })
      .waitFor();
    await page
      .getByRole('row', { name: 'Failing' })
      .getByRole('cell', { name: /^Failed / })
      .waitFor();
    await page.getByRole('row', { name: 'Failing' }).getByRole('link').click();
    // The list names its failures too.
    await page.getByRole('heading', { level: 1, name: 'Failing' }).waitFor();
    await page.getByText(/^Failed /).waitFor();
    await page.getByRole('tab', { name: 'Publications' }).click();
    await page.getByRole('row').getByText('Failed', { exact: true }).first().waitFor();
    expectClean(seen);
  });

  test('is accessible and fits', async () => {
    const home = await world.newHome();
    const instance = await connectSandbox(home, HOSTILE);
    const made = await endpoint(home, instance, {
      name: HOSTILE,
      allow_partial: true,
      filter: 'payload.title != "no"',
      schedule: { quiet_hours: { from: '22:00', to: '22:01', time_zone: 'Europe/Berlin' } },
      destinations: [
        {
          instance_id: instance,
          to: '{{ payload.to }}',
          template: `{{ payload.title }} ${'long '.repeat(80)}`,
        },
        { instance_id: instance, to: 'bob', type: 'image', media: '{{ payload.image }}', template: 'x' },
      ],
    });
    await endpoint(home, instance, { auth: { type: 'signature', scheme: 'github' } });
    const long = { title: HOSTILE, to: 'alice', deep: { ['a key with spaces']: ['x'.repeat(200)] } };
    await post(made.url, long);
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/publishing');
    await row(page).waitFor();
    await expectFits(page, 'the list');
    await row(page).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await card(page).waitFor();
    await expectFits(page, 'the templates');
    await page.getByText('Preview', { exact: false }).first().click();
    await preview(page).getByRole('heading', { name: 'Preview' }).waitFor();
    await expectFits(page, 'the preview');
    await page.getByText('Sample', { exact: true }).first().click();
    await page.getByRole('button', { name: /^Insert payload.title/ }).waitFor();
    await expectFits(page, 'the sample');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Send a request').waitFor();
    await expectFits(page, 'the settings');
    await page.getByRole('tab', { name: 'Publications' }).click();
    await page.getByRole('row').nth(1).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await expectFits(page, 'a publication');
    await page.getByRole('button', { name: 'Replay' }).click();
    await dialog(page)
      .getByLabel(/Current version/)
      .waitFor();
    await expectFits(page, 'the replay');
    await world.visit(page, home, '/publishing/new');
    await page.getByLabel('Signature').check();
    await page.getByLabel('Scheme').selectOption('hmac');
    await expectFits(page, 'a new one');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
