/**
 * The primary process: starts or finds the database, migrates its schema, then serves itself (PROCESSES=1) or
 * supervises workers that share the port. Stops everything in reverse order.
 */
import type { FastifyBaseLogger } from 'fastify';
import { assertRestored } from '../ops/backup/restoring.ts';
import type { Config } from '../platform/config/config.ts';
import type { PoolOptions } from '../platform/db/database.ts';
import type { MigrateOptions } from '../platform/db/migrate.ts';
import { openMigratedDatabase } from '../platform/db/setup/open.ts';
import { createLog } from '../platform/log.ts';
import { assertPortAvailable } from './port.ts';
import { watchStart } from './slow-start.ts';
import { stopOnSignals } from './stop-on-signals.ts';

export async function runPrimary(config: Config): Promise<void> {
  assertRestored(config);
  await assertPortAvailable(config);
  const log = createLog(config);
  const start = watchStart((line) => console.log(line));
  start.stage('asking the store of media');
  if (config.S3_URL)
    await (await import('../surfaces/messaging/media/s3-check.ts')).assertStoreWorks(config.S3_URL);
  start.stage('opening the database, which may recover from a crash or be upgraded');
  const opening = openMigratedDatabase(config, log, (direct) => backUpFirst(config, log, direct));
  // Loads while PostgreSQL starts in a process of its own: loading first would delay that by all of its time.
  const loading = config.PROCESSES === 1 ? import('./server-process.ts') : null;
  loading?.catch(() => undefined); // thrown where it is awaited, when the database can be stopped
  const database = await opening;
  try {
    start.stage('starting the server');
    const starting = loading
      ? (await loading).startServerProcess(config, database.connection, log, { isFirst: true })
      : (await import('./workers.ts')).startWorkers(config, database.connection, log);
    // The first worker answers before the last one is ready, so a stop can arrive now. It waits for the start.
    stopOnSignals(log, { drain: async () => (await starting).stop(), end: () => database.stop() });
    const running = await starting;
    start.end();
    const address = config.baseUrlIsSet ? config.baseUrl : `http://localhost:${running.port}`;
    console.log(`Fairlead is ready: ${address}/user/api`);
  } catch (error) {
    start.end();
    await database.stop();
    throw error;
  }
}

/** The backup code is only loaded when there is something to migrate. */
const backUpFirst =
  (config: Config, log: FastifyBaseLogger, connection: PoolOptions): MigrateOptions['beforeMigrations'] =>
  async (db, pending) => {
    const { backUpBeforeMigrations } = await import('../ops/backup/before-migrations.ts');
    await backUpBeforeMigrations({ config, log, connection })(db, pending);
  };
