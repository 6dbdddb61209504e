/**
 * Backups and restores that are killed with SIGKILL at random moments. Afterwards no file of half a backup bears the
 * name, no server starts on half an installation, and the same command, run again, completes it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { assertRestored } from '../../src/ops/backup/restoring.ts';
import { openArchive } from '../../src/ops/backup/archive.ts';
import { FAIRLEAD } from './product.ts';

/** For each kill: a machine may be so much faster than at first that all is over before. */
const MAX_TRIES = 10;

export interface RestoreRounds {
  /** DATA_DIR of an installation that is stopped or serves. */
  dataDir: string;
  /** An empty folder to work in. */
  folder: string;
  /** Kills of each. What is over before it is killed is done once more. */
  kills: number;
  /** Gives 0 up to 1. */
  random: () => number;
  report?: (line: string) => void;
}

export interface RestoreReport {
  backupsKilled: number;
  restoresKilled: number;
  /** Backups that were killed and bear the name all the same, but are not whole. */
  halfFiles: number;
  /** Restores that were killed, and whose folder a server would start on, but that were not over. */
  halfInstallations: number;
  /** Commands that failed, and were not killed. */
  failed: string[];
}

function run(command: 'backup' | 'restore', args: string[], dataDir: string) {
  const child = spawn(FAIRLEAD, [command, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<string | null>((resolve) =>
    child.once('close', (code) => resolve(code === 0 ? null : `${command}: ${said.trim() || 'killed'}`)),
  );
  return { child, ended };
}

/** @returns whether it was killed before it was over, and else how it failed, if it did */
async function killed(
  { child, ended }: { child: ChildProcess; ended: Promise<string | null> },
  afterMs: number,
): Promise<{ isKilled: boolean; fault: string | null }> {
  const late = new AbortController();
  const first = await Promise.race([
    ended.then(() => 'over'),
    delay(afterMs, 'late', { signal: late.signal }).catch(() => 'over'),
  ]);
  late.abort();
  if (first !== 'over') child.kill('SIGKILL');
  const fault = await ended;
  return child.signalCode === 'SIGKILL' ? { isKilled: true, fault: null } : { isKilled: false, fault };
}

const wouldStart = (dataDir: string): boolean => {
  if (!existsSync(join(dataDir, 'postgres/data/PG_VERSION'))) return false;
  try {
    assertRestored({ DATA_DIR: dataDir });
    return true;
  } catch {
    return false;
  }
};

export async function restoreRounds(options: RestoreRounds): Promise<RestoreReport> {
  const { dataDir, folder, kills, random, report: tell = () => undefined } = options;
  const report: RestoreReport = {
    backupsKilled: 0,
    restoresKilled: 0,
    halfFiles: 0,
    halfInstallations: 0,
    failed: [],
  };
  const again = async (command: 'backup' | 'restore', args: string[], where: string): Promise<void> => {
    const fault = await run(command, args, where).ended;
    if (fault !== null) report.failed.push(fault);
  };

  const file = join(folder, 'whole');
  const began = performance.now();
  await again('backup', [file], dataDir);
  const backupMs = performance.now() - began;
  for (let at = 0; report.backupsKilled < kills && at < kills * MAX_TRIES; at++) {
    const tried = join(folder, `killed-${at}`);
    const { isKilled, fault } = await killed(run('backup', [tried], dataDir), random() * backupMs);
    if (isKilled) report.backupsKilled += 1;
    if (fault !== null) report.failed.push(fault);
    if (existsSync(tried))
      await openArchive(tried).then(
        (archive) => archive.close(),
        () => (report.halfFiles += 1),
      );
    tell(`backup ${at + 1}: ${JSON.stringify(report)}`);
  }

  const secret = ['--secret-file', join(dataDir, 'secret.key')];
  const first = performance.now();
  await again('restore', [file, ...secret], join(folder, 'first'));
  const restoreMs = performance.now() - first;
  await rm(join(folder, 'first'), { recursive: true, force: true });
  for (let at = 0; report.restoresKilled < kills && at < kills * MAX_TRIES; at++) {
    const target = join(folder, `target-${at}`);
    const reported = join(folder, `report-${at}.json`);
    for (let tries = 0; tries < 2; tries++) {
      const restoring = run('restore', [file, ...secret, '--report', reported], target);
      const { isKilled, fault } = await killed(restoring, random() * restoreMs);
      if (fault !== null) report.failed.push(fault);
      if (!isKilled) break;
      report.restoresKilled += 1;
      // Its mark goes once the rows are committed and compared: what is left then a start does by itself.
      if (wouldStart(target)) break;
    }
    const isMarked = existsSync(join(target, 'restoring')) || !existsSync(join(target, 'postgres'));
    if (isMarked) {
      await again('restore', [file, ...secret, '--report', reported], target);
      const { tables } = JSON.parse(readFileSync(reported, 'utf8')) as {
        tables: { backup: object; restored: object | null }[];
      };
      if (!tables.every(({ backup, restored }) => JSON.stringify(backup) === JSON.stringify(restored)))
        report.halfInstallations += 1;
    } else await again('backup', [join(folder, `of-target-${at}`)], target);
    if (!wouldStart(target)) report.halfInstallations += 1;
    await rm(target, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    tell(`restore ${at + 1}: ${JSON.stringify(report)}`);
  }
  return report;
}
