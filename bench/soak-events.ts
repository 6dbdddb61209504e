/**
 * The long form of the log's promise: followers read `after_sequence` for 30 s while 8 writers commit and roll back
 * under two sequencers, whose connections are cut now and then. Prints one line of figures; ends with 1 on any fault.
 *
 *     node bench/soak-events.ts [seconds]
 */
import { makeAhead } from '../src/platform/db/partitions.ts';
import { createTestDatabase } from '../test/support/db.ts';
import { BUCKET_LOCKS } from '../src/core/events/sequencer.system-store.ts';
import { soak } from '../test/support/events/soak.ts';
import setup from '../test/global-setup.ts';

const seconds = Number(process.argv[2] ?? 30);
const teardown = await setup();
const test = await createTestDatabase();
try {
  await makeAhead(test.db, 'events', 1, new Date());
  let cut = 0;
  const disturb = async (): Promise<void> => {
    if (Math.random() > 0.1) return;
    const { rowCount } = await test.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and classid = $1 and database = (select oid from pg_database where datname = current_database())
       limit 1`,
      [BUCKET_LOCKS],
    );
    cut += rowCount ?? 0;
  };
  const { committed, rolledBack, read, lag, faults } = await soak({ db: test.db, seconds, disturb });
  const { rows } = await test.pool.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  );
  console.log(
    `soak-events: ${seconds} s, PostgreSQL ${rows[0]!.version}, 8 writers, 2 sequencers (${cut} cut): ` +
      `${committed} committed, ${rolledBack} rolled back, ${read} read; commit to reader median ${lag.median.toFixed(1)} ms, ` +
      `p99 ${lag.p99.toFixed(1)} ms; ${faults.length} faults`,
  );
  for (const fault of faults.slice(0, 20)) console.error(fault);
  if (faults.length || read !== committed) process.exitCode = 1;
} finally {
  await test.drop();
  await teardown();
}
