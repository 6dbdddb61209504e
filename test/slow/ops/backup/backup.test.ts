/** A backup of a server that serves, and what is made of it elsewhere. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openCopyClient } from '../../../../src/platform/db/copy/client.ts';
import { createTestDatabase, type TestDatabase, testServerUrl } from '../../../support/db.ts';
import { createUnits } from '../../../../src/core/unit/unit-of-work.ts';
import { toUuid } from '../../../../src/core/vocabulary/ids.ts';
import { journalsFolder } from '../../../../src/surfaces/links/clicks/click-journal.ts';
import { executeCollect, removeContents } from '../../../../src/surfaces/messaging/media/media-removal.ts';
import { getFiles, upload } from '../../../support/messaging/media.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../../support/test-app.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import type { Terminal } from '../../../../src/ops/command/command.ts';
import { said } from '../../../support/admin.ts';
import { holdMedia } from '../../../../src/ops/backup/media-hold.ts';
import { mediaStore } from '../../../../src/ops/backup/media-store.ts';
import { runBackup } from '../../../../src/ops/backup/run-backup.ts';
import { runRestore } from '../../../../src/ops/backup/run-restore.ts';
import { writeBackup } from '../../../../src/ops/backup/write-backup.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let folder: TemporaryFolder;
const databases: TestDatabase[] = [];
/** Each goes through a hundred tables, some of them several times. */
const PATIENT = { timeout: 240_000 };

const call = (path: string, body?: object, on = app) => on.call(path, { key: home.key, body });
const click = async (slug: string): Promise<number> =>
  (
    await fetch(`${app.base}/${slug}`, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
    })
  ).status;
const link = async (slug: string): Promise<string> =>
  (await call('/links', { url: 'https://example.com/', slug })).body.id;
const getClicks = async (id: string, on: TestApp): Promise<number> =>
  (await call(`/links/${id}`, undefined, on)).body.clicks;

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase('template0');
  databases.push(database);
  return database;
}

type Command = (args: string[], env: Record<string, string>, terminal: Terminal) => Promise<number>;

function run(
  command: Command,
  args: string[],
  database: TestDatabase,
  dataDir: string,
  secret = TEST_SECRET,
) {
  const env = { DATABASE_URL: testServerUrl(database.name), FAIRLEAD_SECRET: secret, DATA_DIR: dataDir };
  return said((terminal) => command(args, env, terminal));
}

beforeAll(async () => {
  app = await startTestApp();
  folder = await temporaryFolder();
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app?.stop();
  for (const database of databases) await database.drop();
  await folder?.[Symbol.asyncDispose]();
});

/** What /metrics says of the last backup, in seconds since 1970. */
async function lastTold(): Promise<number> {
  const text = await (await fetch(`${app.base}/metrics`)).text();
  return Number(/^fairlead_backup_last_success_timestamp_seconds (\S+)$/m.exec(text)![1]);
}

