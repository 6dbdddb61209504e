/** What the processes of a server and of its database take, looked at now and then. Linux. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { getCommand, getTree } from '../processes.ts';
import type { OpenFiles } from './open-files.ts';

export interface Sample {
  /** Seconds since the first. */
  at: number;
  /** Resident memory of the server's own processes, in MB (10^6 bytes). */
  server: number;
  /** What the database's processes have for themselves, without what they share; NaN where it runs elsewhere. */
  postgres: number;
  /** Open files of the server's first process, by kind. */
  files: OpenFiles;
}

export interface MemoryWatch {
  samples: Sample[];
  stop(): Promise<void>;
}

function getStatus(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024) / 1e6;
  } catch (error) {
    // It has ended since the list was made.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0;
    throw error;
  }
}

const isPostgres = (pid: number): boolean => /postgres/.test(getCommand(pid));

/** The database's first process, where it runs on this machine; else null. */
async function getPostmaster(pool: pg.Pool): Promise<number | null> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]!.pid;
  if (!isPostgres(pid)) return null;
  const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
  return Number(parent);
}

/** Looks at a server's tree, and at the database behind `pool`, every `everyMs`. */
export async function watchMemory(
  root: number,
  pool: pg.Pool,
  files: () => OpenFiles,
  everyMs: number,
): Promise<MemoryWatch> {
  const postmaster = await getPostmaster(pool);
  const samples: Sample[] = [];
  const began = performance.now();
  let stopped = false;
  const look = (): void => {
    const own = getTree(root).filter((pid) => !isPostgres(pid));
    const sum = (pids: readonly number[], of: (pid: number) => number): number =>
      pids.reduce((total, pid) => total + of(pid), 0);
    samples.push({
      at: (performance.now() - began) / 1000,
      server: sum(own, (pid) => getStatus(pid, 'VmRSS')),
      postgres: postmaster === null ? NaN : sum(getTree(postmaster), (pid) => getStatus(pid, 'RssAnon')),
      files: files(),
    });
  };
  const watching = (async () => {
    while (!stopped) {
      look();
      await delay(everyMs);
    }
  })();
  return {
    samples,
    async stop() {
      stopped = true;
      await watching;
    },
  };
}
