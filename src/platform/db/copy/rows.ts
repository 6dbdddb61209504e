/** Rows of one table, out of a database and into another, as the text that PostgreSQL's COPY speaks. */
import { finished, pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { CopyClient } from './client.ts';
import { fullName } from './outline.ts';
import { createRowDigest, type TableDigest } from './row-digest.ts';

const quote = (name: string): string => pg.escapeIdentifier(name);

/** A table with its copied columns. */
export interface CopiedTable {
  schema: string;
  name: string;
  columns: readonly string[];
}

export const relation = ({ schema, name }: Pick<CopiedTable, 'schema' | 'name'>): string =>
  `${quote(schema)}.${quote(name)}`;

/** @param of a name that the statement gives to the table, where columns of another stand beside */
export const columnList = ({ columns }: Pick<CopiedTable, 'columns'>, of?: string): string =>
  columns.map((column) => (of ? `${of}.${quote(column)}` : quote(column))).join(', ');

/** Condition on a table of our own: SQL that may use its columns. */
export type Condition = string;

/**
 * Rows of a table, in no order.
 * @param digest receives every chunk before it is passed on
 * @param where condition; all rows if omitted
 */
export async function* readRows(
  client: CopyClient,
  table: CopiedTable,
  digest: { add(bytes: Buffer): void },
  where: Condition = 'true',
): AsyncGenerator<Buffer> {
  const text = `select ${columnList(table)} from ${relation(table)} where ${where}`;
  const stream = client.query(copyTo(`copy (${text}) to stdout`));
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    digest.add(bytes);
    yield bytes;
  }
}

/** Returns the digest of a statement's rows, read to their end. */
export async function getDigest(client: CopyClient, statement: string): Promise<TableDigest> {
  const digest = createRowDigest();
  const stream = client.query(copyTo(`copy (${statement}) to stdout`));
  stream.on('data', (bytes: Buffer) => digest.add(bytes));
  await finished(stream);
  return digest.end();
}

/** Reads a table to its end and returns its digest. */
export const digestTable = (client: CopyClient, table: CopiedTable): Promise<TableDigest> =>
  getDigest(client, `select ${columnList(table)} from ${relation(table)}`);

/**
 * Writes rows into a table, within the client's transaction.
 * @throws Error naming the table if PostgreSQL rejects a row; the transaction must then be rolled back
 */
export async function writeRows(
  client: CopyClient,
  table: CopiedTable,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${relation(table)} (${columnList(table)}) from stdin`));
  try {
    await pipeline(Readable.from(pieces, { objectMode: false }), stream);
  } catch (error) {
    throw new Error(`${fullName(table)} could not be filled: ${(error as Error).message}`, { cause: error });
  }
}
