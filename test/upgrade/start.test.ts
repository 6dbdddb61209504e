/** Starts that upgrade a database: killed on the way, refused, many at once. As real processes. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { getRollbackPlans } from 'pg-boss';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openArchive } from '../../src/ops/backup/archive.ts';
import { appliedMigrations, knownMigrations, migrate, migrateTo } from '../../src/platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase, getUrl } from '../support/db.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { FAIRLEAD, startProduct } from '../support/product.ts';

/** Up to three starts of whole servers at once, each of which may take what startProduct waits for. */
const PATIENT = { timeout: 240_000 };
const WAIT = { timeout: 120_000, interval: 20 };
/** The migration that alters a table which the test keeps locked. */
const NEXT = '0022_webhook_bodies';
let earlier: string[];
let database: TestDatabase;
let folder: TemporaryFolder;
let env: Record<string, string>;

beforeAll(async () => {
  const known = await knownMigrations();
  earlier = known.slice(0, known.indexOf(NEXT));
});
beforeEach(async () => {
  folder = await temporaryFolder();
  database = await createTestDatabase('template0');
  await migrateTo(database.db, earlier);
  env = {
    DATABASE_URL: getUrl(database.connection),
    FAIRLEAD_SECRET: 'the secret of a test that upgrades',
  };
});
afterEach(async () => {
  await database.drop();
  await folder[Symbol.asyncDispose]();
});

/** Runs a start that is to end by itself. @returns what it said, and its exit code */
async function refusal(): Promise<{ code: number; stdout: string; stderr: string }> {
  const start = promisify(execFile)(FAIRLEAD, {
    env: { PATH: process.env['PATH'], DATA_DIR: folder.path, PORT: '0', ...env },
    timeout: 240_000,
  });
  return await start.then(
    () => {
      throw new Error('the start was not refused');
    },
    (failure: { code: number; stdout: string; stderr: string }) => failure,
  );
}

const jobsVersion = async (): Promise<number | null> => {
  const { rows } = await database.pool.query("select to_regclass('pgboss.version') is not null as known");
  if (!rows[0].known) return null;
  return (await database.pool.query('select version from pgboss.version')).rows[0]?.version ?? null;
};

const backups = (path = folder.path): Promise<string[]> => readdir(`${path}/backups`);

describe('a start', () => {
  test(
    'that is killed amid a migration leaves the schema as it was; the next one upgrades it',
    PATIENT,
    async () => {
      const busy = await database.pool.connect();
      const killed = new AbortController();
      try {
        await busy.query('begin; set local idle_in_transaction_session_timeout = 0; table delivery_attempts');
        const start = startProduct({ dataDir: folder.path, env, signal: killed.signal });
        const isWaiting = vi.waitFor(async () => {
          const { rows } = await database.pool.query(
            `select from pg_locks where not granted and relation = 'delivery_attempts'::regclass
               and database = (select oid from pg_database where datname = current_database())`,
          );
          expect(rows).toHaveLength(1);
        }, WAIT);
        await Promise.race([isWaiting, start]);
        killed.abort();
        await expect(start).rejects.toThrow('the server ended at its start');
      } finally {
        killed.abort();
        await busy.query('rollback');
        busy.release();
      }
      await vi.waitFor(async () => {
        const { rows } = await database.pool.query(
          "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
        );
        expect(rows).toEqual([]);
      }, WAIT);
      expect(await appliedMigrations(database.db)).toEqual(earlier);

      const product = await startProduct({ dataDir: folder.path, env });
      try {
        expect(await appliedMigrations(database.db)).toEqual(await knownMigrations());
        expect(await backups()).toHaveLength(2);
      } finally {
        await product.stop();
      }
    },
  );

  test('of many nodes at once upgrades once, and all serve', PATIENT, async () => {
    const nodes = ['a', 'b', 'c'].map((name) => `${folder.path}/${name}`);
    const started = await Promise.allSettled(nodes.map((dataDir) => startProduct({ dataDir, env })));
    const products = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      expect(products).toHaveLength(nodes.length);
      const upgraded = products.filter((product) => product.output().includes('the schema is up to date'));
      expect(upgraded).toHaveLength(1);
      const written = await Promise.all(nodes.map((path) => backups(path).catch(() => [])));
      expect(written.flat()).toHaveLength(1);
    } finally {
      await Promise.all(products.map((product) => product.stop()));
    }
  });

  test('on a newer schema is refused with the reason, and changes nothing', PATIENT, async () => {
    await sql`insert into kysely_migration values ('9999_of_a_later_version', now()::text)`.execute(
      database.db,
    );
    const { code, stderr } = await refusal();
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The database was migrated by a newer Fairlead (9999_of_a_later_version). Start that version, or restore a backup made by this one.\n',
    );
    expect(await appliedMigrations(database.db)).toEqual([...earlier, '9999_of_a_later_version']);
    expect(await readdir(folder.path)).not.toContain('backups');
  });

  test('that cannot back up is refused before it migrates; UPGRADE_BACKUP=off lets it', PATIENT, async () => {
    await mkdir(folder.path, { recursive: true });
    await writeFile(`${folder.path}/backups`, 'no folder');
    const { code, stderr } = await refusal();
    expect(code).toBe(1);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(
        /^The backup before \d+ migrations from 0022_webhook_bodies on could not be written to .*UPGRADE_BACKUP=off if you have your own backup\.$/,
      ),
      '',
    ]);
    expect(await appliedMigrations(database.db)).toEqual(earlier);

    const product = await startProduct({ dataDir: folder.path, env: { ...env, UPGRADE_BACKUP: 'off' } });
    expect(product.output()).toContain('migrating without a backup');
    await product.stop();
  });

  test('on older tables of jobs backs up before those are upgraded, once', PATIENT, async () => {
    await migrate(database.db);
    const current = await jobsVersion();
    expect(current).toBe(null); // a database without any has nothing to back up
    const first = await startProduct({ dataDir: folder.path, env });
    await vi.waitFor(async () => expect(await jobsVersion()).toBeGreaterThan(40), WAIT);
    await first.stop();
    expect(await readdir(folder.path)).not.toContain('backups');
    const version = (await jobsVersion())!;
    await database.pool.query(getRollbackPlans('pgboss', version));
    expect(await jobsVersion()).toBe(version - 1);

    const nodes = ['a', 'b'].map((name) => `${folder.path}/${name}`);
    const started = await Promise.allSettled(nodes.map((dataDir) => startProduct({ dataDir, env })));
    const products = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      expect(products).toHaveLength(nodes.length);
      expect(await jobsVersion()).toBe(version);
      const written = (await Promise.all(nodes.map((path) => backups(path).catch(() => [])))).flat();
      expect(written).toEqual([expect.stringMatching(`^before-jobs_${version}-\\d{8}T\\d{9}Z\\.fairlead$`)]);
      const holder = (await backups(nodes[0]).catch(() => [])).length ? nodes[0] : nodes[1];
      const archive = await openArchive(`${holder!}/backups/${written[0]!}`);
      expect(archive.manifest.outline.jobs).toBe(version - 1);
      await archive.close();
    } finally {
      await Promise.all(products.map((product) => product.stop()));
    }
  });
});
