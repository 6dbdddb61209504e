/** Under which account PostgreSQL runs, who gets to it, and where the data lies for that. Most of it needs root. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../../../support/needs.ts';
import { accountFor } from '../../../../src/platform/embedded-postgres/account.ts';
import { findBinaries, prepareBinaries } from '../../../../src/platform/embedded-postgres/binaries.ts';
import { runningConnection, startEmbedded } from '../../../../src/platform/embedded-postgres/embedded.ts';
import {
  AS_ANOTHER,
  canMount,
  canServeAs,
  folders,
  IS_LINUX,
  IS_ROOT,
  keepingLogger,
  getPostmaster,
  startServer,
  USER,
} from '../../../support/embedded-postgres/harness.ts';
import { madeDataDir } from '../../../support/embedded-postgres/made-data-dir.ts';

const { make, clean } = folders();
const stops: (() => Promise<void>)[] = [];
const elsewhere: string[] = [];

async function start(dataDir: string) {
  const log = keepingLogger();
  const database = await startEmbedded({ dataDir, log });
  stops.push(database.stop);
  if (database.dataDir.startsWith('/var/lib/fairlead/')) elsewhere.push(dirname(database.dataDir));
  return { ...database, messages: log.entries.map(({ message }) => message) };
}

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  for (const folder of elsewhere.splice(0)) rmSync(folder, { recursive: true, force: true });
  clean();
});

/** Asks for a connection, and writes the first answer: `node -e ASK <folder of the socket> <user>`. */
const ASK = `
  const [folder, user] = process.argv.slice(1);
  const words = Buffer.from(['user', user, 'database', 'fairlead', '', ''].join('\\0'));
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + words.length);
  head.writeInt32BE(196608, 4); // version 3.0 of the protocol
  const socket = require('net').connect(folder + '/.s.PGSQL.5432', () => socket.write(Buffer.concat([head, words])));
  socket.once('data', (answer) => { process.stdout.write(answer); socket.destroy(); });`;

const getUid = (pid: number): number => statSync(`/proc/${pid}`).uid;
const NOBODY = 65_534;
const ROOT_ON_LINUX = IS_ROOT && IS_LINUX;

