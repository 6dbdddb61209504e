/**
 * Preloaded into a process (NODE_OPTIONS=--import=…): its wall clock is off by the milliseconds in the file
 * CLOCK_OFFSET_FILE, which is read again on SIGUSR2. Monotonic clocks and the database are left alone.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const read = () => Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));
const RealDate = Date;
let offset = read();
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(
      target,
      given.length ? given : [now()],
      newTarget === globalThis.Date ? target : newTarget,
    ),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

if (isMainThread)
  process.on('SIGUSR2', () => {
    offset = read();
    console.log(`the clock is off by ${offset} ms`);
  });
