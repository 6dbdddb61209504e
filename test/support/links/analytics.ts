/** Clicks for tests of analytics, loaded as the product loads them, and counts of them made one click after the other. */
import { generateClicks, getLoader, memoryJournal, seeded } from '../click-load.ts';
import type { Database } from '../../../src/platform/db/database.ts';
import type { ClickRecord } from '../../../src/surfaces/links/clicks/click-record.ts';
import { cityValue, type Dimension } from '../../../src/surfaces/links/clicks/scopes.ts';
import { classify } from '../../../src/surfaces/links/visitor/user-agent.ts';

const DAY_MS = 86_400_000;

/** Random clicks between two times, in their order; some share a visitor. */
export function randomClicks(
  workspaceId: string,
  linkIds: readonly string[],
  { from, until, count, seed }: { from: string; until: string; count: number; seed: number },
): ClickRecord[] {
  const random = seeded(seed);
  const [begin, end] = [Date.parse(from), Date.parse(until)];
  const made = generateClicks({
    count,
    workspaceId,
    linkIds,
    from: new Date(from),
    until: new Date(until),
    seed,
  });
  return [...made]
    .map((click) => ({
      ...click,
      at: begin + Math.floor(random() * (end - begin)),
      visitor: BigInt(Math.floor(random() * 40)) - 20n,
    }))
    .toSorted((a, b) => a.at - b.at);
}

/** Loads them as if they had come through a journal. Those before 90 days are kept too. */
export async function loadAll(db: Database, clicks: readonly ClickRecord[]): Promise<void> {
  await getLoader(db, [memoryJournal(clicks[Symbol.iterator]())], { retentionDays: 3_650 }).drain();
}

/** A click as it counts. */
export interface Counted extends Record<Dimension, string> {
  at: number;
  link: string;
  bot: boolean;
  visit: string;
  /** Whether it is the first of its visitor on the link that UTC day. */
  unique: boolean;
}

export function countable(clicks: readonly ClickRecord[]): Counted[] {
  const seen = new Set<string>();
  return clicks.map((click) => {
    const { at, linkId, isBot, visitor, city, country, referrer, language, utm, userAgent } = click;
    const visit = `${linkId} ${visitor} ${Math.floor(at / DAY_MS)}`;
    const unique = !isBot && !seen.has(visit);
    if (unique) seen.add(visit);
    const { device, os, browser } = classify(userAgent);
    const [source, medium, campaign, term, content] = utm;
    return {
      at,
      link: linkId,
      bot: isBot,
      visit,
      unique,
      country: country ?? '',
      city: cityValue(city, country),
      device: device ?? '',
      os: os ?? '',
      browser: browser ?? '',
      referrer: referrer ?? '',
      language: language ?? '',
      utm_source: source ?? '',
      utm_medium: medium ?? '',
      utm_campaign: campaign ?? '',
      utm_term: term ?? '',
      utm_content: content ?? '',
      destination_url: click.destinationUrl ?? '',
    };
  });
}

export const getSums = (clicks: readonly Counted[]) => ({
  clicks: clicks.filter(({ bot }) => !bot).length,
  unique_clicks: clicks.filter(({ unique }) => unique).length,
  bot_clicks: clicks.filter(({ bot }) => bot).length,
});

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock in the zone shows, as a name of the interval in which that lies. */
export function intervalName(zone: string, interval: string, at: number): string {
  let format = formats.get(zone);
  if (!format)
    formats.set(
      zone,
      (format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        timeZoneName: 'longOffset',
      })),
    );
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, timeZoneName } = parts;
  const date = `${year}-${month}-${day}`;
  if (interval === 'month') return `${year}-${month}`;
  if (interval === 'day') return date;
  if (interval === 'week') {
    const weekday = (new Date(date).getUTCDay() + 6) % 7;
    return new Date(Date.parse(date) - weekday * DAY_MS).toISOString().slice(0, 10);
  }
  const quarter = interval === 'hour' ? '' : `:${Math.floor(Number(minute) / 15)}`;
  return `${date} ${hour}${quarter} ${timeZoneName}`;
}