describe('started by root', needs('root on Linux', ROOT_ON_LINUX), () => {
  test('PostgreSQL runs as nobody, with nothing of our environment', async () => {
    process.env['FAIRLEAD_TEST_MARK'] = 'not for others';
    const { dataDir } = await start(await madeDataDir(make()));
    delete process.env['FAIRLEAD_TEST_MARK'];
    const pid = getPostmaster(dataDir);
    expect(getUid(pid)).toBe(NOBODY);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('FAIRLEAD');
  });

  test('other programs of nobody get neither to its files nor to its socket', async () => {
    const { dataDir, connection } = await start(await madeDataDir(make()));
    const as = (gid: number, ...words: string[]) =>
      spawnSync(words[0]!, words.slice(1), { uid: NOBODY, gid, cwd: '/', encoding: 'utf8' });
    const version = join(dataDir, 'PG_VERSION');
    expect(as(NOBODY, 'cat', version).stderr).toContain('Permission denied');
    // Even one that came through the gate is asked by the kernel who it is.
    const { gid } = statSync(dirname(dataDir));
    expect(as(gid, 'cat', version).stdout).toBe('18\n');
    // Nobody may be kept out of the folder of Node.js.
    const node = join(make(), 'node');
    copyFileSync(process.execPath, node);
    for (const user of ['fairlead', 'postgres']) {
      const { stdout, stderr } = as(gid, node, '-e', ASK, connection.host, user);
      expect(stdout, stderr).toContain(`Peer authentication failed for user "${user}"`);
    }
  });

  test('where nobody can not get: the data lies elsewhere, says so, and stays there', async () => {
    const closed = join(make(), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const dataDir = join(closed, 'data');
    const first = await start(dataDir);
    expect(first.dataDir).toMatch(/^\/var\/lib\/fairlead\/[0-9a-f]{12}\/data$/);
    expect(first.messages.join()).toContain(`nobody, whom PostgreSQL runs as, can't get to ${dataDir}`);
    expect(readFileSync(join(dataDir, 'database-location.txt'), 'utf8')).toBe(`${dirname(first.dataDir)}\n`);
    expect(await runningConnection(dataDir)).toEqual(first.connection);
    await first.stop();

    const held = await start(dataDir);
    await expect(start(dataDir)).rejects.toThrow(
      `The database in ${dirname(first.dataDir)}, which belongs to ${dataDir}, is in use by the server with process id ${process.pid}.`,
    );
    await held.stop();

    // Neither wider permissions nor another path make a second, empty database.
    chmodSync(closed, 0o755);
    chmodSync(dataDir, 0o755);
    renameSync(closed, `${closed}-moved`);
    const moved = join(`${closed}-moved`, 'data');
    const again = await start(moved);
    expect(again).toMatchObject({ firstStart: false, dataDir: first.dataDir });

    // A copy would share it.
    cpSync(moved, `${moved}-copy`, { recursive: true });
    await expect(start(`${moved}-copy`)).rejects.toThrow(/is in use by the server with process id/);
    await again.stop();
    await expect(start(`${moved}-copy`)).rejects.toThrow(`${moved}-copy is a copy of ${moved}`);
  });

  test('data that nobody can not get to any more is not replaced by an empty database', async () => {
    const open = join(make(), 'open');
    mkdirSync(open);
    await madeDataDir(open);
    chmodSync(open, 0o700);
    await expect(start(join(open, 'data'))).rejects.toThrow(`nobody can no longer access`);
    chmodSync(open, 0o755);
    expect((await start(join(open, 'data'))).firstStart).toBe(false);
  });

  test('data that belong to root: the message says how to give them back', async () => {
    const dataDir = await madeDataDir(make());
    const data = join(dataDir, 'postgres/data');
    chownSync(data, 0, 0);
    await expect(start(dataDir)).rejects.toThrow(`chown -R nobody '${data}'`);
  });
});

describe('started by a plain user', needs(AS_ANOTHER, canServeAs(USER)), () => {
  test(
    'everything is that user’s; root and the user can take turns, others can not',
    { timeout: 240_000 },
    async () => {
      const dataDir = join(make(), 'data');
      mkdirSync(dataDir);
      chownSync(dataDir, USER, USER);
      const first = startServer(dataDir, { uid: USER });
      const { event, dataDir: data } = await first.outcome();
      expect(event).toBe('ready');
      expect(getUid(getPostmaster(data))).toBe(USER);
      await first.stop();

      const byRoot = await start(dataDir);
      expect(byRoot.firstStart).toBe(false);
      expect(getUid(getPostmaster(data))).toBe(USER);
      await byRoot.stop();

      const again = startServer(dataDir, { uid: USER });
      expect(await again.outcome()).toMatchObject({ event: 'ready', firstStart: false });
      await again.stop();

      const other = await startServer(dataDir, { uid: NOBODY }).outcome();
      expect(other.event).toBe('failed');
      expect(other.message).toMatch(/^The database in \S+ belongs to \w+, but Fairlead runs as nobody\./);
    },
  );

  test('a database that root made is refused with its owner’s name', async () => {
    const dataDir = await madeDataDir(make());
    const { message } = await startServer(dataDir, { uid: USER }).outcome();
    expect(message).toContain('belongs to root, but Fairlead runs as');
  });
});

describe('programs', () => {
  const found = findBinaries();
  const log = keepingLogger();
  const account = accountFor('/data', null);
  const aLink = 'lib/libpq.so.5';

  /** The package as npm unpacks it with install scripts off. */
  function withoutLinks(): string {
    const folder = join(make(), 'package/native');
    cpSync(found.folder, folder, { recursive: true, verbatimSymlinks: true });
    const links = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) unlinkSync(join(dirname(folder), target));
    expect(existsSync(join(folder, aLink))).toBe(false);
    return folder;
  }

  test('missing links are made where the package lies', () => {
    const folder = withoutLinks();
    expect(prepareBinaries({ ...found, folder }, make(), account, log).folder).toBe(folder);
    expect(existsSync(join(folder, aLink))).toBe(true);
    expect(execFileSync(join(folder, 'bin/initdb'), ['--version'], { encoding: 'utf8' })).toContain(
      found.version,
    );
  });

  test('which PostgreSQL’s account can not get to are copied beside the data', needs('root', IS_ROOT), () => {
    const folder = withoutLinks();
    chmodSync(dirname(folder), 0o700);
    const place = make();
    const copy = prepareBinaries({ ...found, folder }, place, account, log);
    expect(copy.folder).toBe(join(place, `postgresql-${found.version}/native`));
    const ran = spawnSync(join(copy.folder, 'bin/initdb'), ['--version'], {
      uid: account.uid,
      gid: account.gid,
      encoding: 'utf8',
    });
    expect(ran.stdout).toContain(found.version);
    // The copy serves the next start too.
    const { mtimeMs } = statSync(copy.folder);
    expect(prepareBinaries({ ...found, folder }, place, account, log).folder).toBe(copy.folder);
    expect(statSync(copy.folder).mtimeMs).toBe(mtimeMs);
  });

  test(
    'in a folder that can not be written are copied when links are missing',
    needs('the right to mount', canMount()),
    () => {
      const folder = withoutLinks();
      execFileSync('mount', ['--bind', folder, folder]);
      try {
        execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
        const place = make();
        expect(prepareBinaries({ ...found, folder }, place, account, log).folder).toContain(place);
      } finally {
        execFileSync('umount', [folder]);
      }
    },
  );

  test('a path that a shell would read is not used', () => {
    const folder = join(make(), 'a $(b)');
    cpSync(found.folder, folder, { recursive: true, verbatimSymlinks: true });
    const place = make();
    expect(prepareBinaries({ ...found, folder }, place, account, log).folder).toContain(place);
    const bad = join(place, '`c`');
    mkdirSync(bad);
    expect(() => prepareBinaries({ ...found, folder }, bad, account, log)).toThrow('set DATABASE_URL');
  });
});
