/** Which statements took longest while a load ran, by pg_stat_statements where the database has that extension. */
import type pg from 'pg';

const MOST = 10;
const ORDERS = ['mean', 'total', 'max'] as const;
type Order = (typeof ORDERS)[number];
const MAX_TEXT = 180;

/** How one call was carried out, in PostgreSQL's words. */
export interface Plan {
  ms: number;
  text: string;
}

/**
 * A statement without its constants, by which its plans in the log are found: the log's statement ID is another than the
 * extension's where rows are locked.
 */
export const getKey = (text: string): string =>
  text
    .replace(/'(?:[^']|'')*'|\$\d+|\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b/gi, '?')
    .replace(/\s+/g, ' ')
    .trim();

/** Where statements are asked for. */
export interface StatementSource {
  /** Of somebody who may read the extension's view and reset it. */
  pool: pg.Pool;
  /** The product's, of which they are. */
  database: string;
  /** Statement (`getKey`) → plan of its longest call, where the log has them. */
  plans: ReadonlyMap<string, Plan>;
}

export interface Statement {
  /** As PostgreSQL prints it: 64 bits, in decimal digits. */
  id: string;
  text: string;
  calls: number;
  /** ms */
  mean: number;
  total: number;
  max: number;
  rows: number;
  /** Pages of 8 KiB that were found in memory or read, by call. */
  pages: number;
  /** Of its longest call; null where none was told. */
  plan: Plan | null;
}

export type SlowStatements = Record<Order, Statement[]>;

/** Begins anew. @returns whether the server can tell at all */
export async function beginStatements({ pool }: StatementSource): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('pg_stat_statements') is not null as there`,
  );
  if (!rows[0]!.there) return false;
  await pool.query('select pg_stat_statements_reset()');
  return true;
}

/** The longest by each of three orders, without those that this asked itself. */
export async function slowStatements({ pool, database, plans }: StatementSource): Promise<SlowStatements> {
  const { rows } = await pool.query<Omit<Statement, 'plan'>>(
    `select queryid::text as id, regexp_replace(query, '\\s+', ' ', 'g') as text, calls::int as calls,
       mean_exec_time as mean, total_exec_time as total, max_exec_time as max, rows::int as rows,
       ((shared_blks_hit + shared_blks_read)::float / calls) as pages
     from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = $1 and query not ilike '%pg_stat_statements%'`,
    [database],
  );
  const longest = (by: Order): Statement[] =>
    rows
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, MOST)
      .map((row) => ({ ...row, plan: plans.get(getKey(row.text)) ?? null }));
  return { mean: longest('mean'), total: longest('total'), max: longest('max') };
}

/** For a terminal: a line for each. */
export function statementLines(slow: SlowStatements): string {
  return ORDERS.map((by) => {
    const lines = slow[by].map(
      ({ calls, mean, max, total, rows, pages, text }) =>
        `${String(calls).padStart(7)} ${mean.toFixed(2).padStart(9)} ${max.toFixed(1).padStart(8)} ${total.toFixed(0).padStart(8)} ${(rows / calls).toFixed(1).padStart(7)} ${pages.toFixed(0).padStart(7)}  ${text.slice(0, MAX_TEXT)}`,
    );
    return `The longest by ${by}: calls, mean ms, max ms, total ms, rows and pages a call\n${lines.join('\n')}`;
  }).join('\n\n');
}

/** For a file: the three orders as tables, then each statement in full with its plan. */
export function statementsDocument(slow: SlowStatements, method: string): string {
  const all = new Map(ORDERS.flatMap((by) => slow[by]).map((one) => [one.id, one]));
  const names = new Map([...all.keys()].map((id, at) => [id, `Q${at + 1}`]));
  const table = (by: Order): string =>
    [
      `## By ${by}`,
      '',
      '| | calls | mean ms | longest ms | total ms | rows a call | pages a call | statement |',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
      ...slow[by].map(
        ({ id, calls, mean, max, total, rows, pages, text }) =>
          `| ${names.get(id)} | ${calls} | ${mean.toFixed(2)} | ${max.toFixed(1)} | ${total.toFixed(0)} | ${(rows / calls).toFixed(1)} | ${pages.toFixed(0)} | \`${text.slice(0, MAX_TEXT).replaceAll('|', '\\|')}\` |`,
      ),
    ].join('\n');
  const inFull = [...all.values()].map(({ id, text, plan }) =>
    [
      `## ${names.get(id)}`,
      '',
      '```sql',
      text,
      '```',
      '',
      ...(plan
        ? [
            `Its longest call of those whose plan was told, ${plan.ms.toFixed(1)} ms:`,
            '',
            '```',
            plan.text,
            '```',
          ]
        : ['No call of it was long enough for its plan to be told.']),
    ].join('\n'),
  );
  return `${[`# Slowest statements`, method, ...ORDERS.map(table), ...inFull].join('\n\n')}\n`;
}
