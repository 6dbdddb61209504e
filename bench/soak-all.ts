/**
 * All surfaces under load at once: `npm run soak -- all [--minutes 10 | --seconds n] [--alone-seconds 60] [--scale 1]
 * [--data-dir DIR --access FILE] [--queries FILE] [--json FILE] [--keep]`.
 *
 * Starts the server (on DATABASE_URL where that is set), loads each surface alone and then all of them at the same fixed
 * rates, and looks whether anything was lost. Prints tables; `--json` (soak-all.json) gets all of it, samples included.
 * `--scale` multiplies the rates; DIR is an installation that `soak -- fill` has filled, and FILE what it said about getting
 * in. `--queries` gets the slowest statements while all surfaces were under load, with the plans of their longest calls: the
 * embedded database is then started with what tells them (support/watched-postgres.ts); one at DATABASE_URL must have the
 * extension pg_stat_statements, and tells no plans. `--keep` puts the figures into docs/benchmarks.md. Ends with 1 when
 * something was lost, doubled or answered wrongly, or grew.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startProduct } from '../test/support/product.ts';
import { runAllSurfaces } from '../test/support/all-surfaces/run.ts';
import type { Rates } from '../test/support/all-surfaces/surfaces.ts';
import type { Access } from '../test/support/all-surfaces/world.ts';
import { openPool } from '../src/platform/db/database.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { allFigure } from './support/all-figure.ts';
import { keepFigure } from './support/keep-figure.ts';
import {
  beginStatements,
  type SlowStatements,
  slowStatements,
  statementLines,
  statementsDocument,
  type StatementSource,
} from './support/slow-statements.ts';
import { startWatchedDatabase } from './support/watched-postgres.ts';

/** A second: what two cores bear, with the load and the receiver on them too. */
const RATES: Rates = { redirects: 200, sends: 20, changes: 10, publishing: 10, console: 10 };
const ALONE_SECONDS = 60;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seconds: { type: 'string' },
    'alone-seconds': { type: 'string' },
    scale: { type: 'string' },
    'data-dir': { type: 'string' },
    access: { type: 'string' },
    queries: { type: 'string' },
    json: { type: 'string', default: 'soak-all.json' },
    keep: { type: 'boolean', default: false },
  },
});
function getNumber(name: 'minutes' | 'seconds' | 'alone-seconds' | 'scale', fallback: number): number {
  const value = values[name] === undefined ? fallback : Number(values[name]);
  const isLeftOut = value === 0 && name === 'alone-seconds';
  if ((Number.isFinite(value) && value > 0) || isLeftOut) return value;
  throw new Error(`--${name} is "${values[name]}"; it must be a number above 0`);
}
const seconds = getNumber('seconds', getNumber('minutes', 10) * 60);
const aloneSeconds = getNumber('alone-seconds', ALONE_SECONDS);
const scale = getNumber('scale', 1);
const rates = Object.fromEntries(
  Object.entries(RATES).map(([name, rate]) => [name, rate * scale]),
) as unknown as Rates;

/** The first workspace of those that the filler made, and who may do all there. */
function readAccess(file: string): Access {
  const { email, password, workspaces } = JSON.parse(readFileSync(file, 'utf8')) as Access & {
    workspaces: { id: string }[];
  };
  return { email, password, workspace: workspaces[0]!.id };
}

const tell = (line: string): void => console.error(line);
await using stack = new AsyncDisposableStack();
const dataDir = values['data-dir'] ? resolve(values['data-dir']) : stack.use(await temporaryFolder()).path;
const handedOn = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'FAIRLEAD_SECRET'].flatMap((name) =>
  process.env[name] ? [[name, process.env[name]]] : [],
);
let env: Record<string, string> = Object.fromEntries(handedOn);

/** Makes it that statements are told of. */
async function watchStatements(): Promise<StatementSource> {
  const connectionString = env['DATABASE_URL'];
  if (connectionString) {
    const pool = openPool({ connectionString, max: 1 }, (error) => tell(String(error)));
    stack.defer(() => pool.end());
    const { rows } = await pool.query<{ database: string }>('select current_database() as database');
    return { pool, database: rows[0]!.database, plans: new Map() };
  }
  // A new installation makes its database.
  if (!values['data-dir']) await (await startProduct({ dataDir })).stop();
  const database = stack.use(await startWatchedDatabase(dataDir));
  ({ env } = database);
  return database.source;
}

const source = values.queries ? await watchStatements() : null;
let slow = null as SlowStatements | null;
const report = await runAllSurfaces({
  dataDir,
  env,
  ...(values.access ? { access: readAccess(values.access) } : {}),
  rates,
  seconds,
  aloneSeconds,
  report: tell,
  async onTogether() {
    if (source && !(await beginStatements(source)))
      throw new Error('--queries: the database has no extension pg_stat_statements');
  },
  async onEnded() {
    if (source) slow = await slowStatements(source);
  },
  untilAtRest: true,
});

const explained = source !== null;
const { text, json, grew } = allFigure(report, {
  seconds,
  aloneSeconds,
  filled: values.access !== undefined,
  explained,
});
console.log(text);
if (slow) {
  console.log(`\n${statementLines(slow)}`);
  const method = `By pg_stat_statements, while all surfaces were under load for ${seconds} s. Plans are those of the longest call of each, as they were carried out.`;
  writeFileSync(values.queries!, statementsDocument(slow, method));
}
writeFileSync(values.json, `${JSON.stringify({ ...json, statements: slow }, null, 1)}\n`);
for (const fault of report.faults) console.error(`fault: ${fault}`);
for (const what of grew) console.error(`fault: it grew: ${what}`);
if (values.keep) keepFigure('all', text);
process.exitCode = report.faults.length || report.refused || grew.length ? 1 : 0;
