/**
 * A server as the tests of the embedded database run it, to be killed: starts the database of the folder that is
 * its first argument and tells what happens as JSON lines. With a second argument, that many connections write rows,
 * and each row's ID is told once its commit was acknowledged. SIGTERM stops it properly.
 */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type ConnectionSettings, startEmbedded } from '../../../src/platform/embedded-postgres/embedded.ts';

const [dataDir = '', writers = '0'] = process.argv.slice(2);

function report(event: string, details: object = {}): void {
  // Synchronous: what was told is told, even when the next instruction is never reached.
  writeSync(1, `${JSON.stringify({ event, ...details })}\n`);
}

const say = (level: string) => (details: object, message: string) =>
  report('log', { level, message, details });
let stopping = false;

async function write(connection: ConnectionSettings): Promise<void> {
  while (!stopping) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000 });
    client.on('error', () => {}); // killed on purpose; the loop connects again
    try {
      await client.connect();
      while (!stopping) {
        const { rows } = await client.query<{ n: string }>('insert into written default values returning n');
        report('acknowledged', { n: Number(rows[0]!.n) });
      }
    } catch (error) {
      report('interrupted', { reason: String(error) });
      await delay(10);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

try {
  const began = performance.now();
  const log = { info: say('info'), warn: say('warn'), error: say('error') };
  const database = await startEmbedded({ dataDir, log });
  const milliseconds = Math.round(performance.now() - began);
  if (Number(writers) > 0) {
    const client = new pg.Client(database.connection);
    await client.connect();
    await client.query('create table if not exists written (n bigserial primary key)');
    await client.end();
  }
  const { stop, ...facts } = database;
  report('ready', { milliseconds, ...facts });
  const writing = Array.from({ length: Number(writers) }, () => write(database.connection));
  process.on('SIGTERM', async () => {
    stopping = true;
    await Promise.all(writing);
    await stop();
    report('stopped');
    process.exit(0);
  });
} catch (error) {
  report('failed', { name: (error as Error).name, message: (error as Error).message });
  process.exitCode = 1;
}
