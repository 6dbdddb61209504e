import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { needs } from '../../../../support/needs.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../../support/temporary-folder.ts';
import {
  CLICKS,
  createClickJournal,
  journalsFolder,
  type ProcessClickJournal,
} from '../../../../../src/surfaces/links/clicks/click-journal.ts';
import type { JournalOptions } from '../../../../../src/platform/journal/journal.ts';
import { claimOrphan } from '../../../../../src/platform/journal/journal-owner.ts';
import { createJournalReader } from '../../../../../src/platform/journal/journal-reader.ts';
import { listSegments, segmentPath } from '../../../../../src/platform/journal/segment.ts';
import { getClick } from '../../../../support/links/clicks/journal-clicks.ts';
import { append, keptLog, readAll, upTo } from '../../../../support/links/clicks/journal-world.ts';

let temporary: TemporaryFolder;
const open: ProcessClickJournal[] = [];
beforeEach(async () => {
  temporary = await temporaryFolder();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((journal) => journal.close()));
  await temporary[Symbol.asyncDispose]();
});

const NO_SPACE = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
type Failing = 'writeSync' | 'write' | 'fdatasync';

/** The file system, of which single calls can be made to fail. */
function failingFiles() {
  const failing = new Set<Failing>();
  const files = {
    ...fs,
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      if (failing.has('writeSync')) throw NO_SPACE;
      return fs.writeSync(...args);
    },
    write: (...args: unknown[]) => {
      if (failing.has('write')) setImmediate(args.at(-1) as (error: Error) => void, NO_SPACE);
      else (fs.write as (...all: unknown[]) => void)(...args);
    },
    fdatasync: (fd: number, done: (error: Error | null) => void) => {
      if (failing.has('fdatasync')) setImmediate(done, NO_SPACE);
      else fs.fdatasync(fd, done);
    },
  } as unknown as NonNullable<JournalOptions['files']>;
  return { failing, files };
}

async function start(options: Partial<JournalOptions & { dataDir: string }> = {}) {
  const { lines, log } = keptLog();
  const registry = new Registry();
  const journal = await createClickJournal({
    dataDir: temporary.path,
    sync: 'fdatasync',
    log,
    registry,
    ...options,
  });
  open.push(journal);
  const value = async (name: string, labels?: object): Promise<number | undefined> =>
    (await registry.getSingleMetric(`fairlead_click_journal_${name}`)!.get()).values.find(
      (one) => JSON.stringify(one.labels) === JSON.stringify(labels ?? {}),
    )?.value;
  return { journal, lines, value, folder: join(journalsFolder(temporary.path), journal.id) };
}

/** As another process reads it, once this one has closed it. */
async function readClosed({ id }: ProcessClickJournal) {
  const claimed = claimOrphan(journalsFolder(temporary.path), id)!;
  const damage: number[] = [];
  const { log } = keptLog();
  const source = createJournalReader({
    ...CLICKS,
    id,
    folder: claimed.folder,
    log,
    damaged: (bytes) => damage.push(bytes),
  });
  const { ats } = await readAll(source);
  claimed.release();
  return { ats, damage };
}

