/** The reference in a browser: what a reader pastes, copies and runs, and that nobody else hears of it. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ensurePagesBuilt } from '../../scripts/build/bundles.js';
import { PATIENCE } from '../support/patience.ts';
import type { OperationSpec } from '../../src/core/api/operation.ts';
import { needs } from '../support/needs.ts';
import { exampleId } from '../../src/core/api/id-schema.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { CHROMIUM, HAS_CHROMIUM, openBrowser, seriousFaults, type Watch, watch } from '../support/browser.ts';

const quiet = { info() {} };
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 380, height: 800 };
/** Operations that are shown before the page is loaded anew. */
const SHOWN_AT_ONCE = 20;
/** Operations that tests of the page's behavior use, beside the first two and those of the tag "API keys". */
const USED = ['me.get', 'invitations.create', 'models.get', 'chat.completions'];
/** Has the form of a key, but its checksum is wrong. */
const MISTYPED = `fl_${'a'.repeat(36)}`;

interface Clickable {
  click(): void;
}

interface Copied {
  /** The example that the reader sees. */
  seen: string;
  copied: string;
}

/**
 * Goes to an operation and copies its cURL, all within the page. Asked from outside step by step, as `copyCurl` does,
 * a page of this size takes twice as long, and there are many operations.
 */
const COPY_WITHIN = (id: string): string => `(async () => {
  const find = async (what, get) => {
    for (const end = performance.now() + 30_000; performance.now() < end; ) {
      const found = await get();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('no ' + what + ' of ${id}');
  };
  await navigator.clipboard.writeText('');
  let asked = -Infinity;
  const card = await find('example', () => {
    if (performance.now() - asked > 5_000) {
      asked = performance.now();
      location.hash = '';
      location.hash = '${id}';
    }
    return document.querySelector('section[id$="${id}"] .request-card:has(pre)');
  });
  const button = await find('button', () => card.querySelector('button[aria-label="Copy cURL"]'));
  button.click();
  const copied = await find('copy', () => navigator.clipboard.readText());
  return { seen: card.querySelector('pre').innerText, copied };
})()`;

/** Opens all that is folded up: answers, schemas, examples. */
const expandAll = (section: Locator): Promise<void> =>
  section.locator('button[aria-expanded=false]').evaluateAll((buttons: Clickable[]) => {
    for (const button of buttons) button.click();
  });

interface OpenApi {
  paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>>;
  tags: { name: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
}

/** Returns the document with only these operations and their tags. */
function cutTo(specs: readonly OperationSpec[], document: OpenApi): OpenApi {
  const ids = new Set<string>(specs.map(({ id }) => id));
  const tags = new Set<string>(specs.map(({ tag }) => tag));
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const kept = Object.entries(methods).filter(([, { operationId }]) => ids.has(operationId ?? ''));
    return kept.length > 0 ? [[path, Object.fromEntries(kept)] as const] : [];
  });
  const groups = document['x-tagGroups'].map((group) => ({
    ...group,
    tags: group.tags.filter((tag) => tags.has(tag)),
  }));
  return {
    ...document,
    paths: Object.fromEntries(paths),
    tags: document.tags.filter(({ name }) => tags.has(name)),
    'x-tagGroups': groups.filter((group) => group.tags.length > 0),
  };
}

/** An ID as examples have it. */
const EXAMPLE_ID = new RegExp(`\\b[a-z]+_${exampleId('event').slice('evt_'.length)}`);

/** Runs a command as a reader would paste it. */
async function shell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command]);
  return stdout;
}

const getId = ({ tag, id }: OperationSpec): string => `tag/${tag.toLowerCase().replaceAll(' ', '-')}/${id}`;

async function expectItRuns(curl: string, spec: OperationSpec): Promise<void> {
  const answer = await shell(`${curl.trimEnd()} --silent --write-out '\n%{http_code}'`);
  const status = Number(answer.slice(answer.lastIndexOf('\n') + 1));
  // An example's ID is nobody's, and some things only a person may do: nothing else is then wrong.
  const isMissing = /"code":"(not_found|session_required)"/.test(answer);
  const namesAnId = EXAMPLE_ID.test(curl);
  if (spec.path.includes('{id}') && namesAnId) expect(isMissing, `${spec.id}: ${answer}`).toBe(true);
  else if (!namesAnId || !isMissing)
    expect([200, 201, 202, 204], `${spec.id}: ${curl}\n${answer}`).toContain(status);
}

