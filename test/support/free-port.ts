/**
 * A port of loopback that nobody has now, and that the system gives nobody by itself: whoever calls somebody, and whoever
 * listens anywhere, gets one from 32768 on. So it is still there a while later, and again for a server that is restarted.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Browsers and fetch call no port 10080. */
const FIRST = 11_000;
const PAST = 32_768;
/** Test files that run at once look in different ones. */
const SLICES = 8;
const SLICE = Math.floor((PAST - FIRST) / SLICES);
const OWN = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % SLICES) * SLICE;

const given = new Set<number>();

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Never the same twice in a process. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < SLICE; tries++) {
    const port = randomInt(OWN, OWN + SLICE);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port from ${OWN} to ${OWN + SLICE} is free`);
}
