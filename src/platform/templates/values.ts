/**
 * How values become text. Filters leave marks on what is more than its text (`json`, `raw`, `link`), and output.ts makes
 * of a mark what the kind of the template takes.
 */
import { ExactNumber } from '../json/exact-number.ts';

/** What an output tag writes, as opposed to the letters of the template. */
export class Written {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** Made by the filter `json`: a whole value, as JSON. */
export class Json {
  readonly value: unknown;
  readonly text: string;
  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** Made by the filter `raw`: text whose markup counts. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
}

/** As Liquid writes values, but objects, which it would write as `[object Object]`, as JSON. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (value instanceof Written) return plain(value.value);
  if (value instanceof Json || value instanceof Raw) return value.text;
  if (value instanceof ExactNumber) return value.toString();
  if (Array.isArray(value)) return value.map(plain).join('');
  if (typeof value === 'object') {
    const whole = (value as { valueOf(): unknown }).valueOf();
    return whole === value ? JSON.stringify(value) : plain(whole);
  }
  return `${value as number | boolean}`;
}

/**
 * About how many characters a value would have as text, counted no further than `most`: a list may hold itself many
 * times over, by which a few filters would make terabytes.
 */
export function getSize(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof ExactNumber) return value.toString().length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += 1 + getSize(item, max - size);
      if (size > max) break;
    }
    return size;
  }
  for (const [name, item] of Object.entries(value)) {
    size += name.length + 4 + getSize(item, max - size);
    if (size > max) break;
  }
  return size;
}
