/** The console in a browser for tests: a server with its pages, workspaces, and signed-in browsers that are watched. */
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { CONSOLE, ensureBuilt } from '../../scripts/build/bundles.js';
import { PATIENCE } from './patience.ts';
import { type Person, startTestApp, startWorkspace, type TestApp } from './test-app.ts';
import { axeFaults, openBrowser, type Watch, watch } from './browser.ts';

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 380, height: 760 };
/** Must be shown as it is, wherever a text of somebody's is shown: the title of a page that it breaks is "owned". */
export const HOSTILE = `<img src=x onerror="document.title='owned'">`;

export type Home = Awaited<ReturnType<typeof startWorkspace>> & { slug: string };

export interface TestConsole {
  app: TestApp;
  browser: Browser;
  /** A person with a workspace of their own. */
  newHome(): Promise<Home>;
  /** Makes a first call with the key of a home, until which its overview is a checklist, and waits until it is recorded. */
  makeFirstCall(home: Home): Promise<void>;
  /** A browser of its own, signed in as `person`. */
  open(person: Person | null, options?: BrowserContextOptions): Promise<{ page: Page; seen: Watch }>;
  /** Opens a page of a workspace. @param path behind its address: `/api-keys?create=true` */
  visit(page: Page, home: Pick<Home, 'slug'>, path?: string): Promise<void>;
  /** Goes from a page of the console to another one without a load, as its links do. */
  go(page: Page, home: Pick<Home, 'slug'>, path: string): Promise<void>;
  /** Closes the browsers that were opened; to be called after each test. */
  closeAll(): Promise<void>;
  stop(): Promise<void>;
}

