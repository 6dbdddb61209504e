/** The watch over disks: what it takes for a full one, when it lets go, what it tells of that. */
import { expect, test } from 'vitest';
import { createDiskWatch, type ReadDisk } from './disk-watch.ts';
import { getMissing, readReserve, reservedBytes, toDiskSpace } from '../config/reserve.ts';

const GIB = 1024 ** 3;
/** A disk of 100 GiB, a tenth of it root's alone, as ext4 would say. */
const disk = (freeGiB: number, freeFiles = 1_000) => ({
  bsize: 4096,
  blocks: (110 * GIB) / 4096,
  bfree: ((freeGiB + 10) * GIB) / 4096,
  bavail: (freeGiB * GIB) / 4096,
  files: 1_000,
  ffree: freeFiles,
});
const FIVE = { share: 0.05 };

test.each([
  ['5%', { share: 0.05 }],
  ['2.5%', { share: 0.025 }],
  ['50%', { share: 0.5 }],
  ['2GiB', { bytes: 2 * GIB }],
  ['1.5 GB', { bytes: 1.5e9 }],
  ['300MB', { bytes: 3e8 }],
  ['0', null],
  ['0%', null],
  ['51%', undefined],
  ['-1%', undefined],
  ['5', undefined],
  ['', undefined],
  ['5 %%', undefined],
  ['2gib', undefined],
  ['1e3MB', undefined],
])('the setting %s', (raw, expected) => {
  expect(readReserve(raw)).toEqual(expected);
});

test('what is free is counted as df counts it: without what is root’s', () => {
  expect(toDiskSpace(disk(25))).toEqual({ free: 25 * GIB, size: 100 * GIB });
  expect(reservedBytes(FIVE, disk(25))).toBe(5 * GIB);
  expect(reservedBytes({ bytes: 7 }, disk(25))).toBe(7);
  expect(reservedBytes(null, disk(25))).toBe(0);
});

test('a disk lacks space, or files, below the reserve; and once full, until a fifth more is free', () => {
  const lack = (
    free: number,
    wasFull: boolean,
    files?: number,
    reserve: Parameters<typeof getMissing>[0] = FIVE,
  ) => getMissing(reserve, disk(free, files), wasFull);
  expect([lack(5, false), lack(4.99, false)]).toEqual([null, 'space']);
  expect([lack(5.99, true), lack(6, true)]).toEqual(['space', null]);
  expect([lack(50, false, 50), lack(50, false, 49)]).toEqual([null, 'files']);
  expect([lack(50, true, 59), lack(50, true, 60)]).toEqual(['files', null]);
  expect([lack(2, false, 1_000, { bytes: 2 * GIB }), lack(1.9, false, 1_000, { bytes: 2 * GIB })]).toEqual([
    null,
    'space',
  ]);
  expect(lack(50, false, 49, { bytes: 2 * GIB })).toBe('files');
  expect(getMissing(FIVE, { ...disk(50), files: 0, ffree: 0 }, false)).toBeNull();
  expect(lack(0, false, 0, null)).toBeNull();
});

function watching(read: ReadDisk, names: readonly ('data' | 'database' | 'media')[] = ['data']) {
  const logged: [string, Record<string, unknown>][] = [];
  const log = {
    warn: (details: object, message: string) => void logged.push([message, details as never]),
    error: (details: object, message: string) => void logged.push([message, details as never]),
  };
  const disks = names.map((name) => ({ name, path: `/folders/${name}` }));
  return { logged, watch: createDiskWatch({ disks, reserve: FIVE, log, read }) };
}

