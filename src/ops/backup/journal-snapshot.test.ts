import { createWriteStream, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { CLICKS, createClickJournal, journalsFolder } from '../../surfaces/links/clicks/click-journal.ts';
import { createJournalReader } from '../../platform/journal/journal-reader.ts';
import { listSegments, segmentPath } from '../../platform/journal/segment.ts';
import { append, keptLog, readAll } from '../../../test/support/links/clicks/journal-world.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { holdJournals } from './journal-snapshot.ts';

test('a snapshot of a journal does not change while clicks are appended, loaded and removed', async () => {
  await using folder = await temporaryFolder();
  const { lines, log } = keptLog();
  const open = { dataDir: folder.path, sync: 'write' as const, log, registry: new Registry() };
  const journal = await createClickJournal(open);
  const own = join(journalsFolder(folder.path), journal.id);
  const first: number[] = [];
  // The third segment is allocated while the second is being written. A segment's capacity depends on how clicks are
  // grouped.
  while ((await listSegments(own)).length < 3) {
    const more = Array.from({ length: 500 }, (_, at) => first.length + at + 1);
    await append(journal, more);
    first.push(...more);
  }
  const last = first.length + 1;

  const held = holdJournals(folder.path);
  await held.check();
  expect(held.segments().length).toBeGreaterThan(2);
  rmSync(segmentPath(own, 0)); // as the loader does after loading it
  await append(journal, [last]);
  await held.check();

  const copy = join(folder.path, 'copy');
  const [writing] = await Promise.all([
    (async () => {
      for (const { journal: id, segment, read } of held.segments()) {
        const path = segmentPath(join(copy, id), segment);
        await mkdir(dirname(path), { recursive: true });
        await pipeline(read(), createWriteStream(path));
      }
    })(),
    (async () => {
      for (let at = last + 1_000; at < last + 2_000; at += 10) await append(journal, [at]);
    })(),
  ]);
  expect(writing).toBeUndefined();
  await held.release();
  await journal.close();

  const damaged: number[] = [];
  const source = createJournalReader({
    ...CLICKS,
    id: journal.id,
    folder: join(copy, journal.id),
    log,
    damaged: (bytes) => void damaged.push(bytes),
  });
  const { ats } = await readAll(source);
  expect(ats.slice(0, last)).toEqual([...first, last]);
  expect(damaged).toEqual([]);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('without any clicks the snapshot is empty', async () => {
  await using folder = await temporaryFolder();
  const held = holdJournals(folder.path);
  await held.check();
  expect(held.segments()).toEqual([]);
  await held.release();
});
