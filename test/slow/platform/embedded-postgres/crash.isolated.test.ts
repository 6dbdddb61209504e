/** What earlier starts leave behind when they are killed, and how the next one copes. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbedded } from '../../../../src/platform/embedded-postgres/embedded.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { needs } from '../../../support/needs.ts';
import { isAlive, waitUntil } from '../../../../src/platform/embedded-postgres/processes.ts';
import {
  folders,
  IS_LINUX,
  IS_ROOT,
  keepingLogger,
  leftOver,
  getPostmaster,
  getProcesses,
  type Server,
  startServer,
} from '../../../support/embedded-postgres/harness.ts';
import { madeDataDir } from '../../../support/embedded-postgres/made-data-dir.ts';
import { killRounds } from '../../../support/embedded-postgres/kill-rounds.ts';

const { make, clean } = folders();
const open: (EmbeddedDatabase | Server)[] = [];

function serve(...args: Parameters<typeof startServer>): Server {
  const server = startServer(...args);
  open.push(server);
  return server;
}

async function start(dataDir: string) {
  const log = keepingLogger();
  const database = await startEmbedded({ dataDir, log });
  open.push(database);
  const messages = (): string[] => log.entries.map(({ message }) => message);
  const servedAgain = (): number => messages().filter((message) => message.endsWith('running again')).length;
  return { database, messages, servedAgain };
}

const getWatchdogs = (folder: string): number[] =>
  getProcesses(folder)
    .filter(({ command }) => command.includes('fairlead-database-watchdog'))
    .map(({ pid }) => pid);

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
  clean();
});

// The look at what runs needs /proc.
describe('a server that dies', needs('Linux', IS_LINUX), () => {
  test(
    'loses no acknowledged row and leaves no process, however it is killed',
    { timeout: 240_000 },
    async () => {
      const report = await killRounds(join(make(), 'data'), 5);
      expect(report).toMatchObject({ lost: 0, failedStarts: 0, leftOver: 0, fsync: 'on' });
      expect(report.kills).toBeGreaterThanOrEqual(5);
      expect(report.acknowledged).toBeGreaterThan(0);
    },
  );

  test('in the midst of the first start leaves nothing bad', { timeout: 240_000 }, async () => {
    for (const pause of [100, 300, 500]) {
      const dataDir = join(make(), 'data');
      const server = serve(dataDir);
      await delay(pause);
      await server.kill();
      expect(await leftOver(dataDir)).toEqual([]);
      const { database } = await start(dataDir);
      expect(readdirSync(join(dataDir, 'postgres')).filter((name) => name.startsWith('initdb'))).toEqual([]);
      await database.stop();
    }
  });

  test('together with its watchdog leaves a PostgreSQL server, which the next start shuts down', async () => {
    const dataDir = await madeDataDir(make());
    const server = serve(dataDir, { writers: 2 });
    const { dataDir: data } = await server.outcome();
    await server.sees(({ event }) => event === 'acknowledged');
    const orphan = getPostmaster(data);
    for (const pid of getWatchdogs(dataDir)) process.kill(pid, 'SIGKILL');
    await server.kill();
    await delay(300);
    expect(isAlive(orphan)).toBe(true);

    const { messages, database } = await start(dataDir);
    expect(messages()).toContain('embedded database: stopping a server of an earlier start');
    expect(isAlive(orphan)).toBe(false);
    const client = new pg.Client(database.connection);
    await client.connect();
    const { rows } = await client.query<{ n: string }>('select max(n) as n from written');
    await client.end();
    const acknowledged = server.events.filter(({ event }) => event === 'acknowledged');
    expect(Number(rows[0]!.n)).toBeGreaterThanOrEqual(Math.max(...acknowledged.map(({ n }) => n)));
  });

  test('with its PostgreSQL server frozen still leaves no process', async () => {
    const dataDir = await madeDataDir(make());
    const server = serve(dataDir);
    const { dataDir: data } = await server.outcome();
    process.kill(getPostmaster(data), 'SIGSTOP');
    await server.kill();
    expect(await leftOver(dataDir)).toEqual([]);
  });
});

describe('the watchdog', needs('Linux', IS_LINUX), () => {
  test('is replaced when it is killed, and takes no notice of other signals', async () => {
    const dataDir = await madeDataDir(make());
    const server = serve(dataDir);
    const { dataDir: data } = await server.outcome();
    const [watchdog] = getWatchdogs(dataDir);
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.kill(watchdog!, name);
    await delay(100);
    expect(getWatchdogs(dataDir)).toEqual([watchdog]);

    const postmaster = getPostmaster(data);
    process.kill(watchdog!, 'SIGKILL');
    await server.sees(({ message }) => message?.includes('started another'));
    expect(await waitUntil(() => getWatchdogs(dataDir).length === 1, PATIENCE.timeout)).toBe(true);
    expect(getPostmaster(data)).toBe(postmaster);
    await server.kill();
    expect(await leftOver(dataDir)).toEqual([]);
  });
});

describe('the PostgreSQL server killed alone', needs('Linux', IS_LINUX), () => {
  test('is started again for the same connection', async () => {
    const dataDir = await madeDataDir(make());
    const { database, servedAgain } = await start(dataDir);
    for (const time of [1, 2]) {
      process.kill(getPostmaster(database.dataDir), 'SIGKILL');
      expect(await waitUntil(() => servedAgain() === time, PATIENCE.timeout)).toBe(true);
      const client = new pg.Client(database.connection);
      await client.connect();
      await client.end();
    }
    await database.stop();
    expect(await leftOver(dataDir, 0)).toEqual([]);
  });

  test('with a backend that is deep in a query: that one is ended first', { timeout: 240_000 }, async () => {
    const { database, messages, servedAgain } = await start(await madeDataDir(make()));
    const client = new pg.Client(database.connection);
    client.on('error', () => {});
    await client.connect();
    const query = client.query('select count(*) from generate_series(1, 2000000000) n').catch(() => 'ended');
    await delay(200);
    process.kill(getPostmaster(database.dataDir), 'SIGKILL');
    expect(await waitUntil(() => servedAgain() === 1, PATIENCE.timeout)).toBe(true);
    expect(await query).toBe('ended');
    expect(messages()).toContain('embedded database: ending backends that outlived their server');
  });
});

describe('a postmaster.pid', () => {
  const lasting = folders();
  const parent = lasting.make();
  const dataDir = join(parent, 'data');
  const pidFile = join(dataDir, 'postgres/data/postmaster.pid');
  const contents = (pid: number): string =>
    `${pid}\n${dirname(pidFile)}\n1700000000\n5432\n/nowhere\n\n0 0\nready   \n`;
  beforeAll(async () => void (await madeDataDir(parent)));
  afterAll(() => lasting.clean());

  test('of a process that is gone is no obstacle', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(pidFile, contents(pid));
    expect((await start(dataDir)).database.firstStart).toBe(false);
  });

  test('that names another program: that one is never signalled', async () => {
    // Of the same account as PostgreSQL, which would take it for itself.
    const stranger = spawn('sleep', ['60'], IS_ROOT ? { uid: 65_534 } : {});
    try {
      for (const pid of [stranger.pid!, process.pid, 1]) {
        writeFileSync(pidFile, contents(pid));
        const { database } = await start(dataDir);
        await database.stop();
      }
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill();
    }
  });

  test('that names another PostgreSQL server: that one is left alone', async () => {
    const other = await start(await madeDataDir(make()));
    const postmaster = getPostmaster(other.database.dataDir);
    const before = other.messages();
    writeFileSync(pidFile, contents(postmaster));
    await start(dataDir);
    expect(isAlive(postmaster)).toBe(true);
    expect(other.messages()).toEqual(before);
  });

  test.each(['', 'nonsense\n', '-5\n'])('that says %j is no obstacle', async (text) => {
    writeFileSync(pidFile, text);
    expect((await start(dataDir)).database.firstStart).toBe(false);
  });

  test('in a copy of the folder: the original, still serving, is left alone', async () => {
    const folder = make();
    const original = await start(await madeDataDir(folder));
    const postmaster = getPostmaster(original.database.dataDir);
    // As a snapshot of the disk would have it: all at one instant, pid and lock files too.
    process.kill(postmaster, 'SIGSTOP');
    cpSync(join(folder, 'data'), join(folder, 'copy'), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !path.endsWith('/run'),
    });
    process.kill(postmaster, 'SIGCONT');
    if (IS_ROOT) spawnSync('chown', ['-R', '65534', join(folder, 'copy/postgres/data')]);
    expect(existsSync(join(folder, 'copy/postgres/data/postmaster.pid'))).toBe(true);

    const copy = await start(join(folder, 'copy'));
    expect(copy.database.firstStart).toBe(false);
    expect(getPostmaster(original.database.dataDir)).toBe(postmaster);
    expect(isAlive(postmaster)).toBe(true);
    expect(readFileSync(join(copy.database.dataDir, 'postmaster.pid'), 'utf8')).not.toMatch(
      `${postmaster}\n`,
    );
  });
});
