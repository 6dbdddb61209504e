/**
 * The whole product killed again and again at random instants while visitors follow its short links. Each visit has a
 * number, in its `utm_content`, by which it is known among the clicks.
 *
 * What must hold: a visit that was sent on is a click, once; nothing else is one, but visits whose answer the kill cut
 * off; single clicks, counters of links and roll-ups say the same.
 */
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from './account.ts';
import { goOnUntil, type KillCounts, killedIn, noKills, query, startTarget } from './killing.ts';

/** Longest time from a ready server to its kill. */
/** Without this many acknowledged visits, a run proves too little. */
export const ENOUGH = 200;
const MAX_MS = 2_000;
/** From the end of the last kill until all clicks must be in the database. */
const LOADED_WITHIN_MS = 120_000;
const LINKS = 20;
const VISITORS = 16;
const TARGET = 'https://example.com/';
const PERSON =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

export interface ClickReport extends KillCounts {
  /** Visits that were sent on. */
  answered: number;
  /** Visits that were refused (503). */
  refused: number;
  /** Clicks of visits whose answer was cut off. */
  unanswered: number;
  lost: number;
  doubled: number;
  /** Clicks of visits that were refused. */
  unfounded: number;
  /** Single clicks, and what counters and roll-ups make of them. */
  clicks: number;
  counted: number;
  summedUp: number;
  leftOver: string[];
  strange: string[];
}

export const emptyReport = (): ClickReport => ({
  ...noKills(),
  answered: 0,
  refused: 0,
  unanswered: 0,
  lost: 0,
  doubled: 0,
  unfounded: 0,
  clicks: 0,
  counted: 0,
  summedUp: 0,
  leftOver: [],
  strange: [],
});

interface Visit {
  /** 0 where no answer came. */
  status: number;
  location: string | undefined;
}

function visit(agent: Agent, url: string, userAgent: string): Promise<Visit> {
  return new Promise((resolve) => {
    const gone = { status: 0, location: undefined };
    get(url, { agent, headers: { 'user-agent': userAgent }, timeout: 240_000 }, (response) => {
      const { statusCode: status = 0, headers } = response;
      response
        .on('error', () => resolve(gone))
        .on('end', () => resolve({ status, location: headers.location }));
      response.resume();
    })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy();
      })
      .on('error', () => resolve(gone));
  });
}

/** Visitors that go on until stopped, over any number of kills. Which visit was which is told by its number. */
export function startVisitors(base: string, slugs: string[], strange: string[]) {
  const outcome = new Map<string, 'answered' | 'refused' | 'cut'>();
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  let visiting = true;
  let visits = 0;
  let slowestMs = 0;
  const running = Promise.all(
    Array.from({ length: VISITORS }, async () => {
      while (visiting) {
        const id = String(visits++);
        const slug = slugs[Math.floor(Math.random() * slugs.length)]!;
        const began = performance.now();
        const { status, location } = await visit(
          agent,
          `${base}/${slug}?utm_content=${id}`,
          visits % 5 ? PERSON : BOT,
        );
        slowestMs = Math.max(slowestMs, performance.now() - began);
        outcome.set(id, status === 302 ? 'answered' : status === 503 ? 'refused' : 'cut');
        if (status === 302 ? location !== TARGET : ![0, 503].includes(status))
          strange.push(`${status} ${location}`);
        // Nobody listens: it starts again.
        await delay(status === 302 ? 2 : 25);
      }
    }),
  );
  return {
    outcome,
    slowestMs: () => slowestMs,
    async stop() {
      visiting = false;
      await running;
      agent.destroy();
    },
  };
}

const isThere = (dataDir: string): Promise<boolean> =>
  query(dataDir, 'select 1').then(
    () => true,
    () => false,
  );

interface Found extends Record<string, unknown> {
  id: string;
  times: number;
}

