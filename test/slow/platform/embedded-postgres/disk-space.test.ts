/** A full disk: before the first start, before a later one, and while the database serves. */
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isConnectionError, isDiskFull, openPool } from '../../../../src/platform/db/database.ts';
import { toProblem } from '../../../../src/platform/http/problem.ts';
import { PATIENCE } from '../../../support/patience.ts';
import { needs } from '../../../support/needs.ts';
import { NEEDED, requireDiskSpace } from '../../../../src/platform/embedded-postgres/disk-space.ts';
import { startEmbedded } from '../../../../src/platform/embedded-postgres/embedded.ts';
import { waitUntil } from '../../../../src/platform/embedded-postgres/processes.ts';
import { PAUSES } from '../../../../src/platform/embedded-postgres/supervisor.ts';
import { canMount, folders, keepingLogger } from '../../../support/embedded-postgres/harness.ts';

const MIB = 1024 * 1024;
const { make, clean } = folders();
const mounted: string[] = [];
const stops: (() => Promise<void>)[] = [];

async function start(dataDir: string) {
  const log = keepingLogger();
  const database = await startEmbedded({ dataDir, log });
  stops.push(database.stop);
  return { ...database, messages: () => log.entries.map(({ message }) => message) };
}

/** A file system of its own, of so many MiB. */
function smallDisk(mebibytes: number): string {
  const folder = make();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  mounted.push(folder);
  return folder;
}

/** Takes all space of a disk but so many MiB. */
function fill(disk: string, but: number): void {
  rmSync(join(disk, 'ballast'), { force: true });
  const { bavail, bsize } = statfsSync(disk);
  execFileSync('fallocate', ['-l', String(bavail * bsize - but * MIB), join(disk, 'ballast')]);
}

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  for (const folder of mounted.splice(0)) execFileSync('umount', [folder]);
  clean();
});

describe('a full disk', needs('the right to mount', canMount()), () => {
  const usual = { ...PAUSES };
  beforeAll(() => Object.assign(PAUSES, { longest: 200 }));
  afterAll(() => Object.assign(PAUSES, usual));

  test('is told before a database is made; nothing is left there', async () => {
    const disk = smallDisk(NEEDED.create - 20);
    await expect(start(disk)).rejects.toThrow(
      /^The disk of \S+\/postgres is full \(\d+ MiB free\); the embedded database needs 100 MiB to be created/,
    );
    expect(readdirSync(join(disk, 'postgres'))).toEqual(['server.lock']);
  });

  test('is told before a start, and harms nothing: with space again it starts', async () => {
    const disk = smallDisk(160);
    await (await start(disk)).stop();
    fill(disk, 0);
    await expect(start(disk)).rejects.toThrow(`The disk of ${disk}/postgres is full.`);
    fill(disk, 9.5);
    await expect(start(disk)).rejects.toThrow(`The disk of ${disk}/postgres is full (9 MiB free)`);
    rmSync(join(disk, 'ballast'));
    expect((await start(disk)).firstStart).toBe(false);
  });

  test('of which nothing is left: who is connected reads on, a new connection is none', async () => {
    const disk = smallDisk(200);
    const { connection, dataDir } = await start(disk);
    const pool = openPool({ ...connection, max: 2, min: 1 }, () => undefined);
    try {
      const first = await pool.connect();
      await first.query('create table kept as select 7 as n');
      // As a change of a system table does, such as an automatic vacuum of one: the next connection writes it anew.
      for (const file of globSync(join(dataDir, '{global,base/*}/pg_internal.init'))) rmSync(file);
      fill(disk, 0);
      const refused = await pool.connect().catch((error: unknown) => error);
      first.release();
      expect(refused).toMatchObject({ severity: 'FATAL', message: expect.stringContaining('init file') });
      expect(toProblem(refused).problem).toMatchObject({ code: 'unavailable', status: 503 });
      expect((await pool.query('select n from kept')).rows).toEqual([{ n: 7 }]);
    } finally {
      await pool.end();
    }
  });

  test(
    'while it serves ends the server, and with space again it comes back by itself',
    { timeout: 240_000 },
    async () => {
      const disk = smallDisk(200);
      const { connection, messages } = await start(disk);
      fill(disk, 20);
      const client = new pg.Client(connection);
      client.on('error', () => {});
      await client.connect();
      await client.query('create table kept as select 7 as n');
      const writing = async (): Promise<void> => {
        for (;;) await client.query(`select pg_logical_emit_message(true, 'x', repeat('x', 200000))`);
      };
      await expect(writing()).rejects.toSatisfy((error) => isDiskFull(error) || isConnectionError(error));
      const failed = (): boolean =>
        messages().some((message) => /could not be started again.* is full/.test(message));
      expect(await waitUntil(failed, PATIENCE.timeout)).toBe(true);

      rmSync(join(disk, 'ballast'));
      const serves = (): boolean => messages().at(-1) === 'embedded database: running again';
      expect(await waitUntil(serves, PATIENCE.timeout)).toBe(true);
      const again = new pg.Client(connection);
      await again.connect();
      expect((await again.query('select n from kept')).rows).toEqual([{ n: 7 }]);
      await again.end();
    },
  );
});

test('space runs out in bytes or in files, by the answer of the file system', () => {
  const answer = { bavail: 1e6, bsize: 4096, files: 1e6, ffree: 1e6 };
  requireDiskSpace('/data', 'create', () => answer);
  requireDiskSpace('/data', 'create', () => ({ ...answer, files: 0, ffree: 0 }));
  expect(() => requireDiskSpace('/data', 'start', () => ({ ...answer, bavail: 100 }))).toThrow(
    'The disk of /data is full (0 MiB free); the embedded database needs 24 MiB to start.',
  );
  expect(() => requireDiskSpace('/data', 'start', () => ({ ...answer, ffree: 0 }))).toThrow(
    'The disk of /data is full (it has no room for more files).',
  );
});
