/** A real browser for tests: Chromium as the system has it, and what tests ask of every page. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Where Debian installs it; the one without a window needs a quarter less CPU. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
/** Where Chromium is; `CHROMIUM` names another place. */
export const CHROMIUM = process.env['CHROMIUM'] ?? PLACES.find((path) => existsSync(path)) ?? PLACES[0]!;
export const HAS_CHROMIUM = existsSync(CHROMIUM);

export const openBrowser = (): Promise<Browser> =>
  // Its sandbox needs rights that containers lack, and it opens only our own pages.
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });

export interface Watch {
  /** Addresses asked for that are not on `origin`. */
  foreign: string[];
  /** Every request: method, address, headers, body, as one text. */
  sent: string[];
  /** Errors and warnings of the console, uncaught errors, violations of the CSP. */
  faults: string[];
}

/** Run in every page before its own scripts. */
const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation('CSP ' + [event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`;

/** Watches all pages of a context, from before their first request. @param origin that they may talk to. */
export async function watch(context: BrowserContext, origin: string): Promise<Watch> {
  const seen: Watch = { foreign: [], sent: [], faults: [] };
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && asked !== origin) seen.foreign.push(request.url());
    seen.sent.push(
      `${request.method()} ${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`,
    );
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') seen.faults.push(message.text());
  });
  context.on('weberror', (error) => seen.faults.push(String(error.error())));
  await context.exposeFunction('reportViolation', (text: string) => seen.faults.push(text));
  await context.addInitScript({ content: TELL_VIOLATIONS });
  return seen;
}

const axeSource = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  violations: { id: string; impact: string; nodes: { html: string }[] }[];
}

async function runAxe(page: Page, rules: object): Promise<AxeResult['violations']> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeSource());
  const options = JSON.stringify({ resultTypes: ['violations'], rules });
  return (await page.evaluate<AxeResult>(`axe.run(${options})`)).violations;
}

const toLines = (violations: AxeResult['violations']): string[] =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));

/**
 * What lies over the page is in no landmark: menus and tooltips. The header of a dialog is no banner; there are two while
 * one dialog gives way to the next.
 */
const OVER_THE_PAGE =
  /^(region: <div (data-portal|class="_tip)|landmark-(no-duplicate-banner|unique): <header class="[^"]*-(Modal|Drawer)-header)/;

/** What axe finds on a page as it is now, the size of targets included, one line each. */
export const axeFaults = async (page: Page): Promise<string[]> =>
  toLines(await runAxe(page, { 'target-size': { enabled: true } })).filter(
    (line) => !OVER_THE_PAGE.test(line),
  );

/** What axe finds serious or critical, for pages whose markup is that of a library. */
export const seriousFaults = async (page: Page): Promise<string[]> =>
  toLines((await runAxe(page, {})).filter(({ impact }) => impact === 'serious' || impact === 'critical'));
