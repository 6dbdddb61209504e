/** Processes that die amid clicks: what they acknowledged is there. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder, type TemporaryFolder } from '../../../../support/temporary-folder.ts';
import { killWriters } from '../../../../support/links/clicks/journal-kills.ts';

let temporary: TemporaryFolder;
beforeEach(async () => {
  temporary = await temporaryFolder();
});
afterEach(() => temporary[Symbol.asyncDispose]());

const SOUND = { lost: 0, doubled: 0, tooMany: false, damagedBytes: 0 };

test.each(['write', 'fdatasync'] as const)(
  'with %s all that was acknowledged before a kill is read afterwards, once',
  async (sync) => {
    const report = await killWriters(temporary.path, { sync, rounds: 5, longestMs: 300 });
    expect(report).toMatchObject({ ...SOUND, kills: 5 });
    expect(report.acknowledged).toBeGreaterThan(100);
  },
);

test('with fdatasync it is there even if the disk loses what was not synced', async () => {
  const report = await killWriters(temporary.path, {
    sync: 'fdatasync',
    rounds: 5,
    longestMs: 300,
    lossy: true,
  });
  expect(report).toMatchObject({ ...SOUND, kills: 5 });
  expect(report.acknowledged).toBeGreaterThan(100);
});

test('with write such a disk does lose them: the one above is a test', async () => {
  const report = await killWriters(temporary.path, { sync: 'write', rounds: 1, longestMs: 300, lossy: true });
  expect(report.lost).toBeGreaterThan(0);
});
