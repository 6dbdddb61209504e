/**
 * How slow a machine is at the moment, by a bare start of Node and a fixed piece of work: bounds on times must hold on a
 * machine that is slower, or busy with other work, too.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** On two quiet cores of the machine on which the bounds were set (AMD EPYC), in milliseconds. */
const REFERENCE = { nodeMs: 35, workMs: 235 };

function timeOf(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const bareNode = (): void => void spawnSync(process.execPath, ['-e', '0']);

/** Hashes, compresses, parses and sorts, as a start and a build do. */
function fixedWork(): void {
  const rows = Array.from({ length: 30_000 }, (_, n) => ({ id: (n * 7919) % 30_011, name: `row ${n}` }));
  for (let round = 0; round < 3; round++) {
    const text = JSON.stringify((JSON.parse(JSON.stringify(rows)) as typeof rows).sort((a, b) => a.id - b.id));
    createHash('sha256').update(gzipSync(text)).update(text.repeat(4)).digest('hex');
  }
}

/** Returns how many times slower than the reference the machine is now; at least 1. Takes about half a second. */
export function slowness(): number {
  const node = timeOf(bareNode) / REFERENCE.nodeMs;
  const work = timeOf(fixedWork) / REFERENCE.workMs;
  return Math.max(1, (node + work) / 2);
}
