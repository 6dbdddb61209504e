/** The receiver of deliveries, a process of its own (bench/support/receiver.ts), and what it was sent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, ROOT } from '../product.ts';
import type { Ledger } from './ledger.ts';

const EVERY_MS = 1_000;
const READY_WITHIN_MS = 120_000;

export interface OutsideReceiver extends AsyncDisposable {
  base: string;
  /** Takes over what came since, into the ledger. */
  collect(): Promise<void>;
}

export async function startReceiver(ledger: Ledger): Promise<OutsideReceiver> {
  const port = await freePort();
  const child = spawn(process.execPath, ['bench/support/receiver.ts', String(port)], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  const base = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + READY_WITHIN_MS;
  while (
    !(await fetch(base).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > deadline) {
      child.kill();
      throw new Error('the receiver did not start');
    }
    await delay(20);
  }
  const take = async (): Promise<void> => {
    const came = (await (await fetch(`${base}/report`)).json()) as [string, string, number][];
    for (const [path, event, at] of came) {
      let events = ledger.arrived.get(path);
      if (!events) ledger.arrived.set(path, (events = new Map()));
      if (events.has(event)) ledger.doubles++;
      else events.set(event, at);
    }
  };
  // The receiver forgets what it reports: who collects is done only when what came before is in the ledger too.
  let taken = Promise.resolve();
  const collect = (): Promise<void> => (taken = taken.then(take));
  let stopped = false;
  const collecting = (async () => {
    while (!stopped) {
      await collect();
      await delay(EVERY_MS);
    }
  })();
  return {
    base,
    collect,
    async [Symbol.asyncDispose]() {
      stopped = true;
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      try {
        await collecting;
      } finally {
        child.kill();
        await exited;
      }
    },
  };
}
