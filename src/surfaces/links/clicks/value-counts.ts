/**
 * Counts of people by the values of each dimension, as `click_rollups.dimensions` has them (ValueCounts). A row holds
 * the first MAX_VALUES of each, or fewer long ones; further ones are together as OTHER, so that counts always add up
 * to the people.
 */
import type { LoadedClick } from './load-row.ts';
import { cityValue, type Dimension, DIMENSIONS, MAX_VALUES, OTHER, type ValueCounts } from './scopes.ts';

const valueOf = (click: LoadedClick, name: Dimension): string =>
  name === 'city' ? cityValue(click.city, click.country) : (click[name] ?? '');

/**
 * Of all values of a dimension in a row. Rows are written anew with each batch, and a visitor chooses values: a thousand
 * of the longest made rows of megabytes, and loading slower than any visitor could click.
 */
const MAX_CHARACTERS_TOGETHER = 16_000;

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

/** Fewer people than this are not gathered by value first. */
const FEW = 8;

/** Of the same people, as of a day's one hour, counted once. */
const gatheredOf = new WeakMap<readonly LoadedClick[], Map<string, number>[]>();

function gathered(people: readonly LoadedClick[]): Map<string, number>[] {
  const known = gatheredOf.get(people);
  if (known) return known;
  const all = DIMENSIONS.map((name) => {
    const sums = new Map<string, number>();
    for (const click of people) {
      const value = valueOf(click, name);
      sums.set(value, (sums.get(value) ?? 0) + 1);
    }
    return sums;
  });
  gatheredOf.set(people, all);
  return all;
}

/** The value of all of them, or null where they have several. */
function commonValue(people: readonly LoadedClick[], name: Dimension): string | null {
  const value = valueOf(people[0]!, name);
  for (let n = 1; n < people.length; n++) if (valueOf(people[n]!, name) !== value) return null;
  return value;
}

/** What further values have a place for: so many of them, with so many characters together. */
function roomIn(counts: Record<string, number>): { values: number; characters: number } {
  const remaining = { values: MAX_VALUES, characters: MAX_CHARACTERS_TOGETHER };
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
    remaining ??= roomIn(counts);
    if (value === OTHER) setCount(counts, value, count);
    else if (remaining.values > 0 && remaining.characters >= value.length) {
      setCount(counts, value, count);
      remaining.values--;
      remaining.characters -= value.length;
    } else counts[OTHER] = (counts[OTHER] ?? 0) + count;
  }
}

/** Of a dimension that has a value in common, if any. @returns undefined where it has not any more */
function stillCommon(
  there: string | null,
  before: number,
  people: readonly LoadedClick[],
  name: Dimension,
): string | null | undefined {
  const common = commonValue(people, name);
  return common !== null && (before === 0 || common === (there ?? '')) ? common || null : undefined;
}

/** Adds people to the counts of a row, which is changed. @param before how many people it has counted so far */
export function addPeople(dimensions: ValueCounts[], before: number, people: readonly LoadedClick[]): void {
  for (let nth = 0; nth < DIMENSIONS.length; nth++) {
    const name = DIMENSIONS[nth]!;
    let there = dimensions[nth] ?? null;
    if (there === null || typeof there === 'string') {
      const common = stillCommon(there, before, people, name);
      if (common !== undefined) {
        dimensions[nth] = common;
        continue;
      }
      const counts: Record<string, number> = {};
      if (before > 0) setCount(counts, there ?? '', before);
      there = counts;
    }
    if (people.length < FEW) for (const click of people) addCounts(there, [[valueOf(click, name), 1]]);
    else addCounts(there, gathered(people)[nth]!);
    dimensions[nth] = there;
  }
  while (dimensions.length && dimensions.at(-1) === null) dimensions.pop();
}