test('a change is logged once, with folder and figures; callers are told neither', async () => {
  let free = 10;
  const { watch, logged } = watching(async () => ({ ...disk(free), device: 1 }));
  const state = async (now: number) => {
    free = now;
    await watch.scan();
    return [watch.full()?.lack ?? null, watch.check()];
  };
  expect(await state(10)).toEqual([null, 'ok']);
  expect(logged).toEqual([]);
  for (const low of [4, 3, 5.5]) expect(await state(low)).toEqual(['space', 'degraded']);
  const { since } = watch.full()!;
  expect(logged).toHaveLength(1);
  expect(logged[0]![1]).toMatchObject({
    folder: '/folders/data',
    free_bytes: 4 * GIB,
    size_bytes: 100 * GIB,
    reserved_bytes: 5 * GIB,
  });
  expect(watch.full()!.since).toBe(since);
  const refused = (() => {
    try {
      watch.assertDiskSpace();
    } catch (error) {
      return error as { code: string; message: string; headers: object };
    }
    throw new Error('it was not refused');
  })();
  expect(refused).toMatchObject({ code: 'storage_full', headers: { 'retry-after': '60' } });
  expect(refused.message).not.toMatch(/folders|\d/);
  expect(await state(6)).toEqual([null, 'ok']);
  watch.assertDiskSpace();
  expect(logged.map(([message]) => message)).toEqual([
    'storage: disk nearly full, rejecting writes (507)',
    'storage: space is available again, accepting writes',
  ]);
});

test('any of several disks is enough; what lies on one with another is looked at once', async () => {
  const free = { '/folders/data': 50, '/folders/database': 50, '/folders/media': 2 } as Record<
    string,
    number
  >;
  let device = { '/folders/data': 1, '/folders/database': 1, '/folders/media': 2 } as Record<string, number>;
  const { watch, logged } = watching(
    async (path) => ({ ...disk(free[path]!), device: device[path]! }),
    ['data', 'database', 'media'],
  );
  await watch.scan();
  expect(watch.full()).toMatchObject({ disk: 'media', lack: 'space' });
  expect([...watch.figures().keys()]).toEqual(['data', 'media']);
  device = { ...device, '/folders/media': 1 };
  await watch.scan();
  expect([watch.full(), [...watch.figures().keys()]]).toEqual([null, ['data']]);
  expect(logged.filter(([message]) => message.startsWith('storage: disk nearly full'))).toHaveLength(1);
});

test('a disk that can not be asked stays what it was, and is told of once', async () => {
  let answer: () => Promise<ReturnType<typeof disk> & { device: number }> = async () => ({
    ...disk(1),
    device: 1,
  });
  const { watch, logged } = watching(() => answer());
  await watch.scan();
  answer = () => Promise.reject(new Error('stale file handle'));
  await watch.scan();
  await watch.scan();
  expect(watch.full()).not.toBeNull();
  expect(logged.map(([message]) => message)).toEqual([
    'storage: disk nearly full, rejecting writes (507)',
    'storage: could not read disk usage',
  ]);
});

test('files whose folder was taken away refuse nothing any more: only a file that is taken makes it again', async () => {
  let isThere = true;
  const { watch, logged } = watching(
    async (path) => {
      if (path !== '/folders/media') return { ...disk(50), device: 1 };
      if (!isThere) throw Object.assign(new Error('no such folder'), { code: 'ENOENT' });
      return { ...disk(1), device: 2 };
    },
    ['data', 'media'],
  );
  await watch.scan();
  expect(watch.full()).toMatchObject({ disk: 'media' });
  isThere = false;
  await watch.scan();
  expect([watch.full(), [...watch.figures().keys()]]).toEqual([null, ['data']]);
  expect(logged.map(([message]) => message)).not.toContain('storage: could not read disk usage');
});

test('one look at a time, however long it takes', async () => {
  let asked = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { watch } = watching(async () => {
    asked += 1;
    await promise;
    return { ...disk(50), device: 1 };
  });
  const looks = [watch.scan(), watch.scan(), watch.scan()];
  resolve();
  await Promise.all(looks);
  expect(asked).toBe(1);
});

test('who waits for room goes on once there is some, or is stopped', async () => {
  let free = 1;
  const { watch } = watching(async () => ({ ...disk(free), device: 1 }));
  await watch.whenRoom();
  await watch.scan();
  const stop = new AbortController();
  const stopped = watch.whenRoom(stop.signal);
  let isOver = false;
  const waited = watch.whenRoom().then(() => (isOver = true));
  await watch.scan();
  stop.abort(new Error('it stops'));
  await expect(stopped).rejects.toThrow('it stops');
  expect(isOver).toBe(false);
  free = 10;
  await watch.scan();
  await waited;
  expect(isOver).toBe(true);
});
