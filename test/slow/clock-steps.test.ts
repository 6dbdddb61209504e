/**
 * Clocks that are wrong, or are set while servers run. What waits for a time must move by the time that really passes:
 * queues, leases and schedules, on a server whose own clock is off, and on a database whose clock was set back.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/db.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startTestApp } from '../support/test-app.ts';
import { ALL_WORK, openClockWorld, RETRIED } from '../support/clock-world.ts';
import { setDatabaseClock } from '../support/database-clock.ts';
import { freePort, type Product, startProduct } from '../support/product.ts';
import { untilWithin } from '../support/until.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const PATIENT = { timeout: 400_000, ...LINUX };
const until = untilWithin({ withinMs: 120_000, everyMs: 20 });
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const STEPS = [
  ['-1 day', -DAY],
  ['+90 s', 90 * SECOND],
  ['-90 s', -90 * SECOND],
  ['+1 day', DAY],
] as const;

/** Starts the server with a wall clock of its own, which can be set. Its database keeps the machine's. */
async function startStepped(folder: string) {
  const file = `${folder}/offset`;
  await writeFile(file, '0');
  const port = await freePort();
  const preload = fileURLToPath(new URL('../support/stepped-date.mjs', import.meta.url));
  const env = {
    CLOCK_OFFSET_FILE: file,
    NODE_OPTIONS: `--import=${preload}`,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  const start = (): Promise<Product> => startProduct({ dataDir: `${folder}/data`, port, env });
  let product = await start();
  return {
    base: product.base,
    async set(ms: number) {
      await writeFile(file, String(ms));
      product.signal('SIGUSR2');
      await until('the clock is set', () => product.output().includes(`the clock is off by ${ms} ms`));
    },
    async restartAt(ms: number) {
      expect((await product.stop()).code).toBe(0);
      await writeFile(file, String(ms));
      product = await start();
    },
    stop: () => product.stop(),
  };
}

// At once: each waits most of the time, for retries.
test.concurrent("a server's clock that is set while it runs delays nothing", PATIENT, async () => {
  await using folder = await temporaryFolder();
  const server = await startStepped(folder.path);
  await using world = await openClockWorld(server.base);
  expect(await world.probe('right')).toEqual(ALL_WORK);
  for (const [name, ms] of STEPS) {
    await server.set(ms);
    expect(await world.probe(name), name).toEqual(ALL_WORK);
  }
  await server.stop();
});

test.concurrent("a server's clock that was set before a start delays nothing", PATIENT, async () => {
  await using folder = await temporaryFolder();
  const server = await startStepped(folder.path);
  await using world = await openClockWorld(server.base);
  for (const [name, ms] of STEPS) {
    await world.leaveRetries(`left before ${name}`);
    await server.restartAt(ms);
    const moved = Promise.all([world.retried(`left before ${name}`), world.probe(name)]);
    expect(await moved, name).toEqual([RETRIED, ALL_WORK]);
  }
  await server.stop();
});

test.concurrent("a database's clock that is set while servers run delays nothing", PATIENT, async () => {
  const app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1' });
  await using world = await openClockWorld(app.base);
  for (const [name, ms] of STEPS) {
    await world.leaveRetries(`left before ${name}`);
    await setDatabaseClock(app.database.pool, ms);
    const moved = Promise.all([world.retried(`left before ${name}`), world.probe(name)]);
    expect(await moved, name).toEqual([RETRIED, ALL_WORK]);
    // A clock that goes there and back between two looks has not been set, for the server.
    await until('the server has seen the time', async () => {
      const { rows } = await app.database.pool.query<{ is_seen: boolean }>(
        `select seen_at > clock_timestamp() - interval '30 seconds' as is_seen from database_clock`,
      );
      return rows[0]!.is_seen;
    });
  }
  expect(app.logged.filter((line) => line.includes('clock was set back'))).toHaveLength(
    STEPS.filter(([, ms]) => ms < 0).length,
  );
  await app.stop();
});

test.concurrent("a database's clock that was set before a start delays nothing", PATIENT, async () => {
  const port = await freePort();
  const env = { EGRESS_ALLOW: '127.0.0.1', PORT: String(port) };
  const database = await createTestDatabase();
  await using folder = await temporaryFolder();
  const on = { database, config: { DATA_DIR: folder.path } };
  let app = await startTestApp(env, on);
  await using world = await openClockWorld(`http://localhost:${port}`);
  for (const [name, ms] of STEPS) {
    await world.leaveRetries(`left before ${name}`);
    await app.stop();
    await setDatabaseClock(database.pool, ms);
    app = await startTestApp(env, on);
    const moved = Promise.all([world.retried(`left before ${name}`), world.probe(name)]);
    expect(await moved, name).toEqual([RETRIED, ALL_WORK]);
  }
  await app.stop();
  await database.drop();
});