/** @param env settings beside the defaults of a test. @param readDisk what file systems answer */
export async function startTestConsole(
  env: Record<string, string> = {},
  readDisk?: Parameters<typeof startTestApp>[3],
): Promise<TestConsole> {
  await ensureBuilt(CONSOLE, { info() {} });
  const app = await startTestApp(env, undefined, true, readDisk);
  const browser = await openBrowser();
  const contexts: BrowserContext[] = [];
  const visit: TestConsole['visit'] = async (page, home, path = '') => {
    await page.goto(`${app.base}/user/api/w/${home.slug}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  return {
    app,
    browser,
    visit,
    async newHome() {
      const home = await startWorkspace(app);
      const { body } = await home.owner.call('/workspaces');
      return { ...home, slug: body.data[0].slug };
    },
    async makeFirstCall({ key, workspace, owner }) {
      await app.call('/models', { key });
      await vi.waitFor(async () => {
        const { body } = await owner.call('/api-keys', { workspace });
        expect(body.data).toContainEqual(expect.objectContaining({ last_used_at: expect.any(String) }));
      });
    },
    async open(person, options = {}) {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      contexts.push(context);
      const seen = await watch(context, app.base);
      if (person) {
        const cookies = person.cookie.split('; ').map((pair) => {
          const [name = '', ...value] = pair.split('=');
          return { name, value: value.join('='), domain: new URL(app.base).hostname, path: '/api' };
        });
        await context.addCookies(cookies);
      }
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE.timeout);
      return { page, seen };
    },
    async go(page, home, path) {
      if (page.url() === 'about:blank') return await visit(page, home, path);
      const to = JSON.stringify(`/user/api/w/${home.slug}${path}`);
      // The router of the console, by the name under which TanStack Router exposes it.
      await page.evaluate(`history.pushState(null, '', ${to}); __TSR_ROUTER__.load()`);
      // Not waitForFunction, whose second look is refused by the content security policy.
      await expect.poll(() => page.evaluate<string>('__TSR_ROUTER__.state.status'), PATIENCE).toBe('idle');
      return await page.getByRole('heading', { level: 1 }).waitFor();
    },
    async closeAll() {
      for (const context of contexts.splice(0)) await context.close();
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

/** Adds up how much of every page that is opened from now on moves without being asked to. */
export const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(`window.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) window.layoutShift += value;
    }).observe({ type: 'layout-shift', buffered: true })`);

/** The page has moved no more than web.dev calls good, or than `max`. */
export async function expectStill(page: Page, message: string, max = 0.1): Promise<void> {
  expect(await page.evaluate<number>('layoutShift'), message).toBeLessThanOrEqual(max);
}

/** The dialog that stands on top. */
export const dialog = (page: Page): Locator => page.getByRole('dialog').last();

/** Opens every group of the navigation, and returns the navigation. */
export async function unfoldNavigation(page: Page): Promise<Locator> {
  const navigation = page.getByRole('navigation', { name: 'Main' });
  await navigation.getByRole('link').first().waitFor();
  const folded = navigation.locator('[aria-expanded="false"]');
  while ((await folded.count()) > 0) await folded.first().click();
  return navigation;
}

/** Nothing went wrong in the browser, and nothing was asked of another server. */
export function expectClean(seen: Watch): void {
  expect(seen.faults).toEqual([]);
  expect(seen.foreign).toEqual([]);
}

/**
 * Tables that are wider than their area, each by its label. Those for screen readers alone are one pixel wide, and areas
 * that can take the focus are made to be scrolled.
 */
const WIDE_TABLES = `[...document.querySelectorAll('table')]
  .filter(({ parentElement: area }) => area.clientWidth > 1 && area.tabIndex < 0)
  .filter(({ parentElement: area }) => area.scrollWidth > area.clientWidth)
  .map((table) => table.ariaLabel ?? table.outerHTML.slice(0, 100))`;

/** Buttons whose text is cut at its top and bottom, each by that text; those for screen readers alone are one pixel wide. */
const SQUEEZED_BUTTONS = `[...document.querySelectorAll('button')]
  .filter((button) => button.checkVisibility() && button.innerText.trim())
  .filter(({ clientWidth, clientHeight, scrollHeight }) => clientWidth > 1 && clientHeight + 4 < scrollHeight)
  .map(({ innerText }) => innerText.slice(0, 100))`;

const LOOKS = [
  ['dark', WIDE],
  ['light', NARROW],
] as const;

/**
 * In the light and the dark scheme, on a wide and on a narrow window, the page as it is now is accessible, nothing in it is
 * wider than the window, no button cuts its text, and no table is wider than its area. Ends with the window as it was.
 */
export async function expectFits(page: Page, message: string): Promise<void> {
  const before = page.viewportSize() ?? WIDE;
  // The page as it is first, since a menu may close when the window changes.
  const looks = before.width === NARROW.width ? LOOKS.toReversed() : LOOKS;
  for (const [colorScheme, viewport] of looks) {
    await page.emulateMedia({ colorScheme });
    if (page.viewportSize()?.width !== viewport.width) await page.setViewportSize(viewport);
    const what = `${message}, ${colorScheme}, ${viewport.width} pixels wide`;
    await expect.poll(() => axeFaults(page), { ...PATIENCE, message: what }).toEqual([]);
    // A table measures its area once the window has changed.
    const sideways = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    await expect.poll(sideways, { ...PATIENCE, message: what }).toBeLessThanOrEqual(0);
    await expect
      .poll(() => page.evaluate<string[]>(SQUEEZED_BUTTONS), { ...PATIENCE, message: what })
      .toEqual([]);
    await expect.poll(() => page.evaluate<string[]>(WIDE_TABLES), { ...PATIENCE, message: what }).toEqual([]);
  }
  await page.setViewportSize(before);
}

/** Calls the API as the owner of a workspace. @returns the body of an answer that succeeded */
export async function asOwner(home: Home, path: string, body?: unknown, method?: string) {
  const answer = await home.owner.call(path, {
    workspace: home.workspace,
    body,
    ...(method && { method }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

/** Creates an instance of the sandbox, and waits until it is connected. @returns its ID */
export async function connectSandbox(home: Home, name = 'Support'): Promise<string> {
  const { id } = await asOwner(home, '/instances', { name, channel: 'sandbox' });
  await asOwner(home, `/instances/${id}/connect`, undefined, 'POST');
  await expect.poll(async () => (await asOwner(home, `/instances/${id}`)).state, PATIENCE).toBe('connected');
  return id;
}
