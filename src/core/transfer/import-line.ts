/** Reads the cells of a line. Errors never quote the file, because results are stored. */
import { type JsonBounds, tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import { storableText } from '../../platform/db/storable-text.ts';
import { readCell } from '../api/csv.ts';
import { type Line, METADATA } from './import-file.ts';

export interface ImportLineError {
  line: number;
  code: string;
  detail: string;
}

const MAX_PAIRS = 50;
/** Of a cell in JSON: a file has many lines, and no field of an import needs more. */
export const CELL_BOUNDS: JsonBounds = { bytes: 1024 * 1024, values: 10_000, depth: 16 };

/** Returns the content of a cell, without the CSV escape. */
export const getCell = (cells: Line['cells'], name: string): string =>
  storableText(readCell(cells[name] ?? '').trim());

/**
 * Returns metadata from the column of that name, in JSON, and from `metadata.<key>`.
 * @returns an error message if it is a string
 */
export function getMetadata(cells: Line['cells']): Record<string, string> | string | undefined {
  const pairs: Record<string, string> = Object.create(null);
  const whole = getCell(cells, 'metadata');
  if (whole !== '') {
    const read = tryParseForeignJson(whole, CELL_BOUNDS);
    if (read === undefined || read === null || typeof read !== 'object' || Array.isArray(read))
      return 'metadata must be an object in JSON';
    for (const [key, value] of Object.entries(read)) {
      if (typeof value !== 'string') return 'values of metadata must be strings';
      pairs[storableText(key)] = storableText(value);
    }
  }
  for (const name of Object.keys(cells)) {
    const value = name.startsWith(METADATA) ? getCell(cells, name) : '';
    if (value !== '') pairs[storableText(name.slice(METADATA.length))] = value;
  }
  // API calls reject it, too (src/platform/http/json-body.ts): code that copies an object key by key would set its
  // prototype.
  if ('__proto__' in pairs) return 'metadata has a key named __proto__';
  const entries = Object.entries(pairs);
  if (entries.length > MAX_PAIRS) return `metadata has more than ${MAX_PAIRS} pairs`;
  if (entries.some(([key, value]) => key.length > 40 || value.length > 500))
    return 'keys of metadata have at most 40 characters, values 500';
  return entries.length ? { ...pairs } : undefined;
}
