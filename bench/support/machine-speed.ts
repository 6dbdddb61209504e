/**
 * How slow a machine is at the moment, by a bare start of Node and a fixed piece of work: bounds on times must hold on a
 * machine that is slower, or busy with other work, too.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** On the machine on which the bounds were set (2 cores, AMD EPYC), with nothing else to do, in milliseconds. */
const REFERENCE = { nodeMs: 35, workMs: 145 };
const TRIES = 3;

function getTime(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const bareNode = (): void => void spawnSync(process.execPath, ['-e', '0']);

/** Parses, sorts, compresses and hashes. */
function fixedWork(): void {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({ id: (n * 7919) % 30_011, name: `row ${n}` }));
  for (let round = 0; round < 3; round++) {
    const copy = JSON.parse(JSON.stringify(rows)) as typeof rows;
    const text = JSON.stringify(copy.sort((a, b) => a.id - b.id));
    createHash('sha256').update(gzipSync(text)).update(text.repeat(4)).digest('hex');
  }
}

/** Returns how many times slower than the reference the machine is now, at least 1. Takes about half a second. */
export function slowness(): number {
  let factor = 0;
  for (let nth = 0; nth < TRIES; nth++)
    factor += getTime(bareNode) / REFERENCE.nodeMs + getTime(fixedWork) / REFERENCE.workMs;
  return Math.max(1, factor / (2 * TRIES));
}
