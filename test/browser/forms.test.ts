/** Dialogs and forms of the console in a browser: what was typed is neither lost nor overwrites the work of others. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  dialog,
  expectStill,
  type Home,
  NARROW,
  startTestConsole,
  type TestConsole,
  watchShifts,
  WIDE,
} from '../support/console.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';

/** Of the first visit: the document, its scripts, styles and fonts, and what the overview asks of the API. */
const MAX_REQUESTS = 25;
/** Resolves when what has been rendered is on the screen. */
const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

describe('forms in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const call = async (home: Home, path: string, body?: unknown, method?: string) => {
    const answer = await home.owner.call(path, {
      workspace: home.workspace,
      ...(body !== undefined && { body }),
      ...(method !== undefined && { method }),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const createLink = (home: Home, slug: string) =>
    call(home, '/links', { url: `https://example.com/${slug}`, slug });
  const randomSlug = () => `f${Math.random().toString(36).slice(2, 10)}`;
  const address = (page: Page) => {
    const { pathname, search } = new URL(page.url());
    return pathname + search;
  };
  /** Presses Back; `page.goBack` would wait for a navigation that the page undoes. */
  const back = (page: Page) => page.evaluate('history.back()');
  const field = (page: Page, name: string) => dialog(page).getByRole('textbox', { name, exact: true });

  test('Enter in a dialog that only asks cancels', async () => {
    const home = await world.newHome();
    const slug = randomSlug();
    await createLink(home, slug);
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    await page.getByRole('checkbox', { name: new RegExp(`/${slug}$`) }).check();
    for (const name of ['Archive', 'Delete']) {
      await page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name }).click();
      const cancel = dialog(page).getByRole('button', { name: 'Cancel' });
      await expect.poll(() => cancel.evaluate('document.activeElement.textContent')).toBe('Cancel');
      await page.keyboard.press('Enter');
      await cancel.waitFor({ state: 'detached' });
    }
    expect((await call(home, '/links')).data).toMatchObject([{ slug, state: 'active' }]);
  });

  test('Back closes the dialog on top and leaves the history as it was', async () => {
    const home = await world.newHome();
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    await world.go(page, home, '/api-keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await field(page, 'Name').waitFor();
    expect(address(page)).toBe(`/user/api/w/${home.slug}/api-keys?create=true`);
    await back(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => address(page)).toBe(`/user/api/w/${home.slug}/api-keys`);

    // Changes are asked about; Back closes the question, too.
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await field(page, 'Name').fill('Shop');
    await back(page);
    const question = page.getByRole('dialog', { name: 'Discard changes?' });
    await question.waitFor();
    await back(page);
    await question.waitFor({ state: 'detached' });
    expect(await field(page, 'Name').inputValue()).toBe('Shop');

    // The search leads nowhere without asking.
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search links').fill('Webhooks');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await field(page, 'Name').inputValue()).toBe('Shop');

    // A secret is shown until it was taken.
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    const secret = page.getByRole('dialog', { name: 'Your new API key' });
    await secret.waitFor();
    await back(page);
    await secret.getByRole('alert').waitFor();
    await secret.getByRole('button', { name: 'Close without copying' }).click();
    await secret.waitFor({ state: 'detached' });
    // The details of the new key take the place of its form.
    expect(address(page)).toMatch(new RegExp(`^/user/api/w/${home.slug}/api-keys\\?id=\\w+$`));

    // The entry of the first dialog now shows the page alone.
    const past: string[] = [];
    for (let entry = 0; entry < 3; entry++) {
      await page.evaluate(
        "new Promise((done) => { addEventListener('popstate', done, { once: true }); history.back(); }).then(() => undefined)",
      );
      past.push(address(page));
    }
    const keys = `/user/api/w/${home.slug}/api-keys`;
    expect(past).toEqual([keys, keys, `/user/api/w/${home.slug}/links`]);
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  });

  test('an edit overwrites nobody else, and a revoked key shows in every tab', async () => {
    const home = await world.newHome();
    const slug = randomSlug();
    const link = await createLink(home, slug);
    const { page } = await world.open(home.owner);
    const other = await page.context().newPage();
    await world.visit(page, home, '/links');
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await field(page, 'Destination URL').fill('https://example.com/mine');
    await call(home, `/links/${link.id}`, { title: 'Theirs', url: 'https://example.com/theirs' }, 'PATCH');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Someone else changed this in the meantime').waitFor();
    expect((await call(home, `/links/${link.id}`)).url).toBe('https://example.com/theirs');
    await dialog(page).getByRole('button', { name: 'Reload' }).click();
    await dialog(page).getByText('Someone else changed this').waitFor({ state: 'detached' });
    expect(await field(page, 'Destination URL').inputValue()).toBe('https://example.com/mine');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await call(home, `/links/${link.id}`)).toMatchObject({
      url: 'https://example.com/mine',
      title: 'Theirs',
    });

    const key = await call(home, '/api-keys', { name: 'Shop', preset: 'full' });
    await world.visit(page, home, '/api-keys');
    await page.getByRole('button', { name: 'Actions for Shop' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await field(page, 'Name').fill('Mine');
    await call(home, `/api-keys/${key.id}`, { name: 'Theirs' }, 'PATCH');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Someone else changed this in the meantime').waitFor();
    expect((await call(home, `/api-keys/${key.id}`)).name).toBe('Theirs');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog', { name: 'Discard' }).getByRole('button', { name: 'Discard' }).click();

    await world.visit(other, home, '/api-keys');
    await other.getByRole('row', { name: 'Theirs' }).getByText('Active').waitFor();
    await call(home, `/api-keys/${key.id}/revoke`, {}, 'POST');
    await other.bringToFront();
    await other.getByRole('row', { name: 'Theirs' }).getByText('Revoked').waitFor();
  });

  test("an address opens no form that its reader can't send", async () => {
    const home = await world.newHome();
    const invited = await call(home, '/invitations', { email: 'reader@example.com', role: 'viewer' });
    const reader = await world.app.signUp('reader@example.com');
    const token = new URL(invited.url).pathname.split('/').at(-1);
    expect((await reader.call('/invitations/accept', { body: { token } })).status).toBeLessThan(300);
    await world.makeFirstCall(home);
    const { page } = await world.open(reader);
    // The script of a form is asked for as soon as the form opens.
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(request.url()));
    for (const path of [
      '/tags?create=true',
      '/links?create=true',
      '/links?import=true',
      '/budgets?create=true',
      '/domains?create=true',
      '/inspector?create=true',
      '/groups?open=new',
      '/groups?open=join',
      '/contacts?create=true',
      '/contacts?import=true',
      '/contacts?check=true',
      '/chats?new=true',
      '/members?invite=true',
    ]) {
      await world.visit(page, home, path);
      await page
        .getByText(path.startsWith('/members') ? 'reader@example.com' : /^No .* yet$/)
        .filter({ visible: true })
        .first()
        .waitFor();
      await page.evaluate(PAINTED);
      expect
        .soft(
          scripts
            .splice(0)
            .filter((url) =>
              /(Tag|Budget|Domain|Import|Inspector|Join|Contact|Check|NewChat|Invite)Dialog|(Link|NewGroup)Sheet/.test(
                url,
              ),
            ),
        )
        .toEqual([]);
      expect(await page.getByRole('dialog').count(), path).toBe(0);
    }
  });

  test('an answer that comes after its dialog was closed leaves the next dialog open', async () => {
    const home = await world.newHome();
    const [one, two] = [await createLink(home, randomSlug()), await createLink(home, randomSlug())];
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    let answer = (): void => undefined;
    const held = new Promise<void>((done) => (answer = done));
    await page.route(`**/api/v1/links/${one.id}`, async (route) => {
      await held;
      await route.continue();
    });
    const open = async (slug: string) => {
      await page.getByRole('button', { name: new RegExp(`^Actions for .*/${slug}$`) }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      const shown = page.getByRole('dialog', { name: new RegExp(slug) });
      await shown.waitFor();
      return shown;
    };
    const first = await open(one.slug);
    const asked = page.waitForRequest((request) => request.url().endsWith(one.id));
    await first.getByRole('button', { name: 'Archive' }).click();
    await asked;
    await first.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor({ state: 'detached' });
    const second = await open(two.slug);
    answer();
    // The list shows that the first was archived.
    await expect
      .poll(() => page.getByRole('row', { name: new RegExp(one.slug), includeHidden: true }).innerText())
      .toMatch(/Archived/);
    await page.evaluate(PAINTED);
    await second.getByRole('button', { name: 'Archive' }).click();
    await second.waitFor({ state: 'detached' });
    expect((await call(home, `/links/${two.id}`)).state).toBe('archived');
  });

  test('an edit of a budget, model route, provider or chat overwrites nobody else', async () => {
    const home = await world.newHome();
    const models = [{ id: 'small' }];
    const instance = await call(home, '/instances', { name: 'Box', channel: 'sandbox' });
    await call(home, `/instances/${instance.id}/connect`, {}, 'POST');
    const { chat } = await call(home, '/messages', {
      instance_id: instance.id,
      to: 'alice',
      type: 'text',
      text: { body: 'Hi' },
    });
    const provider = {
      name: 'Local',
      slug: 'local',
      kind: 'openai_compatible',
      base_url: 'https://example.com/v1',
    };
    const attempts = [{ model: 'fairlead/echo' }];
    const edited = {
      budgets: await call(home, '/budgets', { name: 'Bot', limit: { calls: 5 }, window: 'day' }),
      'model-routes': await call(home, '/model-routes', { name: 'default', attempts }),
      'model-providers': await call(home, '/model-providers', { ...provider, models }),
      chats: chat,
    };
    const { page } = await world.open(home.owner);
    const edit: Record<keyof typeof edited, () => Promise<void>> = {
      budgets: async () => {
        await world.visit(page, home, '/budgets');
        await page.getByRole('button', { name: 'Actions for Bot' }).click();
      },
      'model-routes': async () => {
        await world.visit(page, home, '/model-routes');
        await page.getByRole('button', { name: /^Actions for/ }).click();
      },
      'model-providers': async () => {
        await world.visit(page, home, '/model-providers');
        await page.getByRole('button', { name: 'Actions for Local' }).click();
      },
      chats: async () => {
        await world.visit(page, home, `/chats/${chat.id}`);
        await page.getByRole('button', { name: /^Actions for alice/i }).click();
      },
    };
    for (const [path, open] of Object.entries(edit) as [keyof typeof edited, () => Promise<void>][]) {
      const at = `/${path}/${edited[path].id}`;
      const name = path === 'chats' ? 'title' : 'name';
      await open();
      await page.getByRole('menuitem', { name: /^Edit/ }).click();
      await field(page, 'Name').fill('mine');
      await call(home, at, { [name]: 'theirs' }, 'PATCH');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).getByText('Someone else changed this in the meantime').waitFor();
      expect([path, (await call(home, at))[name]]).toEqual([path, 'theirs']);
      await dialog(page).getByRole('button', { name: 'Reload' }).click();
      await dialog(page).getByText('Someone else changed this').waitFor({ state: 'detached' });
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect([path, (await call(home, at))[name]]).toEqual([path, 'mine']);
    }
  });

  test('Escape asks before it discards changes, and closes the question first', async () => {
    const home = await world.newHome();
    const { page } = await world.open(home.owner);
    for (const path of ['/tags?create=true', '/links?create=true']) {
      await world.visit(page, home, path);
      const name = field(page, path.startsWith('/tags') ? 'Name' : 'Destination URL');
      await name.fill('https://example.com/mine');
      const question = page.getByRole('dialog', { name: 'Discard changes?' });
      for (const answer of ['Escape', 'Keep editing']) {
        await page.keyboard.press('Escape');
        const keep = question.getByRole('button', { name: 'Keep editing' });
        // It stays until it is answered, whatever else hears of the key.
        await expect.poll(() => keep.evaluate((button) => button.matches(':focus'))).toBe(true);
        if (answer === 'Escape') await page.keyboard.press('Escape');
        else await keep.click();
        await question.waitFor({ state: 'detached' });
        expect(await name.inputValue()).toBe('https://example.com/mine');
      }
      await page.keyboard.press('Escape');
      await question.getByRole('button', { name: 'Discard', exact: true }).click();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    }
  });

  test('parts that are first needed while the server is unreachable keep the page and come when it is back', async () => {
    const home = await world.newHome();
    const slug = randomSlug();
    await createLink(home, slug);
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    await page.getByRole('row', { name: `/${slug}` }).waitFor();
    const open: [button: () => Promise<void>, shown: Locator][] = [
      [
        () => page.getByRole('button', { name: /^Actions for/ }).click(),
        page.getByRole('menuitem', { name: 'Edit' }),
      ],
      [
        () => page.getByRole('button', { name: /^Account:/ }).click(),
        page.getByRole('menuitem', { name: 'Sign out' }),
      ],
      [
        () => page.getByRole('button', { name: 'Import' }).click(),
        page.getByRole('dialog', { name: 'Import links' }),
      ],
    ];
    for (const [press, shown] of open) {
      await page.context().setOffline(true);
      await press();
      await page.getByText("Can't reach the server").waitFor();
      expect(await page.getByRole('heading', { level: 1, name: 'Links' }).count()).toBe(1);
      await page.context().setOffline(false);
      await shown.waitFor();
      await page.getByText("Can't reach the server").waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      await shown.waitFor({ state: 'detached' });
    }
  });

  test('a page whose parts are gone after an upgrade is reloaded once', async () => {
    const home = await world.newHome();
    const slug = randomSlug();
    await createLink(home, slug);
    const { page } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    let loads = 0;
    page.on('domcontentloaded', () => loads++);
    const gone = { status: 404, body: '' };
    // The old version's chunk is gone; the new document asks for its own.
    await page.route(/\/assets\/Tags-/, (route) => (loads === 0 ? route.fulfill(gone) : route.continue()));
    const link = (name: string) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
    await link('Tags').click();
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor();
    expect(address(page)).toBe(`/user/api/w/${home.slug}/tags`);
    expect(loads).toBe(1);

    // A chunk that no reload brings back.
    await page.route(/\/assets\/Domains-/, (route) => route.fulfill(gone));
    await link('Domains').click();
    await page.getByText("Couldn't load this part of the console").waitFor();
    expect(loads).toBe(1);
  });

  test('a session that ends over unsaved changes keeps them for the same person', async () => {
    const home = await world.newHome();
    const { page } = await world.open(home.owner);
    const context = page.context();
    const cookies = await context.cookies();
    await world.visit(page, home, '/api-keys?create=true');
    await field(page, 'Name').fill('Shop');
    await context.clearCookies();
    // Something else on the page may have noticed first, and its dialog then covers the button.
    await dialog(page).getByRole('button', { name: 'Create key' }).dispatchEvent('click');
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.getByRole('link', { name: 'Sign in' }).waitFor();
    await context.addCookies(cookies);
    await ended.waitFor({ state: 'detached' });
    expect(await field(page, 'Name').inputValue()).toBe('Shop');
    await dialog(page).getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new API key' }).waitFor();

    // A secret that nobody has copied is unsaved, too. Somebody else sees none of it.
    await context.clearCookies();
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await ended.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL(/sign-in/);
    // Nothing opens again once they have faded out.
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  });

  test('dialogs do not move while they load', async () => {
    const home = await world.newHome();
    const { page } = await world.open(home.owner);
    await watchShifts(page);
    for (const [path, shown] of [
      ['/api-keys?create=true', 'Read only'],
      ['/members?invite=true', 'Viewer'],
    ] as const) {
      await world.visit(page, home, path);
      await dialog(page).getByText(shown, { exact: true }).waitFor();
      await dialog(page).getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
      await expectStill(page, path);
    }
  });

  test('pages do not move while what they ask for arrives', async () => {
    const home = await world.newHome();
    await world.makeFirstCall(home);
    for (const [path, viewport, shown] of [
      ['', NARROW, 'dd:has-text("No change")'],
      ['/your-site', NARROW, 'text=Every visitor can read this key'],
      ['/analytics', WIDE, 'input[placeholder="Any tag"]:enabled'],
    ] as const) {
      const { page } = await world.open(home.owner, { viewport });
      await watchShifts(page);
      const held: (() => void)[] = [];
      let isHeld = true;
      await page.route(/\/(activity|scopes)\b|SiteKeyForm|DomainSelect|TagsField/, async (route) => {
        if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
        await route.continue();
      });
      await world.visit(page, home, path);
      await expect.poll(() => held.length, PATIENCE).toBeGreaterThan(0);
      await page.evaluate(PAINTED);
      isHeld = false;
      for (const release of held) release();
      await page.locator(shown).first().waitFor();
      await page.locator('main input:disabled').waitFor({ state: 'detached' });
      await page.evaluate(PAINTED);
      await expectStill(page, path);
    }
  });

  test('a tip describes what it belongs to while it is shown, and the first page takes few requests', async () => {
    const home = await world.newHome();
    await world.makeFirstCall(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '');
    await page.getByText('Recent failures').waitFor();
    // What an event refreshes is asked again, sooner or later.
    const all = [...new Set(seen.sent.map((request) => request.split(' ', 2).join(' ')))];
    // The search and the tips are loaded once the page is there.
    const later = all.findIndex((request) => /\/assets\/(Search|tooltip)-/.test(request));
    const requests = later < 0 ? all : all.slice(0, later);
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(MAX_REQUESTS);

    await createLink(home, randomSlug());
    await world.visit(page, home, '/links');
    const time = page.getByRole('row').last().locator('time[data-tip]').first();
    // The module of tips is loaded a moment after the page.
    await page.locator('[role=tooltip]').waitFor({ state: 'attached' });
    await time.hover();
    const tip = page.getByRole('tooltip');
    await tip.waitFor();
    expect(await time.getAttribute('aria-describedby')).toBe(await tip.getAttribute('id'));
    await page.mouse.move(0, 0);
    await expect.poll(() => time.getAttribute('aria-describedby')).toBe(null);
  });
});