describe.each(['write', 'fdatasync'] as const)('with %s', (sync) => {
  test('what is acknowledged is read, in its order, while it grows and afterwards', async () => {
    const { journal, value } = await start({ sync });
    const acknowledged = new Set<number>();
    const pending = upTo(40).map(async (lane) => {
      for (const at of upTo(250, lane * 250)) {
        const [error] = await append(journal, [at]);
        expect(error).toBeNull();
        acknowledged.add(at);
      }
    });
    const seen: number[] = [];
    let from = { segment: 0, position: 0 };
    const readOn = async (): Promise<void> => {
      const part = await readAll(journal.source, from);
      from = part;
      seen.push(...part.ats);
    };
    while (acknowledged.size < 10_000) {
      await readOn();
      // Acknowledged at once by the callback; the lane's own continuation comes a moment later.
      await new Promise(setImmediate);
      expect(seen.every((at) => acknowledged.has(at))).toBe(true);
    }
    await Promise.all(pending);
    await readOn();
    expect(seen.toSorted((a, b) => a - b)).toEqual(upTo(10_000));
    for (const lane of [0, 39]) {
      const own = seen.filter((at) => Math.floor(at / 250) === lane);
      expect(own).toEqual(upTo(250, lane * 250));
    }
    expect(await value('clicks_total', { outcome: 'recorded' })).toBe(10_000);
    expect((await journal.source.read(from.segment, from.position, 1)).atEnd).toBe(true);
    expect(await value('backlog_bytes')).toBe(0);
    await journal.close();
    expect((await readClosed(journal)).ats.length).toBe(10_000);
  });

  test('what comes while a commit is under way goes together into the next', async () => {
    let writes = 0;
    const { journal } = await start({
      sync,
      files: {
        ...fs,
        writeSync: ((...args: Parameters<typeof fs.writeSync>) => {
          writes++;
          return fs.writeSync(...args);
        }) as typeof fs.writeSync,
      },
    });
    let isBack = false;
    const first = new Promise((resolve) => {
      journal.append(getClick(0), (error) => {
        expect([error, isBack]).toEqual([null, true]);
        resolve(append(journal, upTo(500, 1)));
      });
      isBack = true;
    });
    await Promise.all([first, append(journal, upTo(499, 501))].map((one) => one));
    await first;
    expect((await readAll(journal.source)).ats).toHaveLength(1_000);
    expect(writes).toBeLessThanOrEqual(3);
  });

  test('a commit that fails fails for all of its clicks, and for no other', async () => {
    const { failing, files } = failingFiles();
    const { journal, lines } = await start({ sync, files });
    expect(await append(journal, [1, 2])).toEqual([null, null]);
    failing.add(sync === 'write' ? 'writeSync' : 'fdatasync');
    expect(await append(journal, [3, 4])).toEqual([NO_SPACE, NO_SPACE]);
    expect(journal.state()).toBe('failed');
    failing.clear();
    await vi.waitFor(async () => expect(await append(journal, [5])).toEqual([null]));
    expect(journal.state()).toBe('ok');
    const ats = [1, 2, 5];
    expect((await readAll(journal.source)).ats).toEqual(ats);
    await journal.close();
    expect(await readClosed(journal)).toEqual({ ats, damage: [] });
    expect(lines.map(({ message }) => message)).toEqual([
      'click journal: write failed, records are rejected',
      'click journal: recording again',
    ]);
  });
});

test('while no segment can be made appends fail at once; it recovers without being asked', async () => {
  const { failing, files } = failingFiles();
  failing.add('write');
  const { journal } = await start({ files });
  expect(journal.state()).toBe('failed');
  expect(await append(journal, [1])).toEqual([NO_SPACE]);
  failing.clear();
  await vi.waitFor(() => expect(journal.state()).toBe('ok'));
  expect(await append(journal, [2])).toEqual([null]);
  expect((await readAll(journal.source)).ats).toEqual([2]);
});

test('segments follow one another, and go once they are loaded', async () => {
  const { journal, value, folder } = await start({ sync: 'write' });
  for (const burst of upTo(30)) {
    await append(journal, upTo(1_000, burst * 1_000));
    await new Promise((resolve) => fs.stat(folder, resolve)); // lets the next segment be laid out
  }
  await vi.waitFor(async () => {
    await append(journal, [30_000]);
    expect((await listSegments(folder)).length).toBeGreaterThan(2);
  });
  const before = (await value('backlog_bytes'))!;
  expect(before).toBeGreaterThan(4 * 1024 * 1024);
  const { ats, segment, position } = await readAll(journal.source);
  expect(ats.slice(0, 30_000)).toEqual(upTo(30_000));
  expect(segment).toBeGreaterThan(0);
  await journal.source.loadedThrough(segment);
  expect((await listSegments(folder))[0]).toBe(segment);
  await journal.source.read(segment, position, 1);
  expect(await value('backlog_bytes')).toBe(0);
  await append(journal, [40_000]);
  expect((await readAll(journal.source, { segment, position })).ats).toEqual([40_000]);
});

