/** The first view of the API reference: readable before its scripts, or without them, and replaced without a jump. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ensurePagesBuilt } from '../../scripts/build/bundles.js';
import { CHROMIUM, HAS_CHROMIUM, openBrowser, seriousFaults, watch } from '../support/browser.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const quiet = { info() {} };
const ANCHOR = 'tag/links/links.create';

describe('the first view of the API reference', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let app: TestApp;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    await ensurePagesBuilt(quiet);
    app = await startTestApp({}, undefined, true);
    browser = await openBrowser();
  });
  afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
  });

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    return page;
  }

  /** Keeps the full reference from rendering until the returned function is called. */
  async function holdDocument(page: Page): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await page.route('**/openapi.json', async (route) => {
      await held.promise;
      await route.continue();
    });
    return held.resolve;
  }

  const getTop = async (page: Page, id: string): Promise<number> =>
    (await page.locator(`[id="${id}"]`).boundingBox())!.y;

  test('shows text before the full reference has loaded', async () => {
    const page = await newPage();
    const held = Promise.withResolvers<void>();
    // The choice of colors is a few lines and comes first.
    const isReference = ({ pathname }: URL) =>
      pathname.endsWith('.js') && !pathname.endsWith('/color-scheme.js');
    await page.route(isReference, async (route) => {
      await held.promise;
      await route.abort();
    });
    await page.goto(`${app.base}/docs`, { waitUntil: 'commit' });
    await page.getByRole('heading', { name: 'Authentication' }).first().waitFor();
    const painted = () =>
      page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint').length`);
    await expect.poll(painted, PATIENCE).toBe(1);
    held.resolve();
  });

  test.for(['light', 'dark'] as const)('works without JavaScript, %s', async (colorScheme) => {
    const page = await newPage({ javaScriptEnabled: false, colorScheme });
    await page.goto(`${app.base}/docs#${ANCHOR}`);
    const operation = page.locator(`article[id="${ANCHOR}"]`);
    expect(await operation.innerText()).toContain('/api/v1/links');
    expect((await operation.boundingBox())!.y).toBeLessThan(200);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await expect.poll(() => getTop(page, 'tag/webhooks'), PATIENCE).toBeLessThan(200);
    expect(await page.getByRole('textbox', { name: 'API key' }).isVisible()).toBe(false);
  });

  test.for([
    ['light', 1280],
    ['dark', 380],
  ] as const)('axe finds nothing serious: %s, %d pixels', async ([colorScheme, width]) => {
    const page = await newPage({ colorScheme, viewport: { width, height: 900 } });
    await holdDocument(page);
    await page.goto(`${app.base}/docs`);
    await page.locator('.first-view.covering').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
  });

  test('the full reference takes over where the title stands', async () => {
    const page = await newPage();
    const seen = await watch(page.context(), app.base);
    const release = await holdDocument(page);
    await page.goto(`${app.base}/docs`);
    const title = page.getByRole('heading', { name: 'Fairlead API', level: 1 });
    const before = (await title.boundingBox())!;
    release();
    await page.locator('#first-view').waitFor({ state: 'detached' });
    const after = (await title.boundingBox())!;
    expect(Math.abs(after.x - before.x)).toBeLessThan(3);
    expect(Math.abs(after.y - before.y)).toBeLessThan(3);
    expect(seen.foreign).toEqual([]);
    expect(seen.faults).toEqual([]);
  });

  test('a reader who has scrolled to an operation stays there', async () => {
    const page = await newPage();
    const release = await holdDocument(page);
    await page.goto(`${app.base}/docs`);
    await page.locator('.first-view.covering').waitFor();
    await page.locator(`article[id="${ANCHOR}"]`).evaluate((article: { scrollIntoView(): void }) => {
      article.scrollIntoView();
    });
    release();
    await page.locator('#first-view').waitFor({ state: 'detached' });
    await expect.poll(() => getTop(page, `api-1/${ANCHOR}`), PATIENCE).toBeLessThan(200);
    expect(await getTop(page, `api-1/${ANCHOR}`)).toBeGreaterThan(-50);
  });

  test('a link to a field leads to its operation until the field is there', async () => {
    const page = await newPage();
    await holdDocument(page);
    await page.goto(`${app.base}/docs#${ANCHOR}.body.url`);
    await page.locator('.first-view.covering').waitFor();
    await expect.poll(() => getTop(page, ANCHOR), PATIENCE).toBeLessThan(200);
  });
});
