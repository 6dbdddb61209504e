/**
 * Summing clicks up: from the clicks of a batch to what it adds to each row of `click_rollups`, and from a row and what
 * is added to the row as it shall be. The sums are the same wherever batches begin and end; which values have a place
 * of their own beside `(other)` depends on which came first.
 */
import { DAY_MS } from '../../db/partitions.ts';
import type { LoadedClick } from './load-row.ts';
import {
  cityValue,
  DEFAULT_DOMAIN_SCOPE,
  type Dimension,
  type DimensionCounts,
  DIMENSIONS,
  MOST_VALUES,
  OTHER,
  QUARTER_FIELDS,
} from './scopes.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;

export interface RollupKey {
  workspace_id: string;
  scope_id: string;
  resolution: 'hour' | 'day';
  /** Milliseconds since 1970. */
  bucket: number;
}

export interface RollupSums {
  /** People. */
  clicks: number;
  bots: number;
  uniques: number;
  /** Of an hour; null of a day. */
  quarters: number[] | null;
  dimensions: DimensionCounts;
}

export type RollupRow = RollupKey & RollupSums;

/** What a batch adds to one row. Most rows get a click or two: counts by value are made when the row is. */
interface Addition extends RollupKey, Omit<RollupSums, 'dimensions'> {
  /** Clicks of people; shared by the day where it has but one hour. */
  people: LoadedClick[];
}

/** The same text for the same row; texts have the order in which PostgreSQL sorts the keys. */
export const keyOf = (row: RollupKey): string =>
  `${row.workspace_id} ${row.scope_id} ${row.resolution} ${String(row.bucket).padStart(15, '0')}`;

/** Gathers what clicks add, by hour; days are made of hours at the end. */
export class RollupAdditions {
  /** By scope, then by hour. */
  readonly #hours = new Map<string, Map<number, Addition>>();

  /** @param scopes ids of what it counts for @param isUnique whether it is its visitor's first on the link that day */
  add(click: LoadedClick, scopes: readonly string[], isUnique: boolean): void {
    const bucket = click.at - (click.at % HOUR_MS);
    const place = Math.floor((click.at - bucket) / QUARTER_MS) * QUARTER_FIELDS.length;
    for (const scope of scopes) {
      const sums = this.#hour(click.workspace_id, scope, bucket);
      const quarters = sums.quarters!;
      if (click.bot) {
        sums.bots++;
        quarters[place + 1]!++;
        continue;
      }
      sums.clicks++;
      quarters[place]!++;
      sums.people.push(click);
      if (!isUnique) continue;
      sums.uniques++;
      quarters[place + 2]!++;
    }
  }

  #hour(workspace_id: string, scope_id: string, bucket: number): Addition {
    // The default domain has the same id in all workspaces.
    const scope = scope_id === DEFAULT_DOMAIN_SCOPE ? `${workspace_id}${scope_id}` : scope_id;
    let hours = this.#hours.get(scope);
    if (!hours) this.#hours.set(scope, (hours = new Map()));
    let hour = hours.get(bucket);
    if (!hour) {
      const none = { clicks: 0, bots: 0, uniques: 0, quarters: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] };
      hour = { workspace_id, scope_id, resolution: 'hour', bucket, ...none, people: [] };
      hours.set(bucket, hour);
    }
    return hour;
  }

  /** All of it, in the order of their keys. */
  rows(): { key: string; addition: Addition }[] {
    const rows: { key: string; addition: Addition }[] = [];
    for (const hours of this.#hours.values()) {
      const days = new Map<number, Addition>();
      for (const hour of hours.values()) {
        rows.push({ key: keyOf(hour), addition: hour });
        const bucket = hour.bucket - (hour.bucket % DAY_MS);
        const day = days.get(bucket);
        if (!day) days.set(bucket, { ...hour, resolution: 'day', bucket, quarters: null });
        else
          days.set(bucket, {
            ...day,
            clicks: day.clicks + hour.clicks,
            bots: day.bots + hour.bots,
            uniques: day.uniques + hour.uniques,
            people: day.people.concat(hour.people),
          });
      }
      for (const day of days.values()) rows.push({ key: keyOf(day), addition: day });
    }
    return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

const valueOf = (click: LoadedClick, name: Dimension): string =>
  name === 'city' ? cityValue(click.city, click.country) : (click[name] ?? '');

/** What a visitor may call a value, and an object can't hold by a plain assignment. */
const PROTO = '__proto__';

function setCount(counts: Record<string, number>, value: string, count: number): void {
  if (value === PROTO)
    Object.defineProperty(counts, value, {
      value: count,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  else counts[value] = count;
}

/** Fewer clicks than this are not gathered by value first. */
const FEW = 8;

function addCounts(counts: Record<string, number>, people: readonly LoadedClick[], name: Dimension): void {
  const added: Iterable<[string, number]> =
    people.length < FEW ? people.map((click) => [valueOf(click, name), 1]) : gathered(people, name);
  let places: number | null = null;
  for (const [value, count] of added) {
    if (Object.hasOwn(counts, value)) {
      setCount(counts, value, counts[value]! + count);
      continue;
    }
    places ??= MOST_VALUES - Object.keys(counts).length + (Object.hasOwn(counts, OTHER) ? 1 : 0);
    if (places > 0) {
      setCount(counts, value, count);
      if (value !== OTHER) places--;
    } else counts[OTHER] = (counts[OTHER] ?? 0) + count;
  }
}

function gathered(people: readonly LoadedClick[], name: Dimension): Map<string, number> {
  const sums = new Map<string, number>();
  for (const click of people) {
    const value = valueOf(click, name);
    sums.set(value, (sums.get(value) ?? 0) + 1);
  }
  return sums;
}

/** The row as it shall be. @param before the row as it is, which is changed; null where there is none */
export function addTo(before: RollupSums | null, addition: Addition): RollupRow {
  const { people, quarters, workspace_id, scope_id, resolution, bucket } = addition;
  const dimensions = before?.dimensions ?? {};
  if (people.length) for (const name of DIMENSIONS) addCounts((dimensions[name] ??= {}), people, name);
  return {
    workspace_id,
    scope_id,
    resolution,
    bucket,
    clicks: (before?.clicks ?? 0) + addition.clicks,
    bots: (before?.bots ?? 0) + addition.bots,
    uniques: (before?.uniques ?? 0) + addition.uniques,
    quarters: quarters && quarters.map((count, place) => count + (before?.quarters?.[place] ?? 0)),
    dimensions,
  };
}
