/** The pages that tell what happened, in a browser: overview, requests, audit log and events. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  expectClean,
  expectFits,
  type Home,
  NARROW,
  startTestConsole,
  type TestConsole,
  WIDE,
} from '../support/console.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';
import { layDelivery, layEvent } from '../support/webhooks/deliveries.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';

describe('what happened in a workspace', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => (world = await startTestConsole({ EGRESS_ALLOW: '198.51.100.0/24' })), 90_000);
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const asKey = (home: Home, path: string, body?: unknown) => world.app.call(path, { key: home.key, body });

  test('requests come live, are filtered to errors, and are copied as cURL', async () => {
    const home = await world.newHome();
    await asKey(home, '/links/lnk_nope');
    const { page, seen } = await world.open(home.owner);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await world.visit(page, home, '/requests');
    const failed = page.getByRole('row').filter({ hasText: 'not_found' });
    await failed.getByText('404').waitFor();
    await page.getByRole('img', { name: /API requests over time: .* 1 error$/ }).waitFor();

    await asKey(home, '/me');
    await page.getByRole('row').filter({ hasText: 'me.get' }).first().waitFor();
    await page.getByRole('button', { name: 'Errors only' }).click();
    // The chart has a table too.
    const rows = page.getByRole('table', { name: 'Requests', exact: true }).getByRole('row');
    await expect.poll(() => rows.count(), PATIENCE).toBe(2);
    expect(new URL(page.url()).searchParams.get('errors')).toBe('true');

    await failed.getByRole('link').first().click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.getByRole('link', { name: 'not_found' }).getAttribute('href')).toBe(
      '/docs/errors#not_found',
    );
    await sheet.getByRole('button', { name: 'Copy cURL' }).click();
    await sheet.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('/api/v1/links/{id}');
    expectClean(seen);
  });

  test('those of API keys are shown first, and those of people when asked', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/requests');
    await page.getByRole('link', { name: 'View requests of all senders' }).click();
    const byPerson = page.getByRole('row').filter({ hasText: '/me' });
    await byPerson.first().waitFor();
    await asKey(home, '/tags');
    const byKey = page.getByRole('row').filter({ hasText: 'tags.list' });
    await byKey.filter({ has: page.getByRole('img', { name: 'API key' }) }).waitFor();
    await page.getByRole('button', { name: /^Sent by/ }).click();
    await page.getByRole('option', { name: 'API keys' }).click();
    await byPerson.first().waitFor({ state: 'detached' });
    await byKey.waitFor();
    expect(new URL(page.url()).searchParams.has('actor')).toBe(false);
    expectClean(seen);
  });

  test('a model call and its request lead to each other', async () => {
    const home = await world.newHome();
    const messages = [{ role: 'user', content: 'hello' }];
    await asKey(home, '/chat/completions', { model: 'fairlead/echo', messages });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/requests?operation=chat.completions');
    await page.getByRole('row').filter({ hasText: 'chat.completions' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'View model call' }).click();
    await page.getByRole('dialog').getByRole('link', { name: /^req_/ }).click();
    await page.getByRole('link', { name: 'View model call' }).waitFor();
    expectClean(seen);
  });

  test('a request ID is found only if it is in the log', async () => {
    const home = await world.newHome();
    const { headers } = await asKey(home, '/me');
    const id = headers.get('fairlead-request-id')!;
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/requests');
    await page.getByRole('row').filter({ hasText: 'me.get' }).first().waitFor();
    const search = page.getByPlaceholder('Search links');
    await page.keyboard.press('Control+k');
    await search.fill(`req_${id.slice(4, -3)}000`);
    await page.getByText('No results. Try').waitFor();
    await search.fill(id);
    await page.getByRole('dialog', { name: 'Search' }).getByText(id).click();
    await page.waitForURL(`**/requests?id=${id}`);
    expect(await page.getByRole('dialog').getByText('/api/v1/me').first().innerText()).toContain('GET');
  });

  test('the overview says what is wrong and leads to it', async () => {
    const home = await world.newHome();
    await asKey(home, '/me');
    const { page, seen } = await world.open(home.owner);
    await expect
      .poll(
        async () =>
          (await home.owner.call('/api-keys', { workspace: home.workspace })).body.data[0].last_used_at,
        PATIENCE,
      )
      .not.toBeNull();
    await world.visit(page, home);
    await page.getByText('Everything is working').waitFor();
    for (const name of ['Messages', 'Clicks', 'Deliveries', 'API errors']) {
      const tile = page.locator('dl > div', { has: page.getByText(name, { exact: true }) });
      expect((await tile.boundingBox())!.height, name).toBeGreaterThan(60);
    }
    await layEvent(world.app.database.pool, toUuid('workspace', home.workspace)!, {
      type: 'publication.failed',
    });
    await page.getByRole('link', { name: '1 publication failed' }).click();
    await page.getByRole('heading', { name: 'Publishing', level: 1 }).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
    expectClean(seen);
  });

  test('an event has a page with its deliveries', async () => {
    const home = await world.newHome();
    const webhook = await asKey(home, '/webhooks', {
      url: `https://198.51.100.7/${'long-'.repeat(20)}`,
      events: ['ping'],
    });
    const workspaceId = toUuid('workspace', home.workspace)!;
    const event = await layEvent(world.app.database.pool, workspaceId, {
      type: 'webhook.updated',
      resourceId: webhook.body.id,
    });
    const webhookId = toUuid('webhook', webhook.body.id)!;
    await layDelivery(world.app.database.pool, { workspaceId, webhookId, eventId: event.id });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/events/${publicId('event', event.id)}`);
    await page.getByRole('heading', { name: 'webhook.updated', level: 1 }).waitFor();
    await page
      .getByRole('row', { name: /198\.51\.100\.7/ })
      .getByText('Exhausted')
      .waitFor();
    await expectFits(page, 'an event');
    await page.getByRole('button', { name: /^Retry delivery to/ }).click();
    await page.getByText('Delivery queued').waitFor();
    await page.getByRole('link', { name: 'View object' }).click();
    await page.waitForURL(`**/webhooks/${webhook.body.id}`);
    expectClean(seen);
  });

  test('the audit log is filtered by type, shows what changed, and is exported', async () => {
    const home = await world.newHome();
    const tag = await asKey(home, '/tags', { name: 'spring' });
    await world.app.call(`/tags/${tag.body.id}`, {
      key: home.key,
      method: 'PATCH',
      body: { name: 'summer' },
    });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/audit-log');
    await page.getByRole('button', { name: 'Object type' }).click();
    for (const name of ['Budget', 'Model provider', 'Model route'])
      await page.getByRole('option', { name, exact: true }).waitFor();
    await page.getByRole('option', { name: 'Tag' }).click();
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(3);
    await page.getByRole('row').filter({ hasText: 'tags.update' }).getByRole('link').first().click();
    const changes = page.getByRole('dialog').getByRole('table', { name: 'Changes' });
    expect(await changes.getByRole('row', { name: /name/ }).innerText()).toMatch(/spring\s+summer/);
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('audit-log.csv');
    expectClean(seen);
  });

  test('filters of a phone open in a sheet', async () => {
    const home = await world.newHome();
    await asKey(home, '/links/lnk_nope');
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/requests?status=4xx');
    await page.getByRole('row').filter({ hasText: 'not_found' }).waitFor();
    const chip = page.getByRole('button', { name: 'Errors only', exact: true });
    const sheet = page.getByRole('dialog', { name: 'Filters' });
    expect(await chip.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await sheet.waitFor();
    await chip.click();
    await expectFits(page, 'the filters');
    const fold = page.getByRole('button', { name: 'Filters (2)' });
    expect(new URL(page.url()).searchParams.get('errors')).toBe('true');
    await sheet.getByRole('button', { name: 'Done' }).click();
    await chip.waitFor({ state: 'hidden' });
    expect(await fold.isVisible()).toBe(true);
    await page.setViewportSize(WIDE);
    await chip.waitFor();
    expect(await fold.isVisible()).toBe(false);
    expectClean(seen);
  });

  test('is accessible and fits', async () => {
    const home = await world.newHome();
    const tag = await asKey(home, '/tags', { name: 'spring' });
    expect(tag).toHaveStatus(201);
    await asKey(home, '/links/lnk_nope');
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/requests');
    await page.getByRole('row').filter({ hasText: 'not_found' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Copy cURL' }).waitFor();
    await expectFits(page, 'a request');
    const events = await asKey(home, '/events?limit=1');
    await world.visit(page, home, `/events/${events.body.data[0].id}`);
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await expectFits(page, 'an event');
    await world.visit(page, home, '/audit-log');
    await page.getByRole('row').nth(1).waitFor();
    await expectFits(page, 'the audit log');
    expectClean(seen);
  });
});
