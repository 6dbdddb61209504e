/** Situations in which the embedded database refuses: each a clear line, and nothing of the data touched. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../../../support/needs.ts';
import { unsupported } from '../../../../src/platform/embedded-postgres/binaries.ts';
import { EmbeddedDatabaseError, startEmbedded } from '../../../../src/platform/embedded-postgres/embedded.ts';
import { toStartError } from '../../../../src/platform/embedded-postgres/start-fault.ts';
import {
  AS_ANOTHER,
  canServeAs,
  folders,
  keepingLogger,
  startServer,
  USER,
} from '../../../support/embedded-postgres/harness.ts';
import { madeDataDir } from '../../../support/embedded-postgres/made-data-dir.ts';

const { make, clean } = folders();

const start = (dataDir: string) => startEmbedded({ dataDir, log: keepingLogger() });

/** All files below a folder with their contents, as one hash. */
function getContents(folder: string): string {
  const hash = createHash('sha256');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const path of entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)))
    hash.update(path).update(readFileSync(path));
  return hash.digest('hex');
}

afterEach(clean);

describe('a data folder', () => {
  test('of another major version of PostgreSQL is not touched', async () => {
    const dataDir = await madeDataDir(make());
    const data = join(dataDir, 'postgres/data');
    writeFileSync(join(data, 'PG_VERSION'), '17\n');
    const before = getContents(data);
    const refused = start(dataDir);
    await expect(refused).rejects.toThrow(EmbeddedDatabaseError);
    await expect(refused).rejects.toThrow(
      `The database in ${data} was written by PostgreSQL 17, and this version of Fairlead includes 18. Nothing was changed.`,
    );
    expect(getContents(data)).toBe(before);
    writeFileSync(join(data, 'PG_VERSION'), '18\n');
    await (await start(dataDir)).stop();
  });

  test('with files, but no database, is not touched', async () => {
    const dataDir = make();
    mkdirSync(join(dataDir, 'postgres/data'), { recursive: true });
    writeFileSync(join(dataDir, 'postgres/data/diary.txt'), 'dear');
    await expect(start(dataDir)).rejects.toThrow(
      `${dataDir}/postgres/data holds files, but no PostgreSQL database (PG_VERSION is missing). Nothing was changed`,
    );
    expect(readdirSync(join(dataDir, 'postgres/data'))).toEqual(['diary.txt']);
  });

  test('whose database is damaged: what PostgreSQL says is passed on', async () => {
    const dataDir = await madeDataDir(make());
    const data = join(dataDir, 'postgres/data');
    rmSync(join(data, 'global/pg_control'));
    await expect(start(dataDir)).rejects.toThrow(
      `The embedded database in ${data} did not start: postgres: could not find the database system`,
    );
  });

  test('that is a file, or a link to nothing', async () => {
    const folder = make();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('nowhere', join(folder, 'link'));
    await expect(start(join(folder, 'file'))).rejects.toThrow(
      `The data folder ${folder}/file can't be used: it exists, but is not a folder.`,
    );
    await expect(start(join(folder, 'link'))).rejects.toThrow(`The data folder ${folder}/link can't be used`);
  });
});

describe('permissions', () => {
  test(
    'a folder that a plain user may not read, or not write',
    needs(AS_ANOTHER, canServeAs(USER)),
    async () => {
      const folder = make();
      mkdirSync(join(folder, 'closed'), { mode: 0o700 });
      mkdirSync(join(folder, 'closed/data'));
      for (const dataDir of [join(folder, 'closed/data'), join(folder, 'new')]) {
        const { event, name, message } = await startServer(dataDir, { uid: USER }).outcome();
        expect({ event, name }).toEqual({ event: 'failed', name: 'EmbeddedDatabaseError' });
        expect(message).toBe(
          `The data folder ${dataDir} can't be used: permission denied. Fix this, choose another folder with DATA_DIR, or set DATABASE_URL.`,
        );
      }
    },
  );

  test('a user ID without a name', needs(AS_ANOTHER, canServeAs(54_321)), async () => {
    const dataDir = make();
    chmodSync(dataDir, 0o777);
    const { name, message } = await startServer(dataDir, { uid: 54_321 }).outcome();
    expect(name).toBe('EmbeddedDatabaseError');
    expect(message).toContain('The user id 54321 that Fairlead runs under has no entry in /etc/passwd');
    expect(message).toContain('DATABASE_URL');
  });
});

describe('what PostgreSQL says when it ends early', () => {
  const place = {
    dataDir: '/d',
    folder: '/d/postgres',
    data: '/d/postgres/data',
    elsewhere: false,
    account: { uid: 7, gid: 7, name: 'eve', switched: false },
  };
  test.each([
    [
      '[startup] FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device',
      'The disk of /d/postgres is full',
    ],
    ['initdb: error: could not create directory "x": Disk quota exceeded', 'The disk of /d/postgres is full'],
    [
      '[postmaster] FATAL:  could not create semaphores: No space left on device',
      'could not get shared memory or semaphores',
    ],
    [
      '[postmaster] FATAL:  could not open file "global/pg_filenode.map": Permission denied',
      'running as eve, was refused a file',
    ],
    [
      '[postmaster] FATAL:  lock file "postmaster.pid" already exists',
      'Another PostgreSQL server still uses /d/postgres/data',
    ],
    [
      'fairlead-database-watchdog: 1: exec: /x/bin/postgres: not found',
      'They need glibc 2.27 or newer; set DATABASE_URL',
    ],
    [
      `/x/postgres: /lib/libc.so.6: version \`GLIBC_2.27' not found`,
      'They need glibc 2.27 or newer; set DATABASE_URL',
    ],
    [
      'initdb: error: could not look up effective user ID 7: user does not exist',
      'The user id 7 has no entry in /etc/passwd',
    ],
    ['[postmaster] FATAL:  a new kind of trouble', 'did not start: FATAL:  a new kind of trouble'],
  ])('%s', (line, message) => {
    const fault = toStartError(
      { how: 'code 1', lines: ['[postmaster] LOG:  starting', line, '\tmore'] },
      place,
    );
    expect(fault.message).toContain(message);
    expect(fault.message).not.toContain('\n');
  });

  test('nothing', () => {
    expect(toStartError({ how: 'SIGKILL', lines: [] }, place).message).toContain(
      'did not start: it ended with SIGKILL',
    );
  });
});

test('platforms without PostgreSQL in npm', () => {
  expect(unsupported('linux', 'x64', false)).toBeNull();
  expect(unsupported('darwin', 'arm64', false)).toBeNull();
  expect(unsupported('linux', 'x64', true)).toContain('musl');
  for (const [platform, arch] of [
    ['win32', 'x64'],
    ['linux', 'riscv64'],
    ['freebsd', 'x64'],
  ] as const)
    expect(unsupported(platform, arch, false)).toBe(
      `there is no embedded PostgreSQL for ${platform} ${arch}`,
    );
});