test('the rest of the disk is left to others: clicks are refused rather than fill it', async () => {
  let free = 1_000;
  const statfs = ((_: string, done: (error: null, stats: object) => void) =>
    setImmediate(done, null, { bavail: free, bsize: 1 })) as unknown as typeof fs.statfs;
  const { journal, value } = await start({ files: { ...fs, statfs }, minFreeBytes: 1_000 });
  expect(await append(journal, [1])).toEqual([null]);
  free = 999;
  await vi.waitFor(() => expect(journal.state()).toBe('failed'));
  expect(await append(journal, [2])).toMatchObject([{ message: expect.stringContaining('nearly full') }]);
  expect(await value('failed')).toBe(1);
  expect(await value('clicks_total', { outcome: 'refused' })).toBe(1);
  free = 1_000;
  await vi.waitFor(() => expect(journal.state()).toBe('ok'));
  expect(await append(journal, [3])).toEqual([null]);
  expect((await readAll(journal.source)).ats).toEqual([1, 3]);
});

test.each([
  ['a gigabyte', 1e9, 25e6],
  ['a terabyte', 1e12, 128 * 1024 * 1024],
])('of a disk of %s so much stays free, less than what others leave free', async (_, blocks, least) => {
  let free = least;
  const statfs = ((_path: string, done: (error: null, stats: object) => void) =>
    setImmediate(done, null, { bavail: free, bfree: free, blocks, bsize: 1 })) as unknown as typeof fs.statfs;
  const { journal } = await start({ files: { ...fs, statfs } });
  expect(await append(journal, [1])).toEqual([null]);
  free = least - 1;
  await vi.waitFor(() => expect(journal.state()).toBe('failed'), 5_000);
  free = least;
  await vi.waitFor(() => expect(journal.state()).toBe('ok'), 5_000);
});

test('what waits to be loaded has a bound on disk', async () => {
  const { journal } = await start({ maxBacklogBytes: 10_000, sync: 'write' });
  await append(journal, upTo(200));
  await vi.waitFor(() => expect(journal.state()).toBe('failed'));
  expect(await append(journal, [1])).toMatchObject([{ message: expect.stringContaining('backlog is full') }]);
});

test('a disk that hangs takes a bounded number of clicks, and refuses the others', async () => {
  const hung: ((error: Error | null) => void)[] = [];
  let hangs = false;
  const fdatasync = ((fd: number, done: (error: Error | null) => void) =>
    hangs ? hung.push(done) : fs.fdatasync(fd, done)) as typeof fs.fdatasync;
  const { journal } = await start({ files: { ...fs, fdatasync } });
  await append(journal, [0]);
  hangs = true;
  const userAgent = 'x'.repeat(512);
  const outcome: (Error | null)[] = [];
  for (const at of upTo(10_000)) journal.append(getClick(at, { userAgent }), (error) => outcome.push(error));
  await vi.waitFor(() => expect(outcome.length).toBeGreaterThan(0));
  expect(outcome[0]).toMatchObject({ message: 'click journal: the buffer is full, the disk is too slow' });
  hangs = false;
  await vi.waitFor(() => {
    for (const done of hung.splice(0)) done(null);
    expect(outcome).toHaveLength(10_000);
  });
  const taken = outcome.filter((error) => error === null).length;
  expect(taken).toBeGreaterThan(4_000);
  expect((await readAll(journal.source)).ats).toHaveLength(taken + 1);
});

