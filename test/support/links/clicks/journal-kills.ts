/** Processes that append to journals and are killed; what they were told against what can be read afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CLICKS, journalsFolder } from '../../../../src/surfaces/links/clicks/click-journal.ts';
import { claimOrphan } from '../../../../src/platform/journal/journal-owner.ts';
import { createJournalReader } from '../../../../src/platform/journal/journal-reader.ts';

const STARTED_WITHIN_MS = 120_000;
/** Clicks that a writer has under way at once. */
const LANES = 20;

export interface Writer {
  /** Its journal's. */
  id: string;
  /** Ends it by SIGKILL. @returns the clicks that it was told are recorded */
  kill(): Promise<number[]>;
}

/**
 * @param output a file for what it prints, which nothing that dies takes along
 * @param lossy whether its disk loses what was not synced
 */
export async function startWriter(
  dataDir: string,
  options: { sync: 'write' | 'fdatasync'; first: number; output: string; lossy?: boolean },
): Promise<Writer> {
  const { sync, first, output, lossy = false } = options;
  const out = openSync(output, 'w');
  const program = join(import.meta.dirname, 'journal-writer.ts');
  const layer = lossy ? ['--import', join(import.meta.dirname, 'lossy-files.ts')] : [];
  const child = spawn(process.execPath, [...layer, program, dataDir, sync, String(first)], {
    stdio: ['ignore', out, 'inherit'],
  });
  closeSync(out);
  const exited = once(child, 'exit');
  const lines = (): string[] => readFileSync(output, 'utf8').split('\n').slice(0, -1);
  const deadline = performance.now() + STARTED_WITHIN_MS;
  // Its ID, and enough clicks that a kill may lose some.
  while (lines().length < 50) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error('A writer of clicks did not begin');
    }
    await delay(5);
  }
  return {
    id: lines()[0]!,
    async kill() {
      child.kill('SIGKILL');
      await exited;
      return lines().slice(1).map(Number);
    },
  };
}

export interface KillReport {
  kills: number;
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Recorded, though nobody was answered: lawful, at most as many as were under way. */
  unanswered: number;
  maxUnanswered: number;
  /** Whether any single journal holds more that nobody was answered for than were under way. */
  tooMany: boolean;
  damagedBytes: number;
}

/** Kills a writer `rounds` times, each after a random time of up to `longestMs`. */
export async function killWriters(
  dataDir: string,
  options: { sync: 'write' | 'fdatasync'; rounds: number; longestMs: number; lossy?: boolean },
): Promise<KillReport> {
  const report: KillReport = {
    kills: 0,
    acknowledged: 0,
    lost: 0,
    doubled: 0,
    unanswered: 0,
    maxUnanswered: 0,
    tooMany: false,
    damagedBytes: 0,
  };
  const log = { warn: () => {}, error: () => {} }; // damage is counted
  for (let round = 0; round < options.rounds; round++) {
    const output = join(dataDir, `told-${round}`);
    const writer = await startWriter(dataDir, { ...options, first: round * 1e9, output });
    await delay(Math.random() * options.longestMs);
    const told = await writer.kill();

    const held = claimOrphan(journalsFolder(dataDir), writer.id);
    if (held === null) throw new Error('The journal of a process that was killed still counts as its own');
    const damaged = (bytes: number): void => void (report.damagedBytes += bytes);
    const source = createJournalReader({ ...CLICKS, id: held.id, folder: held.folder, log, damaged });
    const read = new Map<number, number>();
    for (let at = { segment: 0, position: 0, atEnd: false }; !at.atEnd;) {
      const part = await source.read(at.segment, at.position, 256 * 1024);
      for (const click of part.records) read.set(click.at, (read.get(click.at) ?? 0) + 1);
      at = part;
    }
    held.release();

    const unanswered = read.size - told.filter((at) => read.has(at)).length;
    report.kills++;
    report.acknowledged += told.length;
    report.lost += told.filter((at) => !read.has(at)).length;
    report.doubled += [...read.values()].filter((count) => count > 1).length;
    report.unanswered += unanswered;
    report.maxUnanswered = Math.max(report.maxUnanswered, unanswered);
    report.tooMany ||= unanswered > LANES;
  }
  return report;
}
