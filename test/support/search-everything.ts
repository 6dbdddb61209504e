/**
 * Looking for words in all that an installation holds: every table of every schema (numbers, texts, JSON, bytes as text,
 * sealed values opened) and every file below DATA_DIR but PostgreSQL's own.
 */
import { createReadStream, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type pg from 'pg';
import type { SecretBox } from '../../src/platform/crypto/secret-box.ts';
import { SEALED_COLUMNS } from '../../src/app/surfaces.ts';

export interface Finding {
  /** `schema.table`, partitions for themselves; or the path of a file. */
  where: string;
  /** The word, as it was asked for. */
  word: string;
  /** The row as text, or nothing for a file. */
  row: string;
}

/** All tables but those of PostgreSQL itself. */
async function getTables(pool: pg.Pool): Promise<{ name: string; bytes: string[] }[]> {
  const { rows } = await pool.query(`
    select format('%I.%I', n.nspname, c.relname) as name,
      array(select quote_ident(a.attname) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and a.atttypid = 'bytea'::regtype) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by 1`);
  return rows as { name: string; bytes: string[] }[];
}

const bytesOfUuid = (word: string): Buffer | null =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(word) ? Buffer.from(word.replaceAll('-', ''), 'hex') : null;

/** In any case of letters; IDs of the database in their sixteen bytes too, as hexadecimal. */
const spellings = (word: string): string[] =>
  [word.toLowerCase(), bytesOfUuid(word)?.toString('hex')].filter((one) => one !== undefined);

async function searchTables(pool: pg.Pool, words: readonly string[]): Promise<Finding[]> {
  const found: Finding[] = [];
  const all = words.flatMap((word) => spellings(word).map((text) => ({ word, text })));
  for (const { name, bytes } of await getTables(pool)) {
    const text = [`t::text`, ...bytes.map((column) => `coalesce(encode(t.${column}, 'escape'), '')`)].join(
      ` || ' ' || `,
    );
    const { rows } = await pool.query(
      `select row from (select ${text} as row from ${name} t) r where lower(row) like any ($1)`,
      [all.map((one) => `%${one.text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)],
    );
    for (const { row } of rows as { row: string }[])
      for (const { word, text: spelt } of all)
        if (row.toLowerCase().includes(spelt)) found.push({ where: name, word, row });
  }
  return found;
}

async function searchSealed(pool: pg.Pool, secrets: SecretBox, words: readonly string[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { table, values } of SEALED_COLUMNS) {
    const { rows } = await pool.query(`select * from ${table}`);
    for (const row of rows as Record<string, unknown>[])
      for (const { column, member, context } of values) {
        const held = member ? (row[column] as Record<string, unknown> | null)?.[member] : row[column];
        if (typeof held !== 'string') continue;
        const opened = secrets.open(held, context(row as Record<string, string>)).toLowerCase();
        for (const word of words)
          if (opened.includes(word.toLowerCase()))
            found.push({ where: `${table}.${column}, opened`, word, row: opened });
      }
  }
  return found;
}

/** Files below a folder; PostgreSQL's own are not looked into. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  if (entries.some(({ name }) => name === 'PG_VERSION')) return;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

async function searchFiles(dataDir: string, words: readonly string[]): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const path of filesBelow(dataDir)) {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of createReadStream(path)) pieces.push(piece as Buffer);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw error;
    }
    const bytes = Buffer.concat(pieces);
    const text = `${relative(dataDir, path)} ${bytes.toString('latin1')}`.toLowerCase();
    for (const word of words) {
      const raw = bytesOfUuid(word);
      if (spellings(word).some((one) => text.includes(one)) || (raw && bytes.includes(raw)))
        found.push({ where: relative(dataDir, path), word, row: '' });
    }
  }
  return found;
}

/** @param place what is searched. @returns every row and file that holds one of the words */
export async function searchEverything(
  place: { pool: pg.Pool; secrets: SecretBox; dataDir: string },
  words: readonly string[],
): Promise<Finding[]> {
  return [
    ...(await searchTables(place.pool, words)),
    ...(await searchSealed(place.pool, place.secrets, words)),
    ...(await searchFiles(place.dataDir, words)),
  ];
}
