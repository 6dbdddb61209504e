import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';

const STARTS = 4;
const ROUNDS = 20;

/** Opens one missing folder after another, each at the same instant as the other threads. */
const OPENER = `
  const { workerData: { module, place, arrived, starts, rounds }, parentPort } = require('node:worker_threads');
  import(module).then(({ openDataDirectory }) => {
    const faults = [];
    for (let round = 0; round < rounds; round++) {
      const all = (round + 1) * starts;
      if (Atomics.add(arrived, 0, 1) === all - 1) Atomics.notify(arrived, 0);
      for (let now; (now = Atomics.load(arrived, 0)) < all; ) Atomics.wait(arrived, 0, now, 1);
      try {
        openDataDirectory(place + '/' + round + '/data');
      } catch (error) {
        faults.push(error.message);
      }
    }
    parentPort.postMessage(faults);
  });`;

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'data-directory-'));
  chmodSync(place, 0o755);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('of several that make one folder at the same instant, none fails', async () => {
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const workerData = {
    module: new URL('data-directory.ts', import.meta.url).href,
    place,
    arrived,
    starts: STARTS,
    rounds: ROUNDS,
  };
  const openers = Array.from({ length: STARTS }, async () => {
    const worker = new Worker(OPENER, { eval: true, workerData });
    return new Promise<string[]>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
  });
  expect((await Promise.all(openers)).flat()).toEqual([]);
});
