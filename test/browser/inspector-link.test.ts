/** A person who is signed in to the console follows a link to an inspector of another workspace, in a real browser. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import { type Home, startTestConsole, type TestConsole } from '../support/console.ts';

describe('a link to an inspector', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let attacker: Home;
  /** A page of another site, with a link to the address that is set. */
  let elsewhere: Server;
  let id: string;
  let inspector: string;
  beforeAll(async () => {
    world = await startTestConsole();
    attacker = await world.newHome();
    const { body } = await world.app.call('/inspectors', { key: attacker.key, body: {} });
    id = body.id;
    inspector = world.app.base + new URL(body.url).pathname;
    elsewhere = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<a href="${inspector}">Invoice</a>`);
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    elsewhere?.close();
    await world?.stop();
  });

  const recorded = async () => {
    const { body } = await world.app.call(`/inspectors/${id}/requests?limit=1`, { key: attacker.key });
    return (await world.app.call(`/inspectors/${id}/requests/${body.data[0].id}`, { key: attacker.key }))
      .body;
  };

  /** Signs up in the browser, which keeps the cookie as the server sets it. */
  async function signUp(page: Page, email: string): Promise<void> {
    await page.goto(`${world.app.base}/user/api`);
    const body = JSON.stringify({ name: 'Ada', email, password: 'correct horse battery' });
    const status = await page.evaluate<number>(`fetch('/api/auth/sign-up/email', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)},
    }).then(({ status }) => status)`);
    expect(status).toBe(200);
  }
  const statusOfMe = (page: Page) =>
    page.evaluate<number>(`fetch('/api/v1/me').then(({ status }) => status)`);

  test.each(['of another site', 'in the console'])('%s gives away no session', async (where) => {
    const { page } = await world.open(null);
    await signUp(page, `${where.replaceAll(' ', '-')}@example.com`);
    expect(await statusOfMe(page)).toBe(200);
    if (where === 'in the console')
      await page.evaluate(`document.body.innerHTML = '<a href="${inspector}">Invoice</a>'`);
    else await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    const navigation = page.waitForRequest(inspector);
    await page.getByText('Invoice').click();
    await page.getByRole('heading', { name: 'Request inspector' }).waitFor();
    expect(await (await navigation).allHeaders()).not.toHaveProperty('cookie');
    expect(await recorded()).toMatchObject({ method: 'GET', headers: [], body: '' });

    await page.goto(`${world.app.base}/user/api`);
    expect(await statusOfMe(page)).toBe(200);
    const cookies = (await page.context().cookies()).map(({ name, path }) => `${name} ${path}`);
    expect(cookies.toSorted()).toEqual([
      'fairlead_api.known_device /api/auth',
      'fairlead_api.session_token /api',
    ]);
  });

  test('makes the browser delete the cookie of an earlier release', async () => {
    const { page } = await world.open(null);
    const cookie = {
      name: 'fairlead.session_token',
      value: 'of-an-earlier-release',
      domain: 'localhost',
      path: '/',
    };
    await page.context().addCookies([cookie]);
    await page.goto(inspector);
    expect((await recorded()).headers).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
  });
});
