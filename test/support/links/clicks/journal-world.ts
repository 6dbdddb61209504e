/** What tests of journals share: appending clicks, and reading a journal to its end. */
import { expect } from 'vitest';
import type { ClickJournal, ClickRecord } from '../../../../src/surfaces/links/clicks/click-record.ts';
import type { JournalSource } from '../../../../src/platform/journal/journal-source.ts';
import { getClick } from './journal-clicks.ts';

/** @returns what became of each: null, or its error */
export const append = (journal: ClickJournal, ats: number[]): Promise<(Error | null)[]> =>
  Promise.all(ats.map((at) => new Promise<Error | null>((resolve) => journal.append(getClick(at), resolve))));

export interface ReadBack {
  clicks: ClickRecord[];
  ats: number[];
  segment: number;
  position: number;
}

/** Reads on from there to the end, which must come. */
export async function readAll(
  source: JournalSource<ClickRecord>,
  { segment = 0, position = 0, maxBytes = 64 * 1024 } = {},
): Promise<ReadBack> {
  const clicks: ClickRecord[] = [];
  for (let calls = 0; ; calls++) {
    expect(calls, 'reading comes to an end').toBeLessThan(10_000);
    const part = await source.read(segment, position, maxBytes);
    clicks.push(...part.records);
    if (!part.atEnd) {
      const isFurther = part.segment > segment || (part.segment === segment && part.position > position);
      expect(isFurther, 'each call moves on').toBe(true);
    }
    ({ segment, position } = part);
    if (part.atEnd) return { clicks, ats: clicks.map(({ at }) => at), segment, position };
  }
}

/** A log that keeps what it is told. */
export function keptLog() {
  const lines: { level: 'info' | 'warn' | 'error'; details: object; message: string }[] = [];
  const keep =
    (level: 'info' | 'warn' | 'error') =>
    (details: object, message: string): void => {
      lines.push({ level, details, message });
    };
  return { lines, log: { info: keep('info'), warn: keep('warn'), error: keep('error') } };
}

/** 0 up to `count`. */
export const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);