describe(
  'the reference in a browser',
  needs(`a browser (${CHROMIUM}), bash and curl`, HAS_CHROMIUM && existsSync('/usr/bin/curl')),
  () => {
    let app: TestApp;
    let key: string;
    let browser: Browser;
    const contexts: BrowserContext[] = [];

    beforeAll(async () => {
      await ensurePagesBuilt(quiet);
      app = await startTestApp({}, undefined, true);
      const scopes = (await (await app.signUp()).call('/scopes')).body.data.map(
        ({ id }: { id: string }) => id,
      );
      ({ key } = await startWorkspace(app, { scopes }));
      browser = await openBrowser();
    });
    afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
    afterAll(async () => {
      await browser?.close();
      await app?.stop();
    });

    const allOperations = (): OperationSpec[] => app.app.operations.map(({ spec }) => spec);
    const fewOperations = (): OperationSpec[] =>
      allOperations().filter(({ id, tag }, nth) => nth < 2 || tag === 'API keys' || USED.includes(id));

    /** @param specs operations in the document that the page gets: all of them make each action many times slower */
    async function open(
      path: string,
      options: BrowserContextOptions = {},
      specs: readonly OperationSpec[] = fewOperations(),
    ): Promise<{ page: Page; seen: Watch }> {
      const context = await browser.newContext({
        viewport: WIDE,
        permissions: ['clipboard-read', 'clipboard-write'],
        ...options,
      });
      contexts.push(context);
      const seen = await watch(context, app.base);
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE.timeout);
      if (specs.length < app.app.operations.length)
        await page.route('**/openapi.json', async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: cutTo(specs, (await response.json()) as OpenApi) });
        });
      await page.goto(`${app.base}${path}`);
      if (!path.startsWith('/docs/errors') && options.javaScriptEnabled !== false)
        await page.locator('#first-view').waitFor({ state: 'detached' });
      return { page, seen };
    }

    /** Goes to an operation and gives its section, with its example there. */
    async function goTo(page: Page, spec: OperationSpec): Promise<Locator> {
      const section = page.locator(`section[id$="${getId(spec)}"]`);
      const example = section.locator('.request-card pre');
      for (let tries = 1; ; tries++) {
        // A hash that is set while the page still gets ready leads nowhere, and only another one leads anywhere then.
        if (tries > 1) await page.evaluate(`location.hash = ''`);
        await page.evaluate(`location.hash = ${JSON.stringify(getId(spec))}`);
        try {
          await example.waitFor({ timeout: 5_000 });
          return section;
        } catch (error) {
          if (tries === 24) throw error;
        }
      }
    }

    const oneOfEachTag = (): OperationSpec[] =>
      [...Map.groupBy(fewOperations(), ({ tag }) => tag).values()].map(([first]) => first!);

    async function copyCurl(page: Page, spec: OperationSpec): Promise<string> {
      const section = await goTo(page, spec);
      const card = section.locator('.request-card');
      await page.evaluate(`navigator.clipboard.writeText('')`);
      await card.getByRole('button', { name: 'Copy cURL' }).click();
      const read = () => page.evaluate<string>('navigator.clipboard.readText()');
      await expect.poll(read, PATIENCE).not.toBe('');
      const copied = await read();
      // What is copied is what is seen.
      expect(copied.trim()).toBe((await card.locator('pre').innerText()).trim());
      return copied;
    }

    /** What decides the form of an operation's cURL: its method, body, answer, access, and whether its path has IDs. */
    const toForm = ({ method, path, body, produces, access }: OperationSpec): string =>
      [method, !!body, produces ?? 'json', ['user', 'public'].includes(access), path.includes('{')].join();

    /** One of each form: that the examples of all are right is proven in contract/tenancy-matrix. */
    const operationsToCopy = (): OperationSpec[] =>
      [...Map.groupBy(allOperations(), toForm).values()].map(([first]) => first!);

    test('every cURL that is copied runs as it is, with the pasted key', async () => {
      const { page } = await open('/docs', {}, operationsToCopy());
      await page.getByRole('textbox', { name: 'API key' }).fill(key);
      await goTo(page, operationsToCopy()[0]!);
      const copied: [curl: string, spec: OperationSpec][] = [];
      for (const [nth, spec] of operationsToCopy().entries()) {
        // What was shown stays in the page, which gets slower with it; the key stays, too.
        if (nth % SHOWN_AT_ONCE === SHOWN_AT_ONCE - 1) {
          await page.reload();
          await goTo(page, spec);
        }
        const { seen, copied: curl } = await page.evaluate<Copied>(COPY_WITHIN(getId(spec)));
        expect(curl.trim(), spec.id).toBe(seen.trim());
        expect(curl, spec.id).toContain(`${app.base}/api/v1/`);
        if (spec.access === 'user' || spec.access === 'public') continue;
        expect(curl, spec.id).toContain(`Authorization: Bearer ${key}`);
        // A stream goes on until the reader ends it.
        if (!spec.produces || spec.method !== 'GET') copied.push([curl, spec]);
      }
      const wrong: string[] = [];
      await Promise.all(
        copied.map(([curl, spec]) =>
          expectItRuns(curl, spec).catch((error: Error) => wrong.push(error.message)),
        ),
      );
      expect(wrong).toEqual([]);
      expect(copied.length).toBeGreaterThan(8);
    }, 360_000);

    test('the first calls answer what the reference says', async () => {
      const { page } = await open('/docs');
      await page.getByRole('textbox', { name: 'API key' }).fill(key);
      const run = async (id: string): Promise<unknown> => {
        const { spec } = app.app.operations.find((operation) => operation.spec.id === id)!;
        return JSON.parse(await shell(await copyCurl(page, spec)));
      };
      expect(await run('me.get')).toMatchObject({ object: 'me', kind: 'api_key', name: 'test' });
      expect(await run('api_keys.create')).toMatchObject({
        object: 'api_key',
        secret: expect.stringMatching(/^fl_/),
      });
      expect(await run('models.get')).toMatchObject({ id: 'fairlead/echo', object: 'model' });
      expect(await run('chat.completions')).toMatchObject({ object: 'chat.completion' });
    });

    test('a key stays in its tab and is sent nowhere', async () => {
      const { page, seen } = await open('/docs');
      const field = page.getByRole('textbox', { name: 'API key' });
      await field.fill(key);
      const { spec } = app.app.operations[0]!;
      const shown = (await goTo(page, spec)).locator('.request-card pre');
      await expect.poll(() => shown.innerText(), PATIENCE).toContain(key);
      await page.reload();
      await expect.poll(() => field.inputValue(), PATIENCE).toBe(key);
      await expect.poll(() => shown.innerText(), PATIENCE).toContain(key);
      expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(key);
      expect(await page.evaluate<string>('document.cookie')).toBe('');
      expect(page.url()).not.toContain(key);
      await page.getByRole('button', { name: 'Clear' }).click();
      await expect.poll(() => shown.innerText(), PATIENCE).toContain('Bearer YOUR_API_KEY');
      expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain(key);
      expect(seen.sent.filter((request) => request.includes(key))).toEqual([]);
    });

    test('what is no key is told, and goes into no example', async () => {
      const { page } = await open('/docs');
      const field = page.getByRole('textbox', { name: 'API key' });
      await field.fill(MISTYPED);
      await page.getByText('its checksum does not match').waitFor();
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      const shown = (await goTo(page, app.app.operations[0]!.spec)).locator('.request-card pre');
      expect(await shown.innerText()).toContain('Bearer YOUR_API_KEY');
      await field.fill('hello');
      await page.getByText('That is not a key').waitFor();
    });

    test('nothing leaves the server, and nothing breaks the policy, whatever is used', async () => {
      const { page, seen } = await open('/docs');
      for (const spec of oneOfEachTag().slice(0, 4)) await expandAll(await goTo(page, spec));
      const section = await goTo(page, app.app.operations[1]!.spec);
      await section.getByRole('button', { name: 'Copy as Markdown' }).click();
      await section.getByTestId('client-picker').click();
      await page.getByRole('option', { name: 'Requests' }).click();
      await expect
        .poll(() => section.locator('.request-card pre').innerText(), PATIENCE)
        .toContain('requests.get(');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('invite');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('#scheme').click();
      await page
        .locator('.show-more')
        .evaluateAll((buttons: Clickable[]) => buttons.forEach((button) => button.click()));
      await page.getByRole('link', { name: 'Errors', exact: true }).first().click();
      await page.locator('#invalid_request').waitFor();
      expect(seen.foreign).toEqual([]);
      expect(seen.faults).toEqual([]);
      expect(seen.sent.length).toBeGreaterThan(10);
    });

    test('an operation shows its scope, parameters with their marker, body, answers and event', async () => {
      const { page } = await open('/docs/#tag/api-keys/api_keys.create');
      const text = await page.locator('section[id$="api_keys.create"]').innerText();
      for (const part of [
        'Create an API key',
        'api_keys:write',
        'api_key.created',
        'required',
        'Body',
        '201',
        '422',
      ])
        expect(text).toContain(part);
      expect(await page.locator('section[id$="api_keys.create"] .response-card').innerText()).toContain(
        '"secret"',
      );
    });

    test('the whole document: sections follow the groups of tags, and the last example can be copied', async () => {
      const { page } = await open('/docs', {}, allOperations());
      const sidebar = await page.locator('.t-doc__sidebar').innerText();
      const document = (await (await fetch(`${app.base}/openapi.json`)).json()) as OpenApi;
      const expected = document['x-tagGroups'].flatMap(({ name, tags }) => [name, ...tags]);
      const lines = sidebar.split('\n').filter((line) => expected.includes(line.trim()));
      expect(lines).toEqual(expected);
      expect(await copyCurl(page, allOperations().at(-1)!)).toContain(`${app.base}/api/v1/`);
    });

    test('the choice of colors is the console’s, and stays', async () => {
      const { page } = await open('/docs', { colorScheme: 'light' });
      await page.getByRole('button', { name: 'Switch to dark colors' }).click();
      expect(await page.evaluate<string>('document.body.className')).toContain('dark-mode');
      expect(await page.evaluate<string>('localStorage.getItem("mantine-color-scheme-value")')).toBe('dark');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await page.evaluate<string>('document.body.className')).not.toContain('light-mode');
      await page.goto(`${app.base}/docs/errors`);
      expect(await page.evaluate<string>('document.body.className')).toContain('dark-mode');
    });

    test.for([
      ['light', NARROW],
      ['dark', WIDE],
    ] as const)(
      'axe finds nothing serious: %s, %o',
      { timeout: 240_000 },
      async ([colorScheme, viewport]) => {
        const { page } = await open('/docs', { colorScheme, viewport }, fewOperations());
        const { spec } = app.app.operations.find((operation) => operation.spec.id === 'api_keys.update')!;
        await expandAll(await goTo(page, spec));
        await page.getByRole('button', { name: 'Copy cURL' }).first().waitFor();
        expect(await seriousFaults(page)).toEqual([]);
        await page.goto(`${app.base}/docs/errors#not_found`);
        expect(await seriousFaults(page)).toEqual([]);
      },
    );

    test('fits 380 pixels', async () => {
      const { page } = await open('/docs', { viewport: NARROW });
      const { spec } = app.app.operations.find((operation) => operation.spec.id === 'api_keys.create')!;
      await goTo(page, spec);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(380);
      await page.getByRole('textbox', { name: 'API key' }).fill(MISTYPED);
      const bar = await page.locator('.bar').boundingBox();
      const state = await page.locator('#key-state').boundingBox();
      expect(state!.y + state!.height).toBeLessThanOrEqual(bar!.y + bar!.height);
      await page.goto(`${app.base}/docs/errors`);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(380);
    });
  },
);
