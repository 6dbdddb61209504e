/** Reading the file of an import: UTF-8, with commas, semicolons or tabs, a head that names the columns. Record by record, never whole in memory. */
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';

/** The file can't be read further, or at all. */
export class ImportFileError extends Error {}

export interface Line {
  /** Of its end, as an editor counts. */
  number: number;
  /** By column, as the rules name it. */
  cells: Record<string, string>;
}

/** What an import does with the columns of a file. */
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
  // Names of metadata are as they are written.
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

/** What Excel takes as the delimiter, and no row: `sep=;`. */
const SEPARATOR_LINE = /^\s*"?sep=([,;\t])"?[ ,;\t]*\r?\n/i;

interface Peeked {
  /** The first line with anything in it. */
  head: string;
  delimiter: string;
  /** Lines before what `all` begins with. */
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

/**
 * @param onIgnored called once with the unknown columns
 * @throws FileFault
 */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  rules: ColumnRules,
  onIgnored: (columns: string[]) => void,
): AsyncGenerator<Line> {
  const { head, delimiter, skipped, all } = await peek(text(pieces));
  const parser = parse({
    bom: true,
    delimiter,
    columns: (cells: string[]) => {
      const { columns, ignored } = toColumns(cells, rules);
      onIgnored(ignored);
      return columns.map((name) => name || null);
    },
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    // Rows below the last one that a spreadsheet program exports.
    skip_records_with_empty_values: true,
    max_record_size: MAX_RECORD,
  });
  const source = Readable.from(all);
  source.on('error', (error) => parser.destroy(error));
  try {
    let hasHead = false;
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      hasHead = true;
      yield { number: info.lines + skipped, cells: record };
    }
    if (!hasHead && !head.trim()) throw new ImportFileError('The file is empty.');
  } catch (error) {
    if (error instanceof CsvError) throw new ImportFileError(`${error.message.slice(0, 300)}.`);
    throw error;
  } finally {
    source.destroy();
  }
}
