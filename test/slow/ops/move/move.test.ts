import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { said } from '../../../support/admin.ts';
import { openCopyClient } from '../../../../src/platform/db/copy/client.ts';
import {
  assertNotMoved,
  freeze,
  readFreezeRecord,
  movingTo,
} from '../../../../src/platform/db/copy/freeze.ts';
import { getOutline } from '../../../../src/platform/db/copy/outline.ts';
import { prepareTarget } from '../../../../src/platform/db/copy/target.ts';
import { openDatabase, openPool } from '../../../../src/platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/db.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../support/test-app.ts';
import { move, undoMove } from '../../../../src/ops/move/move.ts';
import { moveMedia } from '../../../../src/ops/move/move-media.ts';
import { runMoveCommand } from '../../../../src/ops/move/run.ts';

const PATIENT = { timeout: 240_000 };
const NEW = 'db.example.com:5432/fairlead';
const opened: TestDatabase[] = [];

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase('template0');
  opened.push(database);
  return database;
}

afterAll(async () => {
  for (const database of opened) await database.drop();
});

const count = async (database: TestDatabase, table: string): Promise<number> =>
  (await database.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;

describe('move', () => {
  let app: TestApp;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  let target: TestDatabase;

  beforeAll(async () => {
    app = await startTestApp();
    home = await startWorkspace(app);
    target = await emptyDatabase();
  });
  afterAll(() => app.stop());

  const write = (slug: string) =>
    app.call('/links', { key: home.key, body: { url: 'https://example.com/', slug } });
  const options = () => ({
    source: app.database.connection,
    target: target.connection,
    targetName: NEW,
  });

  test('a copy that fails leaves the source as it was, and the target empty', async () => {
    const onFrozen = (): never => {
      throw new Error('the operator stopped it');
    };
    await expect(move({ ...options(), onFrozen })).rejects.toThrow(/the operator stopped it/);
    await vi.waitFor(async () => expect(await write('before')).toHaveStatus(201), PATIENT);
    expect(await count(target, 'users')).toBe(0);
  });

  test('a target that refuses amid a long table leaves the source open, and itself empty', async () => {
    await app.database.pool.query(
      `insert into events (id, workspace_id, sequence, type, data, created_at)
       select gen_random_uuid(), (select id from workspaces limit 1), 1e6 + n, 'ping',
         jsonb_build_object('long', repeat(md5(n::text), 60)), now() from generate_series(1, 8000) n`,
    );
    const refusing = await emptyDatabase();
    const outlined = await openCopyClient(app.database.connection);
    await prepareTarget(refusing.connection, await getOutline(outlined));
    await outlined.end();
    await refusing.pool.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
       create trigger refuse before insert on events for each row execute function refuse()`,
    );
    const refused = move({ ...options(), target: refusing.connection });
    await expect(refused).rejects.toThrow(/public\.events could not be filled: no room/);
    await vi.waitFor(async () => expect(await write('open-again')).toHaveStatus(201), PATIENT);
    expect(await count(refusing, 'users')).toBe(0);
  });

  test('says which database it can not reach', async () => {
    const missing = { ...app.database.connection, database: 'made_by_nobody' };
    await expect(move({ ...options(), target: missing })).rejects.toThrow(
      /new database \(db\.example\.com.*does not exist.*Nothing was changed/,
    );
  });

  test('refuses its own database, and one that is in use', async () => {
    await expect(move({ ...options(), target: app.database.connection })).rejects.toThrow(/already uses/);
    const foreign = await emptyDatabase();
    await foreign.pool.query('create table theirs (n int)');
    await expect(move({ ...options(), target: foreign.connection })).rejects.toThrow(/not empty/);
    expect(await write('still-open')).toHaveStatus(201);
  });

  test('what was answered is in the new database, whatever was written until then', async () => {
    const accepted: string[] = [];
    const deleted: string[] = [];
    const refused = new Set<string>();
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; writing; n++) {
        const { status, body } = await write(`w${writer}-${n}`);
        if (status !== 201) refused.add(`${status} ${body.code}`);
        else if (n % 4 !== 3) accepted.push(body.slug);
        else {
          const gone = await app.call(`/links/${body.id}`, { key: home.key, method: 'DELETE' });
          if (gone.status === 204) deleted.push(body.slug);
        }
      }
    });
    await vi.waitFor(() => expect(deleted.length).toBeGreaterThan(3), PATIENT);
    const [passes, atFreeze] = [[] as number[], { accepted: 0 }];
    const { tables, frozenMs } = await move({
      ...options(),
      thoroughly: true,
      onPass: (changed) => passes.push(changed),
      onFrozen: () => (atFreeze.accepted = accepted.length),
    });
    await vi.waitFor(() => expect(refused).toContain('503 read_only'), PATIENT);
    writing = false;
    await Promise.all(writers);
    // Links were made while the first pass read.
    expect(passes.length).toBeGreaterThan(1);
    expect(passes[1]).toBeGreaterThan(0);
    expect(atFreeze.accepted).toBeGreaterThan(10);

    expect(frozenMs).toBeGreaterThan(0);
    expect([...refused].sort()).toEqual(expect.arrayContaining(['503 read_only']));
    for (const reason of refused) expect(['503 read_only', '503 unavailable']).toContain(reason);
    const { rows } = await target.pool.query('select slug from links');
    const moved = new Set(rows.map(({ slug }) => slug));
    expect(accepted.filter((slug) => !moved.has(slug))).toEqual([]);
    expect(deleted.filter((slug) => moved.has(slug))).toEqual([]);
    expect(tables.get('public.links')!.rows).toBe(moved.size);
    expect(await count(app.database, 'links')).toBe(moved.size);
  });

  test('afterwards the old database is read, not written, and no server starts on it', async () => {
    expect(await app.call('/me', { key: home.key })).toHaveStatus(200);
    expect(await app.call('/links', { key: home.key })).toHaveStatus(200);
    const answer = await write('too-late');
    expect(answer.body).toMatchObject({ status: 503, code: 'read_only' });
    expect(answer.headers.get('retry-after')).toBe('5');
    const ready = await fetch(`${app.base}/readyz`);
    expect(ready).toHaveStatus(200);
    expect(await ready.json()).toMatchObject({ status: 'degraded', checks: { database: 'degraded' } });
    await expect(assertNotMoved(app.database.db)).rejects.toThrow(`was moved to ${NEW}`);
    await expect(move(options())).rejects.toThrow(/already/);
  });

  test('the new one serves the same key', async () => {
    await assertNotMoved(target.db);
    const there = await startTestApp({}, { ...app, database: target });
    try {
      expect((await there.call('/me', { key: home.key })).body.workspace.id).toBe(home.workspace);
      const made = await there.call('/links', {
        key: home.key,
        body: { url: 'https://example.com/', slug: 'after' },
      });
      expect(made).toHaveStatus(201);
    } finally {
      await there.stop();
    }
  });

  test('--undo lets the old one be written again', async () => {
    expect(await undoMove(app.database.connection)).toBe(NEW);
    await vi.waitFor(async () => expect(await write('back')).toHaveStatus(201), PATIENT);
    await assertNotMoved(app.database.db);
    expect(await undoMove(app.database.connection)).toBeNull();
  });

  test('a stop amid the copy opens the source again', async () => {
    const stopping = new AbortController();
    const report = (): void => stopping.abort(new Error('Stopped.'));
    const empty = await emptyDatabase();
    const { signal } = stopping;
    await expect(move({ ...options(), target: empty.connection, report, signal })).rejects.toThrow(
      'Stopped.',
    );
    await vi.waitFor(async () => expect(await write('after-stop')).toHaveStatus(201), PATIENT);
    expect(await count(empty, 'users')).toBe(0);
  });

  test('a move that died between its copy and its mark is completed, unless the new one was used since', async () => {
    const died = await emptyDatabase();
    const again = { ...options(), target: died.connection };
    await move(again);
    const client = await openCopyClient(app.database.connection);
    await client.query('set default_transaction_read_only = off');
    const { rows } = await client.query(`select format('comment on database %I is %L', current_database(),
      '{"fairlead":"moving","to":"x","at":"2026-01-15T08:00:00Z"}') as text`);
    await client.query(rows[0].text);
    await died.pool.query(`update workspaces set name = 'used'`);
    await expect(move(again)).rejects.toThrow(/in use there/);
    expect((await readFreezeRecord(client))?.fairlead).toBe('moving');
    const before = await client.query('select name from workspaces');
    await died.pool.query('update workspaces set name = $1', [before.rows[0].name]);
    const { tables } = await move(again);
    expect(tables.get('public.users')!.rows).toBe(await count(died, 'users'));
    expect((await readFreezeRecord(client))?.fairlead).toBe('moved');
    await client.end();
    await undoMove(app.database.connection);
  });

  test('a move that died in the midst is told at the start, and can be begun again', async () => {
    const client = await openCopyClient(app.database.connection);
    await freeze(client, movingTo(NEW, new Date()));
    await client.end();
    const pool = openPool({ ...app.database.connection, max: 1 }, () => undefined);
    await expect(assertNotMoved(openDatabase(pool))).rejects.toThrow(/has not ended/);
    await pool.end();
    const again = await emptyDatabase();
    await move({ ...options(), target: again.connection });
    const check = await openCopyClient(app.database.connection);
    expect((await readFreezeRecord(check))?.fairlead).toBe('moved');
    await check.end();
    expect(await count(again, 'links')).toBe(await count(app.database, 'links'));
  });
});

describe('fairlead move', () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    said((terminal) => runMoveCommand(args, env, terminal));

  test('says how it is used', async () => {
    expect(await run([])).toMatchObject({ code: 1, out: expect.stringContaining('Usage:') });
    expect(await run(['--help'])).toMatchObject({ code: 0 });
    expect((await run(['--undo', '--media'])).code).toBe(1);
    expect((await run(['--nonsense'])).error).toMatch(/Unknown option/);
  });

  test('refuses what is no address, and repeats no password', async () => {
    expect((await run(['mysql://root:hunter2@host/db'])).error).toMatch(/postgres:\/\/user@host/);
    expect((await run(['postgres://host'])).error).toMatch(/postgres:\/\/user@host/);
    await using folder = await temporaryFolder();
    const { code, error } = await run(['postgres://user:hunter2@127.0.0.1:1/db'], {
      DATA_DIR: folder.path,
    });
    expect(code).toBe(1);
    expect(error).toMatch(/There is no database in/);
    expect(error).not.toContain('hunter2');
  });

  test('--media needs S3_URL', async () => {
    expect((await run(['--media'])).error).toMatch(/S3_URL is not set/);
  });
});

describe('files of media', () => {
  test('are sent once, under their names; damaged ones are told and stay', async () => {
    await using folder = await temporaryFolder();
    const workspace = randomUUID();
    const place = async (bytes: Buffer, name = createHash('sha256').update(bytes).digest('hex')) => {
      const path = join(folder.path, workspace, name.slice(0, 2), name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
      return `${workspace}/${name.slice(0, 2)}/${name}`;
    };
    const keys = await Promise.all([1, 1000, 300_000].map((size) => place(randomBytes(size))));
    const damaged = await place(Buffer.from('not what its name says'), 'ab'.repeat(32));
    const stored = new Map<string, Buffer>();
    const client = {
      getSize: async (key: string) => stored.get(key)?.length ?? null,
      async put(key: string, { open }: { open: () => AsyncIterable<Buffer> | Buffer }) {
        const pieces: Buffer[] = [];
        for await (const piece of open() as AsyncIterable<Buffer>) pieces.push(piece);
        stored.set(key, Buffer.concat(pieces));
      },
    };
    expect(await moveMedia(folder.path, client as never)).toMatchObject({
      sent: 3,
      there: 0,
      bytes: 301_001,
      damaged: [damaged],
    });
    expect([...stored.keys()].sort()).toEqual(keys.sort());
    for (const [key, bytes] of stored)
      expect(key.endsWith(createHash('sha256').update(bytes).digest('hex'))).toBe(true);
    expect(await moveMedia(folder.path, client as never)).toMatchObject({ sent: 0, there: 3 });
  });
});
