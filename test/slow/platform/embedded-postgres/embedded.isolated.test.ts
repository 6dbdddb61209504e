import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../../../support/needs.ts';
import {
  type EmbeddedDatabase,
  runningConnection,
  startEmbedded,
} from '../../../../src/platform/embedded-postgres/embedded.ts';
import {
  AS_ANOTHER,
  canServeAs,
  folders,
  IS_LINUX,
  IS_ROOT,
  keepingLogger,
  leftOver,
  type Server,
  startServer,
} from '../../../support/embedded-postgres/harness.ts';
import { madeDataDir } from '../../../support/embedded-postgres/made-data-dir.ts';

const { make, clean } = folders();
/** Whom PostgreSQL runs as where root starts it. */
const NOBODY = 65_534;
const open: (EmbeddedDatabase | Server)[] = [];

/** Process IDs and shared memory of its own, as a container has them. */
const CONTAINER = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc'];
const canUnshare = (): boolean => spawnSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true']).status === 0;

async function start(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, log: keepingLogger() });
  open.push(database);
  return database;
}

function serve(...args: Parameters<typeof startServer>): Server {
  const server = startServer(...args);
  open.push(server);
  return server;
}

async function ask(database: EmbeddedDatabase, text: string): Promise<Record<string, unknown>> {
  const client = new pg.Client(database.connection);
  await client.connect();
  try {
    return (await client.query(text)).rows[0];
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
  clean();
});

describe('start and stop', () => {
  test('the first start makes the database, the next one finds its rows', async () => {
    const dataDir = join(make(), 'data');
    const first = await start(dataDir);
    expect(first).toMatchObject({ firstStart: true, version: expect.stringMatching(/^18\.\d+$/) });
    await ask(first, 'create table kept as select 7 as n');
    expect(await runningConnection(dataDir)).toEqual(first.connection);
    await first.stop();
    expect(await runningConnection(dataDir)).toBeNull();
    if (IS_LINUX) expect(await leftOver(dataDir, 0)).toEqual([]);

    const second = await start(dataDir);
    expect(second.firstStart).toBe(false);
    expect(await ask(second, 'select n from kept')).toEqual({ n: 7 });
  });

  test('it is durable, listens on no network, and our role is no superuser', async () => {
    const database = await start(await madeDataDir(make()));
    const settings = await ask(
      database,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
              current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
              current_setting('listen_addresses') as listens, current_setting('TimeZone') as zone,
              current_setting('is_superuser') as superuser, current_setting('server_encoding') as encoding`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      commits: 'on',
      pages: 'on',
      checksums: 'on',
      listens: '',
      zone: 'UTC',
      superuser: 'off',
      encoding: 'UTF8',
    });
  });

  test('stop ends open transactions, and can be called twice', async () => {
    const database = await start(await madeDataDir(make()));
    const client = new pg.Client(database.connection);
    const broken = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    await client.query('begin; create table never_committed ()');
    await Promise.all([database.stop(), database.stop()]);
    expect(await broken).toBeInstanceOf(Error);
  });

  test('runningConnection is null where there is no folder, and makes none', async () => {
    const folder = make();
    expect(await runningConnection(join(folder, 'none'))).toBeNull();
    expect(await runningConnection(folder)).toBeNull();
  });
});

describe('paths', () => {
  async function expectServes(name: string): Promise<void> {
    const folder = make();
    const dataDir = join(folder, name).slice(0, Math.max(200, folder.length + name.length + 1));
    const database = await start(dataDir);
    expect(await ask(database, 'select 1 as one')).toEqual({ one: 1 });
    expect(database.dataDir).toBe(join(dataDir, 'postgres/data'));
    expect(Buffer.byteLength(`${database.connection.host}/.s.PGSQL.5432`)).toBeLessThan(108);
    expect(await runningConnection(dataDir)).toEqual(database.connection);
  }

  // Programs that nobody can't get to are copied beside the data, where a shell would read such a path.
  test('a path with spaces, quotes and a comma', needs(AS_ANOTHER, !IS_ROOT || canServeAs(NOBODY)), () =>
    expectServes(`it's "my" data, 1; $HOME \`x\` ümläut`),
  );

  test('a path of 200 characters', () => expectServes('d'.repeat(200)));

  test('a relative path, and a link to the same folder, mean the same database', async () => {
    const folder = make();
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    const server = serve('./real', { cwd: folder });
    const { dataDir } = await server.outcome();
    expect(dataDir).toBe(join(folder, 'real/postgres/data'));
    await expect(start(join(folder, 'link'))).rejects.toThrow(`process id ${server.pid}`);
    await server.stop();
    expect((await start(join(folder, 'link'))).dataDir).toBe(dataDir);
  });
});

describe('a second server', () => {
  test('is refused and told the process ID of the first', async () => {
    const dataDir = await madeDataDir(make());
    const server = serve(dataDir);
    await server.outcome();
    await expect(start(dataDir)).rejects.toThrow(
      `The database in ${dataDir}/postgres is in use by the server with process id ${server.pid}.`,
    );
    // Nor in the same process, and the first goes on.
    await server.stop();
    const first = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(`process id ${process.pid}`);
    expect(await ask(first, 'select 1 as one')).toEqual({ one: 1 });
    await expect(start(dataDir)).rejects.toThrow(`process id ${process.pid}`);
  });

  test('is refused while the first is frozen', async () => {
    const dataDir = await madeDataDir(make());
    const server = serve(dataDir);
    await server.outcome();
    server.signal('SIGSTOP');
    await expect(start(dataDir)).rejects.toThrow(`process id ${server.pid}`);
  });

  test('of four that start at the same instant on an empty folder, and on one left by a kill, one gets it', async () => {
    const dataDir = join(make(), 'data');
    for (const _ of ['empty', 'left']) {
      const servers = Array.from({ length: 4 }, () => serve(dataDir));
      const outcomes = await Promise.all(servers.map((server) => server.outcome()));
      const winner = servers[outcomes.findIndex(({ event }) => event === 'ready')]!;
      const losers = outcomes.filter(({ event }) => event === 'failed');
      expect(losers).toHaveLength(3);
      for (const { message } of losers) expect(message).toContain(`process id ${winner.pid}`);
      await winner.kill();
    }
    expect((await start(dataDir)).firstStart).toBe(false);
  });

  test(
    'is refused in another container, where the first can not be seen',
    needs('the right to make namespaces', canUnshare()),
    async () => {
      const dataDir = await madeDataDir(make());
      const first = await start(dataDir);
      const { event, message } = await serve(dataDir, { through: CONTAINER }).outcome();
      expect(event).toBe('failed');
      expect(message).toContain('is in use by another process (in another container?)');
      expect(await ask(first, 'select 1 as one')).toEqual({ one: 1 });
    },
  );

  test('takes no notice of what a dead server with a process ID that lives again has written', async () => {
    const dataDir = await madeDataDir(make());
    const left = { pid: process.ppid, began: 'another time', idSpace: '', folder: '', connection: null };
    writeFileSync(join(dataDir, 'postgres/server.json'), JSON.stringify(left));
    expect(await runningConnection(dataDir)).toBeNull();
    expect((await start(dataDir)).firstStart).toBe(false);
  });
});
