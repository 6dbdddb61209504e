/** Reading the file of an import: UTF-8, with commas, semicolons or tabs, a head that names the columns. Record by record, never whole in memory. */
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** The file can't be read further, or at all. */
export class ImportFileError extends Error {}

export interface Line {
  /** Where it begins, as an editor counts: a line break within quotes is one too. */
  number: number;
  /** By column, as the rules name it. */
  cells: Record<string, string>;
}

/** Rules for the columns of a file. */
export interface ColumnRules {
  /** Names in small letters → the column that they mean, itself among them. */
  known: ReadonlyMap<string, string>;
  /** Of an export, which an import does not take; in small letters. */
  passedOver: ReadonlySet<string>;
  /** The required column, and how errors name it. */
  required: { column: string; description: string };
}

export const METADATA = 'metadata.';
const MAX_RECORD = 128 * 1024;
const MAX_COLUMNS = 200;

async function* text(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new ImportFileError('The file is not UTF-8.');
    throw error;
  }
}

/** The sign that the head has most of. */
function getDelimiter(head: string): string {
  const count = (sign: string): number => head.split(sign).length;
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!;
}

function toColumns(
  head: string[],
  { known, passedOver, required }: ColumnRules,
): { columns: string[]; ignored: string[] } {
  if (head.length > MAX_COLUMNS) throw new ImportFileError(`The file has more than ${MAX_COLUMNS} columns.`);
  // Names of metadata are case-sensitive.
  const ignored: string[] = [];
  const columns: string[] = [];
  for (const cell of head) {
    const name = cell.trim();
    const small = name.toLowerCase();
    const meant = small.startsWith(METADATA) ? METADATA + name.slice(METADATA.length) : known.get(small);
    // Another product's second word for a column that is there already.
    const isSecond = meant !== undefined && meant !== small && columns.includes(meant);
    if (isSecond || (meant === undefined && !passedOver.has(small))) ignored.push(small);
    columns.push(isSecond || meant === undefined ? small : meant);
  }
  if (!columns.includes(required.column))
    throw new ImportFileError(
      `The first line must name the columns, and one of them ${required.description}.`,
    );
  const twice = columns.find((name, nth) => name !== '' && columns.indexOf(name) !== nth);
  if (twice !== undefined) throw new ImportFileError(`The column ${twice.slice(0, 100)} is there twice.`);
  return { columns, ignored };
}

/** A line that sets Excel's delimiter and is not a row: `sep=;`. */
const SEPARATOR_LINE = /^\s*"?sep=([,;\t])"?[ ,;\t]*\r?\n/i;

interface Peeked {
  /** The first line with anything in it. */
  head: string;
  delimiter: string;
  /** Number of lines before the first one in `all`. */
  skipped: number;
  all: AsyncGenerator<string>;
}

async function peek(texts: AsyncGenerator<string>): Promise<Peeked> {
  let start = '';
  for (;;) {
    const { value, done } = await texts.next();
    start += value ?? '';
    const lines = /^\s*"?sep=/i.test(start) ? 2 : 1;
    if (done || start.trimStart().split('\n', 3).length > lines || start.length > MAX_RECORD) break;
  }
  const [line = '', named] = SEPARATOR_LINE.exec(start) ?? [];
  const rest = start.slice(line.length);
  const all = async function* (): AsyncGenerator<string> {
    yield rest;
    yield* texts;
  };
  const head = rest.trimStart().split('\n', 1)[0]!;
  return { head, delimiter: named ?? getDelimiter(head), skipped: line.split('\n').length - 1, all: all() };
}

const LF = 10;
const CR = 13;

/** Counts lines beside the parser, which counts CRLF within quotes twice and knows only where a record ends. */
function createLineCounter(first: number) {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  let line = first;
  const isBreak = (bytes: Buffer, at: number): boolean =>
    bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF);
  /** Where the record that follows begins: after empty lines. */
  const findBegin = (): { at: number; line: number } => {
    const begin = { at: 0, line };
    for (; rest[begin.at] === LF || rest[begin.at] === CR; begin.at++)
      if (isBreak(rest, begin.at)) begin.line++;
    return begin;
  };
  return {
    /** To be called with all that the parser reads, before it does. */
    push(bytes: Buffer): void {
      rest = Buffer.concat([rest, bytes]);
      // The parser reports no empty lines: without this, any number of them would be kept.
      const begin = findBegin();
      // A line feed may follow, which is the same break.
      const isOpen = begin.at === rest.length && rest[begin.at - 1] === CR;
      const at = isOpen ? begin.at - 1 : begin.at;
      line = isOpen ? begin.line - 1 : begin.line;
      start += at;
      rest = rest.subarray(at);
    },
    /** @param end of the record, from the beginning of the file. @returns the line where it begins */
    pass(end: number): number {
      const begin = findBegin();
      const part = rest.subarray(0, end - start);
      line = begin.line;
      for (let at = begin.at; at < part.length; at++) if (isBreak(part, at)) line++;
      rest = rest.subarray(part.length);
      start = end;
      return begin.line;
    },
    /** Where the record begins that is being read. */
    getLine: (): number => findBegin().line,
  };
}

const isEmpty = (record: readonly string[]): boolean => record.every((cell) => cell.trim() === '');

/**
 * @param onIgnored called once with the unknown columns
 * @throws ImportFileError
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  rules: ColumnRules,
  onIgnored: (columns: string[]) => void,
): AsyncGenerator<Line> {
  const { head, delimiter, skipped, all } = await peek(text(pieces));
  const counter = createLineCounter(1 + skipped);
  let names: string[] | null = null;
  const toLine = (record: string[], bytes: number): Line | null => {
    const number = counter.pass(bytes);
    if (names === null) {
      const { columns, ignored } = toColumns(record, rules);
      onIgnored(ignored);
      names = columns;
      return null;
    }
    // Rows below the last one that a spreadsheet program exports.
    if (isEmpty(record)) return null;
    const columns = names;
    const cells = record.flatMap((cell, nth) => (columns[nth] ? [[columns[nth], cell] as const] : []));
    return { number, cells: Object.fromEntries(cells) };
  };
  const parser = parse({
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD,
    // Typed as if it could only change cells.
    on_record: (record, { bytes }) => toLine(record, bytes) as unknown as string[] | null,
  });
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of all) {
      const bytes = Buffer.from(piece);
      counter.push(bytes);
      yield bytes;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  try {
    let hasHead = false;
    for await (const line of source.pipe(parser) as AsyncIterable<Line>) {
      hasHead = true;
      yield line;
    }
    if (!hasHead && !head.trim()) throw new ImportFileError('The file is empty.');
  } catch (error) {
    if (error instanceof CsvError) {
      const detail = error.message.replace(/\b(at|on) line \d+/, `$1 line ${counter.getLine()}`);
      throw new ImportFileError(`${detail.slice(0, 300)}.`);
    }
    throw error;
  } finally {
    source.destroy();
  }
}
