/**
 * Aggregates clicks: sums the clicks of a batch per row of `click_rollups`, and adds these sums to the existing row.
 * The counts don't depend on how clicks are divided into batches. Only which values are counted under `(other)` depends
 * on the order of arrival.
 *
 * Links have rows per day with the quarter hours that had clicks, because most links get a click or two a day. Domains
 * and workspaces have rows per hour with quarter hours, and rows per day.
 */
import { DAY_MS } from '../../../platform/db/partitions.ts';
import type { LoadedClick } from './load-row.ts';
import { DEFAULT_DOMAIN_SCOPE, QUARTER_FIELDS, type ValueCounts } from './scopes.ts';
import { addPeople } from './value-counts.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;

export interface RollupKey {
  workspace_id: string;
  scope_id: string;
  resolution: 'h' | 'd';
  /** Milliseconds since 1970. */
  bucket: number;
}

export interface RollupSums {
  /** Clicks by people. */
  clicks: number;
  bots: number;
  uniques: number;
  /** QUARTER_FIELDS of each quarter hour with clicks; null in day rows of scopes that have hour rows. */
  quarters: number[] | null;
  dimensions: ValueCounts[];
}

export type RollupRow = RollupKey & RollupSums;

/**
 * Additions of a batch to one row. Counts by value are computed when the row is built: most rows get a click or two.
 */
interface Addition extends RollupKey, Omit<RollupSums, 'dimensions'> {
  people: LoadedClick[];
}

/** Identifies a row. Keys sort in the order in which PostgreSQL sorts the primary key. */
const getKey = (row: RollupKey): string =>
  `${row.workspace_id}${row.scope_id}${row.resolution}${String(row.bucket).padStart(15, '0')}`;

const FIELDS = QUARTER_FIELDS.length;

/** Returns the index of a quarter hour; inserts it if missing. Searches from the end, where most clicks belong. */
function findQuarter(quarters: number[], quarter: number): number {
  let index = quarters.length - FIELDS;
  while (index >= 0 && quarters[index]! > quarter) index -= FIELDS;
  if (index >= 0 && quarters[index] === quarter) return index;
  index += FIELDS;
  if (index === quarters.length) quarters.push(quarter, 0, 0, 0);
  else quarters.splice(index, 0, quarter, 0, 0, 0);
  return index;
}

/** Accumulates the additions of a batch. Day rows of domains and workspaces are derived from their hours at the end. */
export class RollupAdditions {
  /** By scope, then by bucket. */
  readonly #links = new Map<string, Map<number, Addition>>();
  readonly #others = new Map<string, Map<number, Addition>>();

  /**
   * Adds a click to its link, workspace and domain.
   * @param domain ID of the domain; null to count it for no domain
   * @param isUnique whether the click is its visitor's first on the link that day
   */
  add(click: LoadedClick, domain: string | null, isUnique: boolean): void {
    const { at, workspace_id, link_id } = click;
    const day = at - (at % DAY_MS);
    addClick(
      getOrCreateRow(this.#links, link_id, { workspace_id, scope_id: link_id, resolution: 'd', bucket: day }),
      click,
      isUnique,
    );
    const hour = { workspace_id, resolution: 'h', bucket: at - (at % HOUR_MS) } as const;
    addClick(
      getOrCreateRow(this.#others, workspace_id, { ...hour, scope_id: workspace_id }),
      click,
      isUnique,
    );
    if (domain === null) return;
    // The default domain has the same scope ID in all workspaces.
    const scope = domain === DEFAULT_DOMAIN_SCOPE ? `${workspace_id}${domain}` : domain;
    addClick(getOrCreateRow(this.#others, scope, { ...hour, scope_id: domain }), click, isUnique);
  }

  /** Returns all additions, sorted by key. */
  rows(): { key: string; addition: Addition }[] {
    const rows: { key: string; addition: Addition }[] = [];
    const put = (addition: Addition): unknown => rows.push({ key: getKey(addition), addition });
    for (const days of this.#links.values()) for (const day of days.values()) put(day);
    for (const hours of this.#others.values()) {
      for (const hour of hours.values()) put(hour);
      for (const [day, some] of Map.groupBy(hours.values(), ({ bucket }) => bucket - (bucket % DAY_MS)))
        put(sumDay(day, some));
    }
    return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

function getOrCreateRow(scopes: Map<string, Map<number, Addition>>, scope: string, key: RollupKey): Addition {
  let rows = scopes.get(scope);
  if (!rows) scopes.set(scope, (rows = new Map()));
  let row = rows.get(key.bucket);
  if (!row)
    rows.set(key.bucket, (row = { ...key, clicks: 0, bots: 0, uniques: 0, quarters: [], people: [] }));
  return row;
}

function addClick(sums: Addition, click: LoadedClick, isUnique: boolean): void {
  const quarters = sums.quarters!;
  const index = findQuarter(quarters, Math.floor((click.at - sums.bucket) / QUARTER_MS));
  if (click.bot) {
    sums.bots++;
    quarters[index + 2]!++;
    return;
  }
  sums.clicks++;
  quarters[index + 1]!++;
  sums.people.push(click);
  if (!isUnique) return;
  sums.uniques++;
  quarters[index + 3]!++;
}

function sumDay(bucket: number, hours: readonly Addition[]): Addition {
  const sum = (name: 'clicks' | 'bots' | 'uniques'): number =>
    hours.reduce((all, hour) => all + hour[name], 0);
  return {
    ...hours[0]!,
    resolution: 'd',
    bucket,
    clicks: sum('clicks'),
    bots: sum('bots'),
    uniques: sum('uniques'),
    quarters: null,
    people: hours.length === 1 ? hours[0]!.people : hours.flatMap(({ people }) => people),
  };
}

function addQuarters(before: number[], added: readonly number[]): number[] {
  for (let n = 0; n < added.length; n += FIELDS) {
    const index = findQuarter(before, added[n]!);
    for (let field = 1; field < FIELDS; field++) before[index + field]! += added[n + field]!;
  }
  return before;
}

/** Builds the new row. @param before the existing row, which is modified; null if there is none */
export function addTo(before: RollupSums | null, addition: Addition): RollupRow {
  const { people, quarters, workspace_id, scope_id, resolution, bucket, clicks, bots, uniques } = addition;
  const key = { workspace_id, scope_id, resolution, bucket };
  const dimensions = before?.dimensions ?? [];
  if (people.length) addPeople(dimensions, before?.clicks ?? 0, people);
  if (!before) return { ...key, clicks, bots, uniques, quarters, dimensions };
  return {
    ...key,
    clicks: before.clicks + clicks,
    bots: before.bots + bots,
    uniques: before.uniques + uniques,
    quarters: quarters && addQuarters(before.quarters ?? [], quarters),
    dimensions,
  };
}
