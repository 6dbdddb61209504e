/** Who follows links, in the console, in a browser: visits are made by HTTP, as visitors make them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

/** What is loaded by turns, and asked for by turns. */
const SLOW = { timeout: 240_000 };
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

interface Visit {
  agent?: string;
  referrer?: string;
  language?: string;
}

describe('analytics in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  interface Made {
    id: string;
    slug: string;
  }
  const make = async (home: Home, body: object = {}): Promise<Made> => {
    const answer = await home.owner.call('/links', {
      workspace: home.workspace,
      body: { url: 'https://example.com/', ...body },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body;
  };
  /** Follows a link; it leads within a second of being made. */
  const follow = async ({ slug }: Made, { agent = FIREFOX, referrer, language = 'de' }: Visit = {}) =>
    expect
      .poll(async () => {
        const response = await fetch(`${world.app.base}/${slug}?utm_campaign=spring`, {
          redirect: 'manual',
          headers: {
            'user-agent': agent,
            'accept-language': language,
            ...(referrer !== undefined && { referer: referrer }),
          },
        });
        await response.arrayBuffer();
        return response.status;
      }, PATIENCE)
      .toBe(302);
  /** Until so many visits are counted. */
  const counted = (home: Home, { id }: Made, count: number) =>
    expect
      .poll(async () => {
        const { body } = await home.owner.call(`/links/${id}`, { workspace: home.workspace });
        return body.clicks + body.bot_clicks;
      }, SLOW)
      .toBe(count);
  const tile = (page: Page, name: string) =>
    page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
  const ranking = (page: Page, name: string) => page.getByRole('list', { name, exact: true });
  const getAddress = (page: Page) => new URL(page.url()).searchParams;

  test('what visitors did shows, is narrowed by a click on a value, and stays so over a reload', async () => {
    const home = await world.newHome();
    const link = await make(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/links/${link.id}`);
    await page.getByRole('heading', { name: 'No clicks yet' }).waitFor();
    expect(await page.locator('pre').innerText()).toContain(`/${link.slug}'`);
    await follow(link, { referrer: 'https://news.example/a' });
    await follow(link);
    await follow(link, { agent: IPHONE, language: 'fr' });
    await follow(link, { agent: BOT });
    await counted(home, link, 4);

    await expect.poll(() => tile(page, 'Clicks').innerText(), SLOW).toBe('3');
    await expect.poll(() => tile(page, 'Bots').innerText(), PATIENCE).toBe('1');
    expect(await tile(page, 'Unique clicks').innerText()).toBe('2');
    await page.getByRole('img', { name: /Clicks over time.*: 3 by people, 1 by bots/ }).waitFor();
    await page.getByRole('button', { name: 'View as table' }).click();
    const numbers = page.getByRole('region', { name: 'Clicks over time as a table' });
    expect(await numbers.getByRole('row').nth(1).innerText()).toMatch(/\t3\t2\t1$/);

    await ranking(page, 'Devices').getByRole('button', { name: 'Phone' }).click();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('1');
    await page.getByRole('tab', { name: 'Languages' }).click();
    await ranking(page, 'Languages').getByRole('button', { name: 'French' }).waitFor();
    expect(getAddress(page).get('device')).toBe('mobile');
    await page.getByText('24 hours').click();
    await page.reload();
    await page.getByRole('button', { name: 'Device Phone' }).waitFor();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('1');
    expect(getAddress(page).get('range')).toBe('24h');
    await page.getByRole('button', { name: 'Device Phone' }).click();
    // What is not known is a value too.
    await ranking(page, 'Referrers').getByRole('button', { name: 'Direct' }).click();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('2');
    expect(getAddress(page).get('referrer')).toBe('');

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    expect((await download).suggestedFilename()).toBe('clicks-by-time.csv');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('berl');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await expect.poll(() => getAddress(page).get('tz'), PATIENCE).toBe('Europe/Berlin');
    await page.getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await page.locator('pre').innerText()).toContain('time_zone=Europe%2FBerlin');
    expectClean(seen);
  });

  test('a link with targeting rules shows which destination each click was redirected to', async () => {
    const home = await world.newHome();
    const ios = 'https://example.com/ios';
    const link = await make(home, { targeting: [{ when: { os: ['ios'] }, url: ios }] });
    await follow(link);
    await follow(link);
    await follow(link, { agent: IPHONE });
    await counted(home, link, 3);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/links/${link.id}`);
    await expect.poll(() => ranking(page, 'Destinations').getByRole('button').count(), PATIENCE).toBe(2);
    await ranking(page, 'Destinations').getByRole('button', { name: ios }).click();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('1');
    await page.getByRole('tab', { name: 'Clicks' }).click();
    const row = page.getByRole('table', { name: 'Clicks' }).getByRole('row').nth(1);
    await row.getByText('example.com/ios').first().waitFor();
    await row.click();
    await page
      .getByRole('dialog', { name: /^Person/ })
      .getByText(ios, { exact: true })
      .waitFor();
    expectClean(seen);
  });

  test('single clicks come live, are filtered, and show all that is kept of them', async () => {
    const home = await world.newHome();
    const [link, other] = [await make(home), await make(home)];
    await follow(link);
    await counted(home, link, 1);
    const { page, seen } = await world.open(home.owner);
    const stream = page.waitForResponse((response) => response.url().includes('/events/stream'));
    await world.visit(page, home, `/links/${link.id}?tab=clicks`);
    const rows = page.getByRole('table', { name: 'Clicks' }).getByRole('row');
    await expect.poll(() => rows.count(), PATIENCE).toBe(2);
    await stream;
    await follow(other);
    await follow(link, { agent: IPHONE, referrer: 'https://news.example/x' });
    await follow(link, { agent: BOT });
    await expect.poll(() => rows.count(), SLOW).toBe(4);
    expect(await rows.nth(1).innerText()).toContain('bot');
    await rows.nth(2).click();
    const sheet = page.getByRole('dialog', { name: /^Person/ });
    await sheet.getByText('news.example').first().waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('dialog', { name: /^Bot/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await page.getByRole('option', { name: 'People' }).click();
    await expect.poll(() => rows.count(), PATIENCE).toBe(3);
    // One that doesn't fit the filter doesn't come; one that does, does.
    await follow(link, { agent: BOT });
    await follow(link);
    await expect.poll(() => rows.count(), SLOW).toBe(4);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    expect((await download).suggestedFilename()).toBe('clicks.csv');
    expectClean(seen);
  });

  test('a QR code is what the server draws, and what it refuses is told at its field', async () => {
    const home = await world.newHome();
    const link = await make(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/links/${link.id}?tab=qr`);
    const drawn = () => page.getByRole('img', { name: /^QR code for/ }).getAttribute('src');
    await expect.poll(drawn, PATIENCE).toContain('svg');
    const first = await drawn();
    await page.getByLabel('Color', { exact: true }).fill('#0b6b6c');
    await expect.poll(async () => decodeURIComponent((await drawn()) ?? ''), PATIENCE).toContain('#0b6b6c');
    await page.getByText('H 30%').click();
    await page.getByRole('switch', { name: 'Transparent' }).click();
    await expect.poll(drawn, PATIENCE).not.toContain('%23ffffff');
    await page.getByLabel('Color', { exact: true }).fill('#dddddd');
    await page.getByText('Has a contrast ratio of').waitFor();
    expect(await page.getByRole('button', { name: 'PNG' }).isDisabled()).toBe(true);
    await page.getByLabel('Color', { exact: true }).fill('#000000');
    await page.getByText('Has a contrast ratio of').waitFor({ state: 'detached' });
    await page.getByLabel('Margin').fill('17');
    await page.getByText(/Must be.*16/).waitFor();
    await page.getByLabel('Margin').fill('1');
    await expect.poll(() => page.getByRole('button', { name: 'PNG' }).isEnabled(), PATIENCE).toBe(true);
    expect(await drawn()).not.toBe(first);
    for (const [name, file] of [
      ['SVG', `${link.slug}-qr.svg`],
      ['PNG', `${link.slug}-qr.png`],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      expect((await download).suggestedFilename()).toBe(file);
    }
    await page.getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await page.locator('pre').innerText()).toContain('background=transparent');
    expect(seen.faults.filter((text) => !/status of (400|422)/.test(text))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('all links together: by tag, top links lead to their own, too long a range is told', async () => {
    const home = await world.newHome();
    const [one, other] = [await make(home, { tags: ['spring'] }), await make(home, { title: HOSTILE })];
    for (const link of [one, one, other]) await follow(link);
    await counted(home, one, 2);
    await counted(home, other, 1);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/analytics?range=7d');
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('3');
    await page.getByRole('combobox', { name: 'Tag' }).fill('spr');
    await page.getByRole('option', { name: 'spring' }).click();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('2');
    await world.visit(page, home, '/analytics?range=7d&country=');
    await ranking(page, 'Top links')
      .getByRole('button', { name: `/${one.slug}` })
      .click();
    await page.getByRole('heading', { level: 1, name: `/${one.slug}` }).waitFor();
    await expect.poll(() => tile(page, 'Clicks').innerText(), PATIENCE).toBe('2');
    expect(getAddress(page).get('range')).toBe('7d');
    expect(getAddress(page).get('country')).toBe('');
    await world.visit(page, home, '/analytics?range=custom&from=2024-01-01&to=2024-06-01&device=mobile');
    await page.getByText('Too many clicks to count').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('No clicks in this range').waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(seen.faults.filter((text) => !text.includes('status of 422'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('is accessible and fits', async () => {
    const home = await world.newHome();
    const link = await make(home, { title: HOSTILE });
    await follow(link, { agent: IPHONE, referrer: `https://${'long.'.repeat(30)}example/` });
    await follow(link, { agent: BOT });
    await counted(home, link, 2);
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, `/links/${link.id}?compare=true&device=mobile&range=24h`);
    await page.getByRole('img', { name: /Clicks over time/ }).waitFor();
    await page.getByRole('button', { name: 'View as table' }).click();
    await expectFits(page, 'the overview');
    await world.visit(page, home, `/analytics`);
    await ranking(page, 'Top links').getByRole('button').first().waitFor();
    await expectFits(page, 'analytics');
    await world.visit(page, home, `/links/${link.id}?tab=clicks`);
    await page.getByRole('row').nth(2).click();
    await page.getByRole('dialog').getByText('Visitor', { exact: true }).waitFor();
    await expectFits(page, 'a click');
    await world.visit(page, home, `/links/${link.id}?tab=qr`);
    await page.getByRole('img', { name: /^QR code for/ }).waitFor();
    await expectFits(page, 'the QR code');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
