/**
 * The promise of the log, tried: readers follow `after_sequence` while writers commit and roll back, several events a
 * transaction, some held open long, under several sequencers. What was committed must be read once, in sequence,
 * without holes; what was rolled back never; and what one writer wrote, in the order in which it did.
 */
import type { Database } from '../../../src/platform/db/database.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { PATIENCE } from '../patience.ts';
import * as store from '../../../src/core/events/event.store.ts';
import { createSequencer } from '../../../src/core/events/sequencer.ts';
import { unitsFor } from './outbox.ts';

export interface SoakOptions {
  db: Database;
  seconds: number;
  /** Goes on until so many events were committed, and a tenth of them rolled back. */
  least?: number;
  writers?: number;
  workspaces?: number;
  sequencers?: number;
  /** Called now and then: for disturbing things. */
  disturb?: () => Promise<void>;
}

export interface SoakResult {
  committed: number;
  rolledBack: number;
  read: number;
  /** From the commit to the reading, in ms. */
  lag: { median: number; p99: number };
  /** What went wrong; empty is good. */
  faults: string[];
}

class Undo extends Error {}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const chance = (share: number): boolean => Math.random() < share;

export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { db, seconds, least = 0, writers = 8, workspaces = 3, sequencers = 2, disturb } = options;
  const ids = Array.from({ length: workspaces }, newUuid);
  const faults: string[] = [];
  const committedAt = new Map<string, number>();
  const undone = new Set<string>();
  const readAt = new Map<string, number>();
  /** Writer and workspace → the marks in the order of writing. */
  const written = new Map<string, string[]>();
  const getSequence = new Map<string, number>();
  let writing = true;

  const running = Array.from({ length: sequencers }, () =>
    createSequencer({
      db,
      log: {
        info() {},
        error: (details, message) => disturb ?? faults.push(`${message}: ${JSON.stringify(details)}`),
      },
    }),
  );
  for (const sequencer of running) sequencer.start();
  let turn = 0;
  const units = unitsFor(db, () => running[turn++ % running.length]!.wake());

  const write = async (writer: number): Promise<void> => {
    while (writing) {
      const marks = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, newUuid);
      const workspaceId = ids[Math.floor(Math.random() * ids.length)]!;
      try {
        await units.write(async (unit) => {
          for (const id of marks)
            await unit.events.write(unit, {
              workspaceId,
              type: 'ping',
              resourceId: id,
              object: { id, object: 'ping' },
            });
          if (chance(0.3)) await pause(Math.random() * 20);
          if (chance(0.01)) await pause(300);
          if (chance(0.15)) throw new Undo();
        });
        const now = performance.now();
        for (const mark of marks) committedAt.set(mark, now);
        const key = `writer ${writer} in ${workspaceId}`;
        written.set(key, written.get(key) ?? []);
        written.get(key)!.push(...marks);
      } catch (error) {
        if (!(error instanceof Undo)) throw error;
        for (const mark of marks) undone.add(mark);
      }
    }
  };

  const follow = async (workspaceId: string, isOver: () => boolean): Promise<void> => {
    let after = 0;
    for (;;) {
      const over = isOver();
      const rows = await store.listAfter(db, workspaceId, after, 100, { types: null });
      for (const row of rows) {
        if (row.sequence !== after + 1) faults.push(`${workspaceId}: ${row.sequence} came after ${after}`);
        if (readAt.has(row.resource_id!)) faults.push(`${row.resource_id} came twice`);
        readAt.set(row.resource_id!, performance.now());
        getSequence.set(row.resource_id!, row.sequence);
        after = row.sequence;
      }
      if (over && !rows.length) return;
      if (!rows.length) await pause(3);
    }
  };

  let sequenced = false;
  const followers = ids.map((id) => follow(id, () => sequenced));
  const writerLoops = Array.from({ length: writers }, (_, writer) => write(writer));
  const end = performance.now() + seconds * 1000;
  const isEnough = (): boolean => committedAt.size > least && undone.size > least / 10;
  while (performance.now() < end || !isEnough()) {
    await pause(100);
    await disturb?.();
  }
  writing = false;
  await Promise.all(writerLoops);
  const deadline = performance.now() + PATIENCE.timeout;
  while ((await running[0]!.lag()).waiting > 0) {
    if (performance.now() > deadline) throw new Error('events still wait long after the last commit');
    await pause(10);
  }
  sequenced = true;
  await Promise.all(followers);
  await Promise.all(running.map((sequencer) => sequencer.stop()));

  for (const mark of committedAt.keys())
    if (!readAt.has(mark)) faults.push(`${mark} was committed and never read`);
  for (const mark of undone) if (readAt.has(mark)) faults.push(`${mark} was rolled back and read`);
  for (const [key, marks] of written)
    for (let n = 1; n < marks.length; n++)
      if (getSequence.get(marks[n - 1]!)! > getSequence.get(marks[n]!)!)
        faults.push(`${key}: ${marks[n]} came too early`);
  const lags = [...readAt].map(([mark, at]) => at - (committedAt.get(mark) ?? at)).toSorted((a, b) => a - b);
  return {
    committed: committedAt.size,
    rolledBack: undone.size,
    read: readAt.size,
    lag: { median: lags[lags.length >> 1] ?? 0, p99: lags[Math.floor(lags.length * 0.99)] ?? 0 },
    faults,
  };
}
