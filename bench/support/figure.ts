/** What a benchmark gives: a table, what it was asked for, and what came of it. */
import type { Values } from '../bounds.ts';

export interface Options {
  /** Fewer and shorter runs, to see whether it works; such figures are not kept. */
  quick: boolean;
  /** Says what goes on. */
  report: (line: string) => void;
}

export interface Target {
  text: string;
  met: boolean;
  /** Whether it holds at any speed and size, so that missing it fails `--quick`, too. */
  always?: boolean;
}

export interface Figure {
  title: string;
  /** How it was measured, in a few sentences. */
  method: string;
  columns: string[];
  rows: (string | number)[][];
  /** What was asked, and whether it is so. */
  targets: Target[];
  /** What `npm run figures` lists. */
  values?: Values;
}

/** `name` → how to measure it. */
export type Bench = (options: Options) => Promise<Figure>;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

type Cell = string | number;

const row = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;

/** A Markdown table; all columns but the first hold numbers. */
export function markdownTable(columns: readonly string[], rows: readonly Cell[][]): string {
  return [row(columns), row(columns.map((_, index) => (index ? '---:' : '---'))), ...rows.map(row)].join(
    '\n',
  );
}

/** A figure in Markdown. */
export function markdown({ title, method, columns, rows, targets }: Figure): string {
  const outcome = targets.map(({ text, met }) => `- ${met ? 'Met' : 'Missed'}: ${text}`);
  return [`### ${title}`, '', method, '', markdownTable(columns, rows), '', ...outcome].join('\n');
}
