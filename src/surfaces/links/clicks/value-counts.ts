/**
 * Counts people per value of each dimension, in the format of `click_rollups.dimensions` (ValueCounts). A row holds the
 * first MAX_VALUES values of each dimension, or fewer long ones. Further values are counted together as OTHER, so
 * counts always add up to the number of people.
 */
import type { LoadedClick } from './load-row.ts';
import { cityValue, type Dimension, DIMENSIONS, MAX_VALUES, OTHER, type ValueCounts } from './scopes.ts';

const getValue = (click: LoadedClick, name: Dimension): string =>
  name === 'city' ? cityValue(click.city, click.country) : (click[name] ?? '');

/**
 * Maximum total length of a dimension's values in a row. Rows are rewritten with each batch, and visitors control the
 * values: a thousand values of maximum length made rows of megabytes, and loading slower than one visitor can click.
 */
const MAX_TOTAL_CHARACTERS = 16_000;

/** A possible value that cannot be set on an object by assignment. */
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

/** Below this number of people, counts are added one by one. */
const FEW = 8;

/** Cache by list of people: a day with a single hour shares the list of that hour. */
const countsByPeople = new WeakMap<readonly LoadedClick[], Map<string, number>[]>();

function countByValue(people: readonly LoadedClick[]): Map<string, number>[] {
  const cached = countsByPeople.get(people);
  if (cached) return cached;
  const all = DIMENSIONS.map((name) => {
    const sums = new Map<string, number>();
    for (const click of people) {
      const value = getValue(click, name);
      sums.set(value, (sums.get(value) ?? 0) + 1);
    }
    return sums;
  });
  countsByPeople.set(people, all);
  return all;
}

/** Returns the value that all people share; null if they differ. */
function commonValue(people: readonly LoadedClick[], name: Dimension): string | null {
  const value = getValue(people[0]!, name);
  for (let n = 1; n < people.length; n++) if (getValue(people[n]!, name) !== value) return null;
  return value;
}

/** Returns the remaining capacity of a row: number of values and total characters. */
function getRemaining(counts: Record<string, number>): { values: number; characters: number } {
  const remaining = { values: MAX_VALUES, characters: MAX_TOTAL_CHARACTERS };
  for (const value of Object.keys(counts)) {
    if (value === OTHER) continue;
    remaining.values--;
    remaining.characters -= value.length;
  }
  return remaining;
}

function addCounts(counts: Record<string, number>, added: Iterable<readonly [string, number]>): void {
  let remaining: { values: number; characters: number } | null = null;
  for (const [value, count] of added) {
    if (Object.hasOwn(counts, value)) {
      setCount(counts, value, counts[value]! + count);
      continue;
    }
    remaining ??= getRemaining(counts);
    if (value === OTHER) setCount(counts, value, count);
    else if (remaining.values > 0 && remaining.characters >= value.length) {
      setCount(counts, value, count);
      remaining.values--;
      remaining.characters -= value.length;
    } else counts[OTHER] = (counts[OTHER] ?? 0) + count;
  }
}

/** Returns the common value of a dimension, if people share the existing one; undefined if they don't. */
function mergeCommon(
  existing: string | null,
  before: number,
  people: readonly LoadedClick[],
  name: Dimension,
): string | null | undefined {
  const common = commonValue(people, name);
  return common !== null && (before === 0 || common === (existing ?? '')) ? common || null : undefined;
}

/** Adds people to the counts of a row, which is modified. @param before number of people counted so far */
export function addPeople(dimensions: ValueCounts[], before: number, people: readonly LoadedClick[]): void {
  for (let nth = 0; nth < DIMENSIONS.length; nth++) {
    const name = DIMENSIONS[nth]!;
    let there = dimensions[nth] ?? null;
    if (there === null || typeof there === 'string') {
      const common = mergeCommon(there, before, people, name);
      if (common !== undefined) {
        dimensions[nth] = common;
        continue;
      }
      const counts: Record<string, number> = {};
      if (before > 0) setCount(counts, there ?? '', before);
      there = counts;
    }
    if (people.length < FEW) for (const click of people) addCounts(there, [[getValue(click, name), 1]]);
    else addCounts(there, countByValue(people)[nth]!);
    dimensions[nth] = there;
  }
  while (dimensions.length && dimensions.at(-1) === null) dimensions.pop();
}
