import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { said } from '../../../test/support/admin.ts';
import { openSecretBox, renewCheck } from '../../platform/crypto/root-secret.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';
import { testServerUrl } from '../../../test/support/db.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';
import { startTestApp, type TestApp } from '../../../test/support/test-app.ts';
import { requestHeadContext } from '../../core/webhooks/inspector-request.service.ts';
import { resealAll } from './reseal.ts';
import { sealedColumns } from './reseal.system-store.ts';
import { runRotateSecret } from './run.ts';
import { SEALED_COLUMNS } from '../../app/surfaces.ts';
import { CHECK_COLUMN } from './run.ts';
import { connectionName } from './serving.ts';
import {
  everythingOpened,
  type Filled,
  fillPlaces,
  NEW,
  OLD,
  SETTINGS,
  tablesWithKey,
} from '../../../test/support/secret-rotation.ts';

const old = createSecretBox(OLD, [NEW]);
const anew = createSecretBox(NEW);
const turning = createSecretBox(NEW, [OLD]);
let app: TestApp;
let home: Filled;
const lines: string[] = [];

beforeAll(async () => {
  app = await startTestApp(SETTINGS);
  home = await fillPlaces(app);
});
afterAll(() => app.stop());
beforeEach(() => {
  lines.length = 0;
});

const reseal = (box = turning) =>
  resealAll({ db: app.database.db, box, columns: SEALED_COLUMNS, report: (line) => void lines.push(line) });
const read = (path: string) => app.call(path, { key: home.key });

describe('the registry', () => {
  test('lists every column that the schema names as sealed', async () => {
    const named = SEALED_COLUMNS.flatMap(({ table, values }) =>
      values.filter(({ member }) => !member).map(({ column }) => `${table}.${column}`),
    );
    expect([...named, CHECK_COLUMN].sort()).toEqual(await sealedColumns(app.database.db));
  });

  test('lists every table that contains a sealed value in any column', async () => {
    expect(await tablesWithKey(app.database.db, old.keyIds[0])).toEqual(
      SEALED_COLUMNS.map(({ table }) => table).sort(),
    );
  });
});

test('every value opens with only the new secret, unchanged, and none is left under the old one', async () => {
  const { db } = app.database;
  const before = await everythingOpened(db, old);
  expect([...new Set([...before.keys()].map((name) => name.split(' ')[0]))].sort()).toEqual(
    SEALED_COLUMNS.flatMap(({ table, values }) => values.map(({ column }) => `${table}.${column}`)).sort(),
  );
  expect(await reseal()).toEqual({ values: before.size, unopened: 0, examples: [] });
  expect(await everythingOpened(db, anew)).toEqual(before);
  expect(await tablesWithKey(db, old.keyIds[0])).toEqual([]);
  expect(lines).toContain('webhooks: 3 values re-encrypted.');

  // The running server can read them.
  const requests = await read(`/inspectors/${home.inspector}/requests`);
  expect(await read(`/inspectors/${home.inspector}/requests/${requests.body.data[0].id}`)).toHaveStatus(200);

  // A second run finds nothing to do; the reverse rotation restores everything.
  expect(await reseal()).toMatchObject({ values: 0 });
  expect(await reseal(old)).toMatchObject({ values: before.size });
  expect(await everythingOpened(db, createSecretBox(OLD))).toEqual(before);
});

test('keeps concurrent writes of a server: a locked row is skipped until it is released', async () => {
  await reseal(old);
  const inspector = toUuid('inspector', home.inspector)!;
  const context = `${toUuid('workspace', home.workspace)}|inspectors|${inspector}`;
  const client = await app.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('update inspectors set token_sealed = $1 where id = $2', [
      old.seal('written meanwhile', context),
      inspector,
    ]);
    const resealing = reseal();
    // Everything else is done; only this row is still waited for.
    await vi.waitFor(async () =>
      expect(await tablesWithKey(app.database.db, old.keyIds[0])).toEqual(['inspectors']),
    );
    await client.query('commit');
    await resealing;
  } finally {
    client.release();
  }
  const { rows } = await sql<{ token_sealed: string }>`
    select token_sealed from inspectors where id = ${inspector}
  `.execute(app.database.db);
  expect(anew.open(rows[0]!.token_sealed, context)).toBe('written meanwhile');
});

