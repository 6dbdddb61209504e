/**
 * Summing clicks up: from the clicks of a batch to what it adds to each row of `click_rollups`, and from a row and what
 * is added to the row as it shall be. The sums are the same wherever batches begin and end; which values have a place
 * of their own beside `(other)` depends on which came first.
 */
import { DAY_MS } from '../../db/partitions.ts';
import type { LoadedClick } from './load-row.ts';
import { cityValue, type DimensionCounts, DIMENSIONS, MOST_VALUES, OTHER, QUARTER_FIELDS } from './scopes.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const QUARTER_PLACES = 4 * QUARTER_FIELDS.length;

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

/** What a batch adds to one row. */
interface Addition extends RollupKey, Omit<RollupSums, 'dimensions'> {
  /** In the order of DIMENSIONS. */
  values: Map<string, number>[];
}

const emptyAddition = (key: RollupKey): Addition => ({
  ...key,
  clicks: 0,
  bots: 0,
  uniques: 0,
  quarters: key.resolution === 'hour' ? Array.from({ length: QUARTER_PLACES }, () => 0) : null,
  values: DIMENSIONS.map(() => new Map()),
});

/** The same text for the same row; texts have the order in which PostgreSQL sorts the keys. */
export const keyOf = (row: RollupKey): string =>
  `${row.workspace_id} ${row.scope_id} ${row.resolution} ${String(row.bucket).padStart(15, '0')}`;

/** Gathers what clicks add, by hour; days are made of hours at the end. */
export class RollupAdditions {
  readonly #hours = new Map<string, Addition>();

  /** @param scopes ids of what it counts for @param isUnique whether it is its visitor's first on the link that day */
  add(click: LoadedClick, scopes: readonly string[], isUnique: boolean): void {
    const bucket = click.at - (click.at % HOUR_MS);
    const place = Math.floor((click.at - bucket) / QUARTER_MS) * QUARTER_FIELDS.length;
    for (const scope of scopes) {
      const sums = this.#hour(click.workspace_id, scope, bucket);
      if (click.bot) {
        sums.bots++;
        sums.quarters![place + 1]!++;
        continue;
      }
      sums.clicks++;
      sums.quarters![place]!++;
      if (isUnique) {
        sums.uniques++;
        sums.quarters![place + 2]!++;
      }
      const { values } = sums;
      for (let nth = 0; nth < DIMENSIONS.length; nth++) {
        const name = DIMENSIONS[nth]!;
        const value = name === 'city' ? cityValue(click.city, click.country) : (click[name] ?? '');
        const counts = values[nth]!;
        counts.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
  }

  #hour(workspace_id: string, scope_id: string, bucket: number): Addition {
    const key = `${workspace_id}${scope_id}${bucket}`;
    let hour = this.#hours.get(key);
    if (!hour) {
      hour = emptyAddition({ workspace_id, scope_id, resolution: 'hour', bucket });
      this.#hours.set(key, hour);
    }
    return hour;
  }

  /** All of it, in the order of their keys. */
  rows(): { key: string; addition: Addition }[] {
    const days = new Map<string, Addition>();
    for (const hour of this.#hours.values()) {
      const key: RollupKey = {
        workspace_id: hour.workspace_id,
        scope_id: hour.scope_id,
        resolution: 'day',
        bucket: hour.bucket - (hour.bucket % DAY_MS),
      };
      const text = keyOf(key);
      const day = days.get(text);
      // Most batches lie within an hour: then its counts serve for both.
      if (!day) days.set(text, { ...hour, ...key, quarters: null });
      else days.set(text, sumOf(day, hour));
    }
    return [...this.#hours.values(), ...days.values()]
      .map((addition) => ({ key: keyOf(addition), addition }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

const sumOf = (day: Addition, hour: Addition): Addition => ({
  ...day,
  clicks: day.clicks + hour.clicks,
  bots: day.bots + hour.bots,
  uniques: day.uniques + hour.uniques,
  values: day.values.map((counts, nth) => {
    const sum = new Map(counts);
    for (const [value, count] of hour.values[nth]!) sum.set(value, (sum.get(value) ?? 0) + count);
    return sum;
  }),
});

/** Sets by definition: a visitor may call a value `__proto__`. */
function setCount(counts: Record<string, number>, value: string, count: number): void {
  if (value === '__proto__')
    Object.defineProperty(counts, value, {
      value: count,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  else counts[value] = count;
}

function addCounts(counts: Record<string, number>, added: Map<string, number>): void {
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

/** The row as it shall be. @param before the row as it is, which is changed; null where there is none */
export function addTo(before: RollupSums | null, addition: Addition): RollupRow {
  const { values, quarters, workspace_id, scope_id, resolution, bucket } = addition;
  const dimensions = before?.dimensions ?? {};
  if (addition.clicks)
    for (const [nth, name] of DIMENSIONS.entries()) addCounts((dimensions[name] ??= {}), values[nth]!);
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