/** Holds visits against what the database has of them. */
export async function compare(
  dataDir: string,
  outcome: Map<string, 'answered' | 'refused' | 'cut'>,
  report: ClickReport,
): Promise<void> {
  const rows = await query<Found>(
    dataDir,
    'select utm_content as id, count(*)::int as times from clicks group by 1',
  );
  const found = new Map(rows.map(({ id, times }) => [id, times]));
  const of = (what: 'answered' | 'refused' | 'cut'): string[] =>
    [...outcome].filter(([, became]) => became === what).map(([id]) => id);
  const [answered, refused, cut] = [of('answered'), of('refused'), of('cut')];
  const [sums] = await query<{ counted: number; summed: number }>(
    dataDir,
    `select (select coalesce(sum(clicks + bot_clicks), 0) from link_counters)::int as counted,
      (select coalesce(sum(r.clicks + r.bots), 0) from click_rollups r join links l on l.id = r.scope_id
       where r.resolution = 'day')::int as summed`,
  );
  Object.assign(report, {
    answered: answered.length,
    refused: refused.length,
    unanswered: cut.filter((id) => found.has(id)).length,
    lost: answered.filter((id) => !found.has(id)).length,
    doubled: rows.filter(({ times }) => times > 1).length,
    unfounded: refused.filter((id) => found.has(id)).length,
    clicks: rows.reduce((sum, { times }) => sum + times, 0),
    counted: sums!.counted,
    summedUp: sums!.summed,
  });
}

/**
 * @param dataDir an empty folder.
 * @param tell is told of each kill.
 */
export async function clickRounds(
  dataDir: string,
  kills: number,
  options: {
    sync?: 'write' | 'fdatasync';
    random?: () => number;
    report?: (line: string) => void;
  } = {},
): Promise<ClickReport> {
  const { sync = 'fdatasync', random = Math.random, report: tell = () => {} } = options;
  const report = emptyReport();
  const env = { LOG_LEVEL: 'warn', CLICK_SYNC: sync };
  const target = await startTarget({ dataDir, env, longestMs: MAX_MS, counts: report, random, report: tell });
  try {
    const account = await openAccount(target.base);
    const slugs = Array.from({ length: LINKS }, (_, nth) => `round-${nth}`);
    for (const slug of slugs) await succeeded(await account.call('POST', '/links', { url: TARGET, slug }));
    const visitors = startVisitors(target.base, slugs, report.strange);
    const served = (): number => [...visitors.outcome.values()].filter((one) => one === 'answered').length;
    try {
      while (killedIn(report) < kills) {
        const { victim, at, readyAt } = await target.strike(kills - killedIn(report));
        const before = served();
        const deadline = performance.now() + LOADED_WITHIN_MS;
        while (served() === before && performance.now() < deadline) await delay(20);
        // Links are followed without a database, and the next kill may be meant for it.
        while (!(await isThere(dataDir)) && performance.now() < deadline) await delay(50);
        tell(
          `${killedIn(report)} killed, last ${victim}: ready again after ${(readyAt - at).toFixed(0)} ms; ${served()} sent on`,
        );
      }
      await goOnUntil(`${ENOUGH} clicks are answered`, () => served() > ENOUGH);
    } finally {
      await visitors.stop();
    }
    const deadline = performance.now() + LOADED_WITHIN_MS;
    for (let before = -1; ; before = report.clicks) {
      await compare(dataDir, visitors.outcome, report);
      const isLoaded = report.lost === 0 && report.clicks === before;
      if (isLoaded || performance.now() > deadline) break;
      await delay(2_000);
    }
  } finally {
    report.leftOver = await target.end();
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function getErrors(report: ClickReport): string[] {
  const { answered, lost, doubled, unfounded, clicks, counted, summedUp, leftOver, strange } = report;
  const faults: [boolean, string][] = [
    [answered === 0, 'nobody was sent on'],
    [lost > 0, `${lost} lost`],
    [doubled > 0, `${doubled} doubled`],
    [unfounded > 0, `${unfounded} clicks of visits that were refused`],
    [clicks !== answered - lost + report.unanswered + doubled, `${clicks} clicks do not add up`],
    [counted !== clicks, `${clicks} clicks, but ${counted} in counters`],
    [summedUp !== clicks, `${clicks} clicks, but ${summedUp} in roll-ups`],
    [report.failedStarts > 0, `${report.failedStarts} failed starts`],
    [leftOver.length > 0, `left over: ${leftOver.join('; ')}`],
    [strange.length > 0, `strange: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