test('reseals thousands of rows in batches; values that no secret opens are left and reported', async () => {
  await reseal(old);
  const { pool, db } = app.database;
  const workspaceId = toUuid('workspace', home.workspace)!;
  const ids = Array.from({ length: 1_050 }, () => crypto.randomUUID());
  await pool.query(
    `insert into inspector_requests (workspace_id, inspector_id, number, id, source, method, path, head_sealed, body,
       size, kept_bytes, signature, answer_status, answer_delay_ms, created_at)
     select $1, $2, 1000 + at, id, 'http', 'POST', '', sealed, '', 0, 0, 'absent', 200, 0, now()
     from unnest($3::uuid[], $4::text[]) with ordinality t (id, sealed, at)`,
    [
      workspaceId,
      toUuid('inspector', home.inspector),
      ids,
      ids.map((id) => old.seal(id, requestHeadContext(workspaceId, id))),
    ],
  );
  const stranger = createSecretBox('a secret that nobody here knows about');
  await pool.query('update inspector_requests set head_sealed = $1 where id = any ($2)', [
    stranger.seal('x', 'y'),
    ids.slice(0, 12),
  ]);
  // Sealed for another row: it can't be opened in this row.
  await pool.query('update inspector_requests set head_sealed = $1 where id = $2', [
    old.seal('x', requestHeadContext(workspaceId, ids[0]!)),
    ids[12],
  ]);
  const done = await reseal();
  expect(done.unopened).toBe(13);
  expect(done.values).toBeGreaterThanOrEqual(1_050 - 13);
  expect(done.examples).toHaveLength(10);
  expect(done.examples[0]).toMatchObject({
    table: 'inspector_requests',
    column: 'head_sealed',
    row: { number: '1001' },
  });
  expect(await tablesWithKey(db, stranger.keyIds[0])).toEqual(['inspector_requests']);

  await pool.query('delete from inspector_requests where id = any ($1)', [ids]);
  expect(await reseal()).toMatchObject({ values: 0, unopened: 0 });
});

test('the check value is replaced last and then accepts only the new secret', async () => {
  const { db } = app.database;
  const given = (secret: string, also?: string) => ({
    ...app.config,
    FAIRLEAD_SECRET: secret,
    FAIRLEAD_SECRET_ALSO: also ?? null,
  });
  await openSecretBox(given(OLD), db);
  await reseal();
  await expect(openSecretBox(given(NEW), db)).rejects.toThrow(/FAIRLEAD_SECRET is not the secret/);
  await renewCheck(db, turning);
  expect((await openSecretBox(given(NEW), db)).keyIds).toEqual(anew.keyIds);
  await expect(openSecretBox(given(OLD), db)).rejects.toThrow(/FAIRLEAD_SECRET is not the secret/);
});

describe('the command', () => {
  const address = () => testServerUrl(app.database.name);
  const command = (...args: string[]) =>
    said((terminal) =>
      runRotateSecret(
        args,
        SEALED_COLUMNS,
        { DATABASE_URL: address(), FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: OLD },
        terminal,
      ),
    );

  test('--check exits with 1 while any value is sealed with the secret to be removed', async () => {
    const { size } = await everythingOpened(app.database.db, turning);
    await reseal(old);
    const before = await command('--check');
    expect([before.code, before.error]).toEqual([1, '']);
    expect(before.out).toMatch(
      new RegExp(
        `^${size} values encrypted with the other accepted secret \\(fingerprint [0-9a-f]{16}\\)$`,
        'm',
      ),
    );
    expect((await command()).code).toBe(0);
    const after = await command('--check');
    expect(after.code).toBe(0);
    expect(after.out).toContain('0 values encrypted with the other accepted secret');
  });

  test('reports a server that starts with the previous secret during resealing', async () => {
    await reseal(old);
    const holder = await app.database.pool.connect();
    const server = new pg.Client({ connectionString: address(), application_name: connectionName(old) });
    try {
      await holder.query('begin');
      await holder.query('select from inspectors for update');
      const running = command();
      await vi.waitFor(async () =>
        expect(await tablesWithKey(app.database.db, old.keyIds[0])).toEqual(['inspectors']),
      );
      await server.connect();
      await holder.query('commit');
      expect(await running).toMatchObject({
        code: 1,
        error: expect.stringMatching(
          /^Servers at .* still encrypt with a secret other .* and run this command again\.$/,
        ),
      });
    } finally {
      holder.release();
      await server.end();
    }
    await vi.waitFor(async () => expect((await command()).code).toBe(0));
  });
});
