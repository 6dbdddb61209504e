/** The console in a browser, on the real API: every page looked at, every write made, as a person would. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import type { Person } from '../support/test-app.ts';
import { axeFaults, CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  dialog,
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

describe('the console in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const newHome = () => world.newHome();
  const open = (person: Person | null, options = {}) => world.open(person, options);
  const visit = (page: Page, home: Home, path?: string) => world.visit(page, home, path);

  describe('every page', () => {
    let home: Home;
    let webhook: string;
    let link: string;
    beforeAll(async () => {
      if (!HAS_CHROMIUM) return;
      home = await newHome();
      await world.makeFirstCall(home);
      const { workspace } = home;
      await home.owner.call('/api-keys', { workspace, body: { name: HOSTILE, preset: 'read_only' } });
      await home.owner.call('/invitations', { workspace, body: { email: 'g@example.com', role: 'viewer' } });
      const inspector = await home.owner.call('/inspectors', { workspace, body: { name: HOSTILE } });
      const made = await home.owner.call('/webhooks', {
        workspace,
        body: { url: inspector.body.url, events: ['*'], description: HOSTILE },
      });
      webhook = made.body.id;
      const short = await home.owner.call('/links', {
        workspace,
        body: { url: 'https://example.com/', title: HOSTILE, tags: ['spring'] },
      });
      link = short.body.id;
    });

    test('is accessible, fits and breaks no rule', async () => {
      const { page, seen } = await open(home.owner, { viewport: NARROW });
      const key = home.keyId;
      const pages: [path: string, shows: string][] = [
        ['', 'Recent failures'],
        ['/api-keys', 'Active'],
        [`/api-keys?id=${key}`, 'Permissions'],
        ['/api-keys?create=true', 'Permissions'],
        ['/your-site', 'Every visitor can read this key'],
        ['/models', 'Send a message to try this model'],
        ['/links', '1 link'],
        ['/links?q=nothing&state=expired', 'No matches'],
        ['/links?create=true', 'By country, language, device, system'],
        [`/links/${link}?tab=details`, 'Query forwarding'],
        ['/tags', 'spring'],
        ['/domains', 'No domains yet'],
        ['/domains?create=true', 'Where to send visitors'],
        ['/analytics', 'No clicks yet'],
        ['/events', 'Created'],
        ['/events?tab=catalogue&type=api_key.updated', 'Create webhook'],
        ['/events?tab=catalogue&type=chat.typing', 'Not in the log and not sent'],
        ['/webhooks', 'Healthy'],
        [`/webhooks?create=true&inspector=none&subscribe=member.added`, 'A person became a member'],
        [`/webhooks/${webhook}`, 'average'],
        [`/webhooks/${webhook}?tab=settings`, 'As fast as possible'],
        ['/inspector', 'Verified'],
        ['/members', '(you)'],
        ['/members?invite=true', 'Everything except deleting the workspace'],
        ['/members?tab=invitations', 'g@example.com'],
        ['/audit-log', 'api_keys.create'],
        ['/settings', 'Delete workspace'],
        ['/settings?tab=profile', 'Current password'],
        ['/settings?tab=sessions', 'This browser'],
      ];
      for (const [path, shows] of pages) {
        await world.go(page, home, path);
        await page.getByText(shows).first().waitFor();
        await expectFits(page, path);
      }
      expect(await page.title()).not.toBe('owned');
      expectClean(seen);
    });

    test('before sign-in too, and a page of a workspace leads through sign-in and back', async () => {
      const { page, seen } = await open(null, { viewport: NARROW, colorScheme: 'dark' });
      for (const path of ['sign-up', 'forgot-password', 'reset-password', 'invite/nothing']) {
        await page.goto(`${world.app.base}/user/api/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expect.poll(() => axeFaults(page), { ...PATIENCE, message: path }).toEqual([]);
      }
      await page.goto(`${world.app.base}/user/api/w/${home.slug}/events?tab=catalogue`);
      await page.getByLabel('Email').fill(home.owner.email);
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('api_key.rotated').waitFor();
      expect(new URL(page.url()).search).toBe('?tab=catalogue');
      // The refused sign-in and the invitation that isn't one are what the browser itself reports.
      expect(seen.faults.filter((fault) => !/status of (401|404|410|422)/.test(fault))).toEqual([]);
    });
  });

  test('keys: made with faults beside their fields, walked by keys, rotated, revoked', async () => {
    const home = await newHome();
    const inspector = await world.app.call('/inspectors', { key: home.key, body: { name: 'First try' } });
    const events = ['member.*'];
    const webhook = { url: inspector.body.url, events, description: 'Order mirror' };
    expect(await world.app.call('/webhooks', { key: home.key, body: webhook })).toHaveStatus(201);
    const { page, seen } = await open(home.owner);
    await visit(page, home, '/api-keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByLabel('Name').fill('Importer');
    await dialog(page).getByText('Custom scopes').click();
    await dialog(page).getByLabel('links:write').check();
    await dialog(page).getByText('Restrictions').click();
    await dialog(page).getByLabel('Allowed IPs').fill('10.0.0.1\nnowhere');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).locator('pre').innerText()).toContain('"links:write"');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await dialog(page).getByText('Must be an IPv4 or IPv6 address').waitFor();
    await dialog(page).getByLabel('Allowed IPs').fill('10.0.0.1');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const secret = page.getByRole('dialog', { name: 'Your new API key' });
    const first = await secret.getByText(/^fl_\w{36}$/).innerText();
    await secret.getByRole('button', { name: 'Done' }).click();
    await secret.getByRole('button', { name: 'Close without copying' }).click();
    await secret.waitFor({ state: 'detached' });

    // The details of the new key were opened below its secret.
    const sheet = page.getByRole('dialog', { name: 'Importer', exact: true });
    await sheet.getByText('10.0.0.1').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Importer' }).focus();
    await page.keyboard.press('Enter');
    await sheet.getByText('10.0.0.1').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('dialog', { name: 'test' }).waitFor();
    await page.keyboard.press('k');
    await sheet.getByRole('button', { name: 'Rotate' }).click();
    await dialog(page).getByLabel('Immediately').check();
    await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
    await expect.poll(() => axeFaults(page), PATIENCE).toEqual([]);
    const second = await secret.getByText(/^fl_\w{36}$/).innerText();
    expect(second).not.toBe(first);
    await secret.getByRole('button', { name: 'Done' }).click();
    await secret.getByRole('button', { name: 'Close without copying' }).click();

    await sheet.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await sheet.getByText('Revoked', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Revoked' }).click();
    await expect.poll(() => new URL(page.url()).search, PATIENCE).toBe('?state=revoked');
    await page.getByRole('row', { name: 'Importer' }).waitFor();
    await expect.poll(() => page.getByRole('row', { name: 'test' }).count(), PATIENCE).toBe(0);

    // What a key created is listed where it is revoked, and disabled with it.
    await visit(page, home, `/api-keys?id=${home.keyId}`);
    const used = page.getByRole('dialog', { name: 'test', exact: true });
    await used.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog(page).getByText('This key created 2 objects that are still active').waitFor();
    await dialog(page).getByText('Order mirror').waitFor();
    await dialog(page).getByLabel('Disable these objects').check();
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).locator('pre').innerText()).toContain('"disable_created": true');
    await expect.poll(() => axeFaults(page), PATIENCE).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
    await used.getByText('Revoked', { exact: true }).first().waitFor();
    await used.getByRole('button', { name: 'Created objects' }).click();
    await expect.poll(() => used.getByText('Disabled', { exact: true }).count(), PATIENCE).toBe(2);
    await visit(page, home, '/webhooks');
    await page.getByText('Disabled: key revoked').waitFor();
    await visit(page, home, '/inspector');
    await page.getByText('Disabled, responds with 404').waitFor();
    await page.getByRole('button', { name: 'Actions for First try' }).click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await page.getByText('Responds with 200').waitFor();
    expect(seen.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
  });

  test("one's own site: a page of another origin calls with the snippet, and is seen", async () => {
    const home = await newHome();
    const { page } = await open(home.owner);
    let html = '';
    const site: Server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    try {
      await visit(page, home, '/your-site');
      await page.getByLabel('Your site').fill(origin);
      await page.getByRole('button', { name: 'Create browser key' }).click();
      await dialog(page).getByRole('button', { name: 'Copy secret' }).click();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
      html = await page.locator('pre').innerText();
      await page.getByText('Open your page').waitFor();
      const visitor = await world.browser.newPage();
      await visitor.goto(origin);
      await visitor.getByText('Hello from my site!').waitFor();
      await visitor.close();
      await page.getByText('chat.completions').waitFor();
      expect(await page.getByText('Call received').isVisible()).toBe(true);
    } finally {
      site.close();
    }
  });

  test('members: invited by a link, joined, and a viewer sees no keys', async () => {
    const home = await newHome();
    const { page, seen } = await open(home.owner);
    await visit(page, home, '/members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog(page).getByLabel('Email').fill('grace@example.com');
    await dialog(page).getByLabel('Viewer').check();
    await dialog(page).getByRole('button', { name: 'Invite' }).click();
    const link = await dialog(page).getByText('/user/api/invite/').innerText();
    await dialog(page).getByRole('button', { name: 'Copy link' }).click();
    await dialog(page).getByRole('button', { name: 'Done' }).click();

    // Tall enough that no group of the navigation folds.
    const guest = await open(null, { viewport: { width: 1280, height: 1400 } });
    await guest.page.goto(world.app.base + new URL(link).pathname);
    await guest.page.getByLabel('Name').fill('Grace Hopper');
    await guest.page.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await guest.page.getByRole('button', { name: 'Create account' }).click();
    const navigation = guest.page.getByRole('navigation', { name: 'Main' });
    await navigation.getByText('Events').waitFor();
    expect(await navigation.getByText(/API keys|Audit log/).count()).toBe(0);
    expectClean(guest.seen);

    await visit(page, home, '/members');
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByText('Change role').click();
    await dialog(page).getByLabel('Developer').check();
    await dialog(page).getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('row', { name: 'Grace Hopper' }).getByText('Developer').waitFor();
    const cookie = (await guest.page.context().cookies())
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const made = await world.app.call('/api-keys', {
      headers: { cookie, origin: world.app.base, 'fairlead-workspace': home.workspace },
      body: { name: 'Key of Grace', preset: 'links' },
    });
    expect(made).toHaveStatus(201);
    await page.getByRole('button', { name: 'Actions for Grace Hopper' }).click();
    await page.getByText('Remove').click();
    await dialog(page).getByText('This member created 1 object that is still active').waitFor();
    await dialog(page).getByText('Key of Grace').waitFor();
    await dialog(page).getByLabel('Disable these objects').check();
    await dialog(page).getByRole('button', { name: 'Remove member' }).click();
    await expect.poll(() => page.getByRole('row', { name: 'Grace Hopper' }).count(), PATIENCE).toBe(0);
    expect((await world.app.call('/me', { key: made.body.secret })).body.code).toBe('key_revoked');
    expectClean(seen);
  });

  test('events: arrive live, wait while paused, are filtered by address, and are shown as text', async () => {
    const home = await newHome();
    const { page, seen } = await open(home.owner);
    const make = (name: string) =>
      home.owner.call('/api-keys', { workspace: home.workspace, body: { name, preset: 'read_only' } });
    await visit(page, home, '/events');
    await page.getByRole('status').getByText('Live').waitFor();
    const rows = page.getByRole('row', { name: 'api_key.created' });
    await expect.poll(() => rows.count(), PATIENCE).toBe(1);
    await make(HOSTILE);
    await expect.poll(() => rows.count(), PATIENCE).toBe(2);
    await page.getByRole('button', { name: 'Pause live updates' }).click();
    await page.getByRole('status').getByText('Paused').waitFor();
    await make('while paused');
    await page.getByRole('button', { name: 'Resume live updates' }).click();
    await expect.poll(() => rows.count(), PATIENCE).toBe(3);

    const type = page.getByRole('button', { name: 'Type' }).first();
    await type.click();
    await page.getByRole('option', { name: 'workspace.*' }).click();
    await expect.poll(() => rows.count(), PATIENCE).toBe(0);
    await page.getByRole('row', { name: 'workspace.created' }).getByRole('link').first().click();
    await page.getByRole('dialog', { name: 'workspace.created' }).getByText('"api_version"').waitFor();
    await page.reload();
    await page.getByRole('dialog', { name: 'workspace.created' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows.nth(1).click();
    await page.getByText(JSON.stringify(HOSTILE)).waitFor();
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });

  test('a model answers word by word and can be stopped', async () => {
    const home = await newHome();
    const { page, seen } = await open(home.owner);
    await visit(page, home, '/models');
    await page.getByLabel('Message').fill(`Hello ${HOSTILE}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByText(`Hello ${HOSTILE}`, { exact: true }).count(), PATIENCE).toBe(2);
    // A slow line, so that there is time to press it.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: 20_000,
      uploadThroughput: -1,
    });
    await page.getByLabel('Message').fill('word '.repeat(5000));
    await page.keyboard.press('Enter');
    const stop = page.getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    await stop.click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expectClean(seen);
  });

  test('the search finds pages, keys and actions from anywhere', async () => {
    const home = await newHome();
    const { page, seen } = await open(home.owner);
    const typed = Promise.withResolvers<void>();
    await page.route('**/api/v1/api-keys?*search=*', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'Quayside', preset: 'read_only' },
    });
    await visit(page, home, '/settings');
    const found = (label: string) => page.getByRole('dialog').getByRole('button', { name: label });
    const search = page.getByPlaceholder('Search links');
    // A key that comes before the page listens for it is lost.
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+k');
        return search.isVisible();
      }, PATIENCE)
      .toBe(true);
    await expect.poll(() => axeFaults(page), PATIENCE).toEqual([]);
    await search.fill('quays');
    await page.getByText('No results').waitFor();
    // Enter takes what arrives after it was typed, too.
    typed.resolve();
    await found('Quayside').waitFor();
    await search.press('Enter');
    await page.getByRole('dialog', { name: 'Quayside' }).getByText('Read only').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Quayside' }).waitFor({ state: 'detached' });
    // An ID opens its record.
    await page.keyboard.press('Control+k');
    await search.fill(home.keyId);
    await found(home.keyId).waitFor();
    await search.press('Enter');
    await page.getByRole('dialog', { name: 'test' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'test' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await search.fill('audit');
    await found('Audit log').waitFor();
    await search.press('Enter');
    await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
    await search.waitFor({ state: 'detached' });
    expectClean(seen);
  });

  test('a workspace is renamed, and deleted by typing its slug; then one signs out', async () => {
    const home = await newHome();
    const { page, seen } = await open(home.owner);
    await visit(page, home, '/settings');
    await page.getByLabel('Name').fill('Renamed');
    await page.getByLabel('Slug').fill(`renamed-${home.slug}`.slice(0, 40));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Renamed' }).waitFor();
    const slug = await page.getByLabel('Slug').inputValue();
    await expect.poll(() => page.url(), PATIENCE).toContain(`/w/${slug}/settings`);
    await page.getByRole('button', { name: 'Delete workspace' }).click();
    const confirm = dialog(page).getByRole('button', { name: 'Delete workspace' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Workspace slug').fill(slug);
    await confirm.click();
    await page.getByText('Make your first API call').waitFor();
    await page.getByLabel('Workspace name').fill('Next');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: home.owner.email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await expect.poll(() => axeFaults(page), PATIENCE).toEqual([]);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expectClean(seen);
  });
});