describe('a backup while redirects are followed', PATIENT, () => {
  const before = { answered: 0, link: '' };
  const meanwhile = { answered: 0, link: '' };
  let media: { id: string; bytes: Buffer };
  let file: string;

  test('is written, with what is not counted yet', async () => {
    file = join(folder.path, 'one.fairlead');
    before.link = await link('before');
    meanwhile.link = await link('meanwhile');
    const bytes = randomBytes(700_000);
    media = { id: (await upload(app, home, { bytes })).body.id, bytes };
    for (; before.answered < 20; before.answered++) expect(await click('before')).toBe(302);
    await vi.waitFor(async () => expect(await getClicks(before.link, app)).toBe(20), 20_000);
    // From here on nothing is loaded: what follows is in the journal alone, as with a loader that is behind.
    const holding = await openCopyClient(app.database.connection);
    await holding.query('begin');
    await holding.query('select from journals for update');
    expect(await lastTold()).toBe(0);
    const began = new Date();
    for (; before.answered < 35; before.answered++) expect(await click('before')).toBe(302);
    let over = false;
    const visiting = (async () => {
      for (; !over; meanwhile.answered++) expect(await click('meanwhile')).toBe(302);
    })();
    const made = await run(runBackup, [file], app.database, app.config.DATA_DIR).finally(() => holding.end());
    over = true;
    await visiting;
    expect(made).toEqual({
      code: 0,
      error: '',
      out: expect.stringMatching(/one\.fairlead: .* in \d+ tables, 1 file of media \(700 kB\)/),
    });
    expect(await lastTold()).toBeGreaterThan(began.getTime() / 1000);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file)).includes(TEST_SECRET)).toBe(false);
    expect((await readdir(folder.path)).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('without media says so', async () => {
    const path = join(folder.path, 'without-media.fairlead');
    const made = await run(runBackup, [path, '--without-media'], app.database, app.config.DATA_DIR);
    expect([made.code, made.error]).toEqual([0, '']);
    const checked = await run(runRestore, [path, '--check'], app.database, app.config.DATA_DIR);
    for (const { out } of [made, checked]) expect(out).toContain(' tables, files of media left out, ');
  });

  test('is refused while DATA_DIR contains click journals of another database', async () => {
    const dataDir = join(folder.path, 'foreign');
    const journal = randomUUID();
    await mkdir(join(journalsFolder(dataDir), journal), { recursive: true });
    await writeFile(join(journalsFolder(dataDir), 'database'), 'another');
    const path = join(folder.path, 'foreign.fairlead');
    const { code, error } = await run(runBackup, [path], app.database, dataDir);
    expect(code).toBe(1);
    expect(error).toContain(`1 journals of another database: ${journal}`);
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is restored elsewhere: keys, links, sign-in, files, and each click once', async () => {
    const database = await emptyDatabase();
    const dataDir = join(folder.path, 'elsewhere');
    const report = join(folder.path, 'report.json');
    const done = await run(runRestore, [file, '--report', report], database, dataDir);
    expect([done.code, done.error]).toEqual([0, '']);
    expect(done.out).toMatch(/Every table was read back and matches/);
    expect(await readdir(dataDir)).toEqual(['clicks', 'media']);
    const { tables } = JSON.parse(await readFile(report, 'utf8'));
    expect(tables.length).toBeGreaterThan(90);
    for (const { backup, restored } of tables) expect(restored).toEqual(backup);
    expect(tables.find(({ name }: { name: string }) => name === 'public.links').backup.rows).toBe(2);

    const elsewhere = await startTestApp({ DATA_DIR: dataDir }, { database, config: { DATA_DIR: dataDir } });
    try {
      await vi.waitFor(
        async () => expect(await getClicks(before.link, elsewhere)).toBe(before.answered),
        30_000,
      );
      expect(await getClicks(meanwhile.link, elsewhere)).toBeLessThanOrEqual(meanwhile.answered);
      expect(await fetch(`${elsewhere.base}/before`, { redirect: 'manual' })).toHaveStatus(302);
      const content = await fetch(`${elsewhere.base}/api/v1/media/${media.id}/content`, {
        headers: { authorization: `Bearer ${home.key}` },
      });
      expect(Buffer.from(await content.arrayBuffer()).equals(media.bytes)).toBe(true);
      const signedIn = await fetch(`${elsewhere.base}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: elsewhere.base },
        body: JSON.stringify({ email: home.owner.email, password: 'correct horse battery' }),
      });
      expect(signedIn).toHaveStatus(200);
    } finally {
      await elsewhere.stop();
    }
  });

  test('is refused where it can not go, and nothing is touched', async () => {
    const database = await emptyDatabase();
    const untouched = join(folder.path, 'untouched');
    const other = 'another secret, 32 characters or longer';
    expect((await run(runRestore, [file], database, untouched, other)).error).toMatch(
      /^FAIRLEAD_SECRET is not the secret of this backup \(its fingerprint is [0-9a-f]{16}\)\. Nothing was changed\.$/,
    );
    const damaged = join(folder.path, 'damaged');
    const bytes = await readFile(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    await writeFile(damaged, bytes);
    expect((await run(runRestore, [damaged], database, untouched)).error).toMatch(
      /^The file is damaged or was changed/,
    );
    expect((await run(runRestore, [file], app.database, untouched)).error).toMatch(
      /not empty: a Fairlead is in use/,
    );
    await expect(stat(untouched)).rejects.toThrow(/ENOENT/);
    expect(
      (await database.pool.query('select from pg_class where relnamespace = $1::regnamespace', ['public']))
        .rowCount,
    ).toBe(0);
    expect((await run(runRestore, [file], database, app.config.DATA_DIR)).error).toMatch(
      /clicks is not empty/,
    );
    const checked = await run(runRestore, [file, '--check'], database, untouched);
    expect([checked.code, checked.error]).toEqual([0, '']);
    expect(checked.out).toMatch(
      /is whole: .*\n.*\nIts secret \([0-9a-f]{16}\) is at hand, and who wrote the file had it\./,
    );
  });
});

describe('contents of media', () => {
  const connection = () => app.database.connection;
  const units = () => createUnits({ db: app.database.db, events: {} as never, jobs: {} as never });

  test('stay while a backup holds them, and go afterwards', async () => {
    const files = mediaStore(app.config);
    const workspaceId = toUuid('workspace', home.workspace)!;
    const { body } = await upload(app, home, { bytes: 'to be deleted' });
    const payload = { workspaceId, sha256: body.sha256 as string };
    const there = async () => (await getFiles(app)).some((path) => path.endsWith(payload.sha256));
    const held = await holdMedia(connection(), { signal: undefined, onWait: () => undefined });
    try {
      expect(await app.call(`/media/${body.id}`, { key: home.key, method: 'DELETE' })).toHaveStatus(204);
      await expect(executeCollect({ units: units(), files }, payload)).rejects.toThrow(/a backup runs/);
      await expect(removeContents(app.database.db, files, workspaceId)).rejects.toThrow(/a backup runs/);
      expect(await there()).toBe(true);
      await held.assertHeld();
    } finally {
      await held.release();
    }
    await vi.waitFor(() => executeCollect({ units: units(), files }, payload));
    expect(await there()).toBe(false);
  });

  test('that are missing are told, and the rest is in the file', async () => {
    const files = mediaStore(app.config);
    const { body } = await upload(app, home, { bytes: 'will be lost' });
    const path = join(
      app.config.DATA_DIR,
      'media',
      toUuid('workspace', home.workspace)!,
      body.sha256.slice(0, 2),
      body.sha256,
    );
    await writeFile(path, 'will be l0st');
    const options = {
      connection: connection(),
      media: files,
      journals: null,
      secrets: { current: TEST_SECRET, further: [] },
    };
    const made = await writeBackup({ ...options, file: join(folder.path, 'damaged-media') });
    expect(made.missing).toEqual([expect.stringContaining(body.sha256)]);
    expect(made.media.files).toBe(1);
    const checked = await run(runRestore, [made.file, '--check'], app.database, app.config.DATA_DIR);
    expect(checked.out).toMatch(/is whole/);
  });
});

test('a backup that is stopped leaves nothing', async () => {
  const stopping = new AbortController();
  const own = await temporaryFolder();
  const writing = writeBackup({
    connection: app.database.connection,
    file: join(own.path, 'file'),
    media: null,
    journals: app.config.DATA_DIR,
    secrets: { current: TEST_SECRET, further: [] },
    signal: stopping.signal,
    report: (progress) => {
      if (progress.kind === 'table' && progress.done === 10) stopping.abort(new Error('stopped by a test'));
    },
  });
  await expect(writing).rejects.toThrow('stopped by a test');
  expect(await readdir(own.path)).toEqual([]);
  await own[Symbol.asyncDispose]();
});
