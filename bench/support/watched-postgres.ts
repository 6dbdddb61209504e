/**
 * The embedded database of a data folder, started as the product starts it, but with PostgreSQL's own means of saying
 * which statements were slow and how they were carried out: pg_stat_statements, and auto_explain into its log. The
 * product then runs on it by DATABASE_URL.
 *
 * Settings are the product's, these alone are added, and nothing of them stays: they stand on the command line, and the
 * extension lies in the database `postgres`, from where it is dropped at the end. A statement's plan counts rows and
 * pages and takes no times of its steps, which would cost more than the statements.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPool } from '../../src/platform/db/database.ts';
import { writeAccessRules } from '../../src/platform/embedded-postgres/access-rules.ts';
import { findBinaries, prepareBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { launch } from '../../src/platform/embedded-postgres/launch.ts';
import { DATABASE, ROLE, SUPERUSER } from '../../src/platform/embedded-postgres/new-cluster.ts';
import { openDataDirectory } from '../../src/platform/embedded-postgres/data-directory.ts';
import { getClusterName } from '../../src/platform/embedded-postgres/previous-server.ts';
import { takeServerLock } from '../../src/platform/embedded-postgres/server-lock.ts';
import { serverArguments } from '../../src/platform/embedded-postgres/settings.ts';
import {
  closeSocketFolder,
  openSocketFolder,
  PORT,
} from '../../src/platform/embedded-postgres/socket-folder.ts';
import { getKey, type Plan, type StatementSource } from './slow-statements.ts';

/** What is quicker has no plan in the log. */
const EXPLAINED_FROM_MS = 5;
const ADDED: Record<string, string | number> = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'auto_explain.log_min_duration': EXPLAINED_FROM_MS,
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_parameter_max_length': 60,
};
const PLAN = /LOG: {2}duration: ([\d.]+) ms {2}plan:/;
/** Where the text of a statement ends. */
const PLAN_BEGINS = /^(Query Parameters: |\S.* \(cost=)/;
const READY = /LOG: {2}database system is ready to accept connections/;

const log = {
  info: () => {},
  warn: (details: object, message: string) => console.error(message, details),
  error: (details: object, message: string) => console.error(message, details),
};

export interface WatchedDatabase extends AsyncDisposable {
  /** What the product is to be started with. */
  env: Record<string, string>;
  source: StatementSource;
}

/** Follows the log. @returns statement (see `getKey`) → the plan of its longest call */
function followPlans(stream: NodeJS.ReadableStream, onReady: () => void): Map<string, Plan> {
  const plans = new Map<string, Plan>();
  let rest = '';
  let open: { ms: number; lines: string[] } | null = null;
  const close = (): void => {
    if (!open) return;
    const { ms, lines } = open;
    open = null;
    const at = lines.findIndex((line) => PLAN_BEGINS.test(line));
    // Two processes may have written at once, and torn what they wrote.
    if (at <= 0) return;
    const key = getKey(lines.slice(0, at).join(' ').replace('Query Text: ', ''));
    if (ms > (plans.get(key)?.ms ?? 0)) plans.set(key, { ms, text: lines.slice(at).join('\n') });
  };
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith('\t')) {
        open?.lines.push(line.slice(1));
        continue;
      }
      close();
      if (READY.test(line)) onReady();
      const ms = PLAN.exec(line)?.[1];
      if (ms !== undefined) open = { ms: Number(ms), lines: [] };
      else if (/ (WARNING|ERROR|FATAL|PANIC): /.test(line)) console.error(`PostgreSQL: ${line}`);
    }
  });
  stream.on('end', close);
  return plans;
}

/** @param dataDir of an installation with an embedded database that nobody serves now */
export async function startWatchedDatabase(dataDir: string): Promise<WatchedDatabase> {
  const place = openDataDirectory(dataDir);
  await using stack = new AsyncDisposableStack();
  const lock = await takeServerLock(place);
  stack.defer(() => lock.release());
  const binaries = prepareBinaries(findBinaries(), place.folder, place.account, log);
  const socketFolder = openSocketFolder(place);
  stack.defer(() => closeSocketFolder(socketFolder, place));
  const paths = { data: place.data, socketFolder, clusterName: getClusterName(place.data) };
  const args = serverArguments({ ...paths, ...writeAccessRules(place) });
  const added = Object.entries(ADDED).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = await launch(join(binaries.folder, 'bin/postgres'), [...args, ...added], {
    account: place.account,
    log,
  });
  stack.defer(async () => {
    process.kill(program.pid, 'SIGINT');
    await program.gone;
  });
  program.stdin.end();
  const ready = Promise.withResolvers<void>();
  const plans = followPlans(program.log, ready.resolve);
  const ended = await Promise.race([ready.promise, program.exited]);
  if (ended) throw new Error(`PostgreSQL ended at its start: ${ended}`);

  const pool = openPool(
    { host: socketFolder, port: PORT, user: SUPERUSER, database: 'postgres', max: 1 },
    (error) => console.error(error),
  );
  stack.defer(() => pool.end());
  await pool.query('create extension if not exists pg_stat_statements');
  stack.defer(async () => void (await pool.query('drop extension pg_stat_statements')));
  const held = stack.move();
  return {
    env: {
      DATABASE_URL: `postgres://${ROLE}@${encodeURIComponent(socketFolder)}:${PORT}/${DATABASE}`,
      FAIRLEAD_SECRET: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
    },
    source: { pool, database: DATABASE, plans },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
