/** Memory of an idle server with its database: the proportional share (PSS) of all its processes. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { getCommand, processesOfServer, getPss } from '../../test/support/processes.ts';
import { startProduct } from '../../test/support/product.ts';
import type { Bench } from '../support/figure.ts';

/** The collector gives memory of the start back after some 9 s. */
const SETTLE_MS = 15_000;
const MAX_MB = 200;

type Part = 'npm' | 'server' | 'database';

/** Tells what a process is by its command line. */
function getPart(pid: number): Part {
  const command = getCommand(pid);
  if (/postgres/.test(command)) return 'database';
  return /^(npm|sh) /.test(command) ? 'npm' : 'server';
}

interface Share {
  processes: number;
  megabytes: number;
}

async function measure(settleMs: number): Promise<Record<Part, Share>> {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const product = await startProduct({ dataDir, command: ['npm', 'start'] });
  try {
    await delay(settleMs);
    const pids = Map.groupBy(processesOfServer(product.pid, dataDir), getPart);
    const share = (part: Part): Share => {
      const own = pids.get(part) ?? [];
      return { processes: own.length, megabytes: getPss(own) };
    };
    return { npm: share('npm'), server: share('server'), database: share('database') };
  } finally {
    await product.stop();
  }
}

const sum = (...shares: Share[]): Share => ({
  processes: shares.reduce((total, { processes }) => total + processes, 0),
  megabytes: shares.reduce((total, { megabytes }) => total + megabytes, 0),
});
const row = (name: string, { processes, megabytes }: Share) => [name, processes, megabytes.toFixed(0)];

export const memory: Bench = async ({ quick, report }) => {
  const settleMs = quick ? 2000 : SETTLE_MS;
  const { npm, server, database } = await measure(settleMs);
  const product = sum(server, database);
  const everything = sum(product, npm);
  report(`memory: ${product.megabytes.toFixed(0)} MB, with npm ${everything.megabytes.toFixed(0)} MB`);
  return {
    title: 'Idle memory',
    method: `PSS of every process ${settleMs / 1000} s after the first \`npm start\` is ready, before any request.`,
    columns: ['', 'processes', 'PSS MB'],
    rows: [
      row('Fairlead (Node)', server),
      row('PostgreSQL and its watchdog', database),
      row('both', product),
      row('with npm, which waits for them', everything),
    ],
    targets: [
      {
        text: `${everything.megabytes.toFixed(0)} MB for all processes, npm too (target: at most ${MAX_MB}).`,
        met: everything.megabytes <= MAX_MB,
      },
    ],
    values: { idleMemory: product.megabytes },
  };
};
