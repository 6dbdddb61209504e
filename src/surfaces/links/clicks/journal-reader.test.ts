import { CLICKS } from './click-journal.ts';
import { recordSpace } from '../../../platform/journal/record-space.ts';
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder, type TemporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { encodeClick, MAX_RECORD_BYTES } from './click-codec.ts';
import { createJournalReader } from '../../../platform/journal/journal-reader.ts';
import {
  FRAME_HEADER_BYTES,
  frameMark,
  sealFrame,
  SEGMENT_HEADER_BYTES,
  segmentHeader,
  segmentPath,
} from '../../../platform/journal/segment.ts';
import { getClick } from '../../../../test/support/links/clicks/journal-clicks.ts';
import { keptLog, readAll, upTo } from '../../../../test/support/links/clicks/journal-world.ts';

const ID = '5d1f3a90-7c1b-4e55-9d5e-0f3f8a1b2c3d';
let temporary: TemporaryFolder;
let folder: string;
beforeEach(async () => {
  temporary = await temporaryFolder();
  folder = join(temporary.path, ID);
  mkdirSync(folder);
});
afterEach(() => temporary[Symbol.asyncDispose]());

function buildFrame(ats: number[]): Buffer {
  const space = recordSpace(FRAME_HEADER_BYTES + ats.length * MAX_RECORD_BYTES);
  const end = ats.reduce((start, at) => encodeClick(getClick(at), space, start), FRAME_HEADER_BYTES);
  sealFrame(space.bytes, end, frameMark(ID));
  return space.bytes.subarray(0, end);
}
const writeSegment = (segment: number, ...parts: Buffer[]): void =>
  writeFileSync(segmentPath(folder, segment), Buffer.concat([segmentHeader(ID, segment), ...parts]));

function reader() {
  const { lines, log } = keptLog();
  const damage: number[] = [];
  const source = createJournalReader({
    ...CLICKS,
    id: ID,
    folder,
    log,
    damaged: (bytes) => damage.push(bytes),
  });
  return { source, lines, damage };
}

test('whatever the last commit was cut to, all before it is read, and that is the end', async () => {
  const last = buildFrame([4, 5]);
  for (let length = 0; length <= last.length; length++) {
    for (const zeros of [0, 100]) {
      writeSegment(0, buildFrame([1]), buildFrame([2, 3]), last.subarray(0, length), Buffer.alloc(zeros));
      const { source, damage } = reader();
      const { ats } = await readAll(source);
      const isWhole = length === last.length;
      expect(ats, `${length} bytes and ${zeros} zeros`).toEqual(isWhole ? [1, 2, 3, 4, 5] : [1, 2, 3]);
      expect(damage).toEqual([]);
    }
  }
});

test('batches are bounded, hold whole commits, and begin where the one before ended', async () => {
  const frames = upTo(30).map((at) => buildFrame([at * 2, at * 2 + 1]));
  writeSegment(0, ...frames);
  for (const maxBytes of [1, frames[0]!.length, 1_000, 1_000_000]) {
    const { source } = reader();
    const part = await source.read(0, 0, maxBytes);
    expect(part.records.length).toBe(Math.min(60, 2 * Math.max(1, Math.floor(maxBytes / frames[9]!.length))));
    const { ats } = await readAll(source, { maxBytes });
    expect(ats).toEqual(upTo(60));
  }
});

test('a damaged commit is told, counted and passed over; what stands behind it is read', async () => {
  const damaged = buildFrame([2, 3]);
  for (const at of [0, 3, 4, 7, 8, 11, 12, damaged.length - 1]) {
    const broken = Buffer.from(damaged);
    broken[at]! ^= 0x41;
    writeSegment(0, buildFrame([1]), broken, buildFrame([4]), Buffer.alloc(50));
    const { source, lines, damage } = reader();
    expect((await readAll(source)).ats, `byte ${at}`).toEqual([1, 4]);
    expect(damage).toEqual([damaged.length]);
    expect(lines).toMatchObject([
      { level: 'error', details: { journal: ID, segment: 0, bytes: damaged.length } },
    ]);
  }
});

test('the damaged end of a segment with others behind it is damage, not the end of the journal', async () => {
  writeSegment(0, buildFrame([1]), buildFrame([2]).subarray(0, 60));
  writeSegment(1, buildFrame([3]));
  const { source, lines, damage } = reader();
  expect((await readAll(source)).ats).toEqual([1, 3]);
  expect(damage).toEqual([60]);
  expect(lines).toMatchObject([{ level: 'error' }]);
});

test('a segment that lay ready when the process died is no reason to call its last commit damaged', async () => {
  writeSegment(0, buildFrame([1]), buildFrame([2]).subarray(0, 60));
  writeSegment(1, Buffer.alloc(5_000));
  const { source, damage } = reader();
  expect((await readAll(source)).ats).toEqual([1]);
  expect(damage).toEqual([]);
});

test('neither noise nor what a visitor sends is taken for a commit', async () => {
  const noise = Buffer.concat(
    upTo(200).map(() => Buffer.concat([frameMark(ID), Buffer.from('x'.repeat(9))])),
  );
  writeSegment(0, buildFrame([1]), noise, buildFrame([2]));
  const { source, damage } = reader();
  expect((await readAll(source)).ats).toEqual([1, 2]);
  expect(damage).toEqual([noise.length]);
});

test('a missing segment and a damaged head are told, and the rest is read', async () => {
  writeSegment(0, buildFrame([1]));
  writeFileSync(segmentPath(folder, 2), Buffer.concat([Buffer.alloc(SEGMENT_HEADER_BYTES), buildFrame([2])]));
  const { source, lines } = reader();
  expect((await readAll(source)).ats).toEqual([1, 2]);
  expect(lines.map(({ message }) => message)).toEqual([
    'click journal: segment is missing, continuing with the next one',
    'click journal: segment header is damaged',
  ]);
});

test('segments that are loaded are removed; a journal that is gone is at its end', async () => {
  for (const segment of upTo(4)) writeSegment(segment, buildFrame([segment]));
  const { source } = reader();
  await source.loadedThrough(2);
  expect(readdirSync(folder).sort()).toEqual(['00000002.clicks', '00000003.clicks']);
  expect((await readAll(source, { segment: 2 })).ats).toEqual([2, 3]);
  renameSync(folder, `${folder}.gone`);
  expect(await source.read(2, 0, 1_000)).toEqual({ records: [], segment: 2, position: 0, atEnd: true });
  await source.loadedThrough(4);
});

test('a journal of a later version is neither read nor passed over', async () => {
  writeSegment(0, buildFrame([1]));
  const header = segmentHeader(ID, 0);
  header.writeUInt32LE(2, 8);
  const { crc32 } = await import('node:zlib');
  header.writeUInt32LE(crc32(header.subarray(0, 32)), 32);
  writeFileSync(segmentPath(folder, 0), Buffer.concat([header, buildFrame([1])]));
  const { source } = reader();
  await expect(source.read(0, 0, 1_000)).rejects.toThrow('Start a newer release');
  await expect(source.read(0, SEGMENT_HEADER_BYTES, 1_000)).rejects.toThrow('Start a newer release');
});