test('closing records what waits, refuses what comes later, and leaves the journal to others', async () => {
  const { journal } = await start();
  const root = journalsFolder(temporary.path);
  expect(claimOrphan(root, journal.id)).toBeNull();
  const last = append(journal, [1, 2, 3]);
  await journal.close();
  expect(await last).toEqual([null, null, null]);
  expect(await append(journal, [4])).toMatchObject([{ message: 'click journal: closed' }]);
  expect(await readClosed(journal)).toEqual({ ats: [1, 2, 3], damage: [] });
});

test('nobody else may look into a journal', async () => {
  const { folder } = await start();
  expect(fs.statSync(folder).mode & 0o077).toBe(0);
  for (const name of fs.readdirSync(folder).filter((one) => one !== 'lock'))
    expect(fs.statSync(join(folder, name)).mode & 0o077, name).toBe(0);
});

test('a segment that records can still go to is never removed', async () => {
  const { journal, folder } = await start();
  await append(journal, [1]);
  const place = await readAll(journal.source);
  await journal.source.loadedThrough((await listSegments(folder)).at(-1)! + 1);
  await append(journal, [2]);
  expect((await readAll(journal.source, place)).ats).toEqual([2]);
  await journal.close();
  expect(await readClosed(journal)).toEqual({ ats: [1, 2], damage: [] });
});

// A file system of its own that really is full.
const small = (path: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,mode=0755', 'tmpfs', path]).status === 0;
const mayMount = ((): boolean => {
  if (process.platform !== 'linux' || process.getuid!() !== 0) return false;
  const path = fs.mkdtempSync('/tmp/fairlead-mount-');
  const done = small(path);
  if (done) spawnSync('umount', [path]);
  fs.rmdirSync(path);
  return done;
})();

test(
  'a disk that is full refuses clicks until there is room',
  needs('leave to mount', mayMount),
  async () => {
    const disk = join(temporary.path, 'disk');
    fs.mkdirSync(disk);
    expect(small(disk)).toBe(true);
    try {
      const { journal } = await start({ dataDir: disk, minFreeBytes: 0 });
      const kept: number[] = [];
      let at = 0;
      const burst = async (): Promise<Error | undefined> => {
        const ats = upTo(500, at);
        at += 500;
        const outcome = await append(journal, ats);
        kept.push(...ats.filter((_, n) => outcome[n] === null));
        return outcome.find((error) => error !== null) ?? undefined;
      };
      await vi.waitFor(async () => expect(await burst()).toMatchObject({ code: 'ENOSPC' }), { interval: 1 });
      expect(journal.state()).toBe('failed');
      const before = await readAll(journal.source);
      expect(before.ats).toEqual(kept);
      // All is loaded: its segments go.
      const gone = await listSegments(join(journalsFolder(disk), journal.id));
      await journal.source.loadedThrough(gone.at(-1)! + 1);
      await vi.waitFor(() => expect(journal.state()).toBe('ok'));
      expect(await burst()).toBeUndefined();
      const after = await readAll(journal.source, before);
      expect([...before.ats, ...after.ats]).toEqual(kept);
      await journal.close();
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  },
);

test('clicks that are loaded leave the disk in time, however few they are, and no file grows by that', async () => {
  const { journal, folder } = await start({ segmentMs: 50 });
  let place = { segment: 0, position: 0 };
  for (let at = 0; at < 5; at++) {
    await append(journal, [at]);
    await vi.waitFor(async () => {
      const { segment, position } = await readAll(journal.source, place);
      place = { segment, position };
      await journal.source.loadedThrough(segment);
      expect(
        fs.readdirSync(folder).some((name) => fs.readFileSync(join(folder, name)).includes('Chrome')),
      ).toBe(false);
    });
  }
  expect(place.segment).toBeGreaterThanOrEqual(5);
  for (const number of await listSegments(folder))
    expect(fs.statSync(segmentPath(folder, number)).size).toBeLessThanOrEqual(1024 * 1024);
});
