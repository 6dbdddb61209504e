/** The upgrade that ends sessions which inspectors may have recorded, and cleans what they recorded. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { generateSecret } from '../../platform/crypto/api-key-secret.ts';
import { createSecretBox } from '../../platform/crypto/secret-box.ts';
import { replaceCalledUrl } from '../../surfaces/automation/rules/rule.store.ts';
import { knownMigrations, migrate, migrateTo } from '../../platform/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from '../../../test/support/test-app.ts';
import { cleanRecordedRequests } from './inspector-cleanup.ts';
import { subscriptionHash } from './webhook-input.ts';
import { openRecordedHead, sealHead } from './inspector-request.service.ts';

const MIGRATION = '0026_recorded_credentials';
const secrets = createSecretBox(TEST_SECRET);

describe('the migration', () => {
  let database: TestDatabase;
  afterEach(() => database.drop());

  async function upgraded(prepare: string): Promise<unknown[]> {
    database = await createTestDatabase('template0');
    const known = await knownMigrations();
    await migrateTo(database.db, known.slice(0, known.indexOf(MIGRATION)));
    await database.pool.query(prepare);
    await migrate(database.db);
    return (await database.pool.query('select sessions_ended, enqueued_at from inspector_cleanup')).rows;
  }
  const PERSON = `insert into users (id, name, email) values (gen_random_uuid(), 'Ada', 'ada@example.com');`;
  const SESSIONS = `insert into sessions (id, user_id, token_hash, expires_at)
    select gen_random_uuid(), u.id, n::text, now() + (n - 1) * interval '1 day' from users u, generate_series(1, 4) n;`;

  test('ends all sessions, and raises the epoch, so that running nodes notice', async () => {
    const rows = await upgraded(`${PERSON}${SESSIONS} update auth_epoch set epoch = 100;`);
    expect(rows).toEqual([{ sessions_ended: 3, enqueued_at: null }]);
    expect((await database.pool.query('select from sessions where expires_at > now()')).rowCount).toBe(0);
    expect((await database.pool.query('select epoch from auth_epoch')).rows).toEqual([{ epoch: 101 }]);
    expect((await database.pool.query('select from users')).rowCount).toBe(1);
  });

  test('asks for no cleanup where nothing can have been recorded', async () => {
    expect(await upgraded(PERSON)).toEqual([]);
  });
});

describe('the cleanup', () => {
  let app: TestApp;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  let victim: Awaited<ReturnType<typeof startWorkspace>>;
  beforeEach(async () => {
    app = await startTestApp();
    home = await startWorkspace(app);
    victim = await startWorkspace(app);
  });
  afterEach(() => app.stop());

  const query = async (text: string, values: unknown[] = []) =>
    (await app.database.pool.query(text, values)).rows;
  const workspaceId = () => toUuid('workspace', home.workspace)!;

  async function makeInspector(): Promise<{ id: string; at: string }> {
    const { body } = await app.call('/inspectors', { key: home.key, body: {} });
    return { id: body.id, at: app.base + new URL(body.url).pathname };
  }

  /** A request at an inspector with what an earlier release recorded of it. */
  async function record(at: string, headers: [string, string][], path = ''): Promise<string> {
    await fetch(at, { method: 'POST', body: 'body' });
    const [row] = await query(
      'select id from inspector_requests order by created_at desc, number desc limit 1',
    );
    const sealed = sealHead(secrets, workspaceId(), row.id, { query: null, headers });
    await query(
      'update inspector_requests set head_sealed = $2, path = $3, kept_bytes = 4 + length($2) where id = $1',
      [row.id, sealed, path],
    );
    return row.id;
  }
  async function stored(id: string) {
    const [row] = await query('select path, head_sealed, kept_bytes from inspector_requests where id = $1', [
      id,
    ]);
    return { ...row, ...openRecordedHead(secrets, workspaceId(), id, row.head_sealed) };
  }
  const clean = (last = false, signal?: AbortSignal) =>
    cleanRecordedRequests(
      {
        db: app.database.db,
        secrets,
        baseUrl: app.config.baseUrl,
        replaceCalledUrl,
        log: {
          info: (details, message) => void logged.push({ ...details, message }),
          warn: (details, message) => void logged.push({ ...details, message }),
        },
      },
      { last },
      signal,
    );
  let logged: object[];
  beforeEach(async () => {
    logged = [];
    await query('insert into inspector_cleanup (sessions_ended, enqueued_at) values (7, now())');
  });

  test('removes what was recorded, says how much and which keys to rotate, and shows no secret', async () => {
    const { id, at } = await makeInspector();
    const clean1 = await record(at, [['x-test', '1']]);
    const stolen = await record(
      at,
      [
        ['Cookie', victim.owner.cookie],
        ['Authorization', `Bearer ${victim.key}`],
        ['X-Other', generateSecret()],
        ['x-test', '2'],
      ],
      `/${victim.key}`,
    );
    const before = await stored(clean1);
    // What the API shows is clean before the cleanup, too.
    const shown = await app.call(`/inspectors/${id}/requests?limit=1`, { key: home.key });
    const whole = await app.call(`/inspectors/${id}/requests/${shown.body.data[0].id}`, { key: home.key });
    expect(JSON.stringify(whole.body.headers)).not.toContain(victim.key);
    expect(whole.body.headers.map(({ name }: { name: string }) => name)).not.toContain('Cookie');

    await clean();
    expect(await stored(clean1)).toEqual(before);
    const after = await stored(stolen);
    expect(after).toMatchObject({
      path: '/fl_[removed]',
      headers: [
        ['Authorization', 'Bearer fl_[removed]'],
        ['X-Other', 'fl_[removed]'],
        ['x-test', '2'],
      ],
    });
    expect(after.kept_bytes).toBe(4 + after.head_sealed.length);
    expect(logged).toEqual([
      {
        api_key: victim.keyId,
        workspace: victim.workspace,
        inspector: id,
        inspector_workspace: home.workspace,
        message: 'an inspector had recorded an API key; rotate the key',
      },
      {
        sessions_ended: 7,
        requests_cleaned: 1,
        addresses_hidden: 0,
        message: 'the upgrade ended all sessions, and removed credentials that inspectors had recorded',
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain(victim.key.slice(3, 20));
  });

  test('goes through all inspectors, starts again after it was stopped, and ends with its last pass', async () => {
    const { rowCount } = await app.database.pool.query(
      `insert into inspector_requests (workspace_id, inspector_id, number, id, source, method, path, head_sealed, body,
         size, kept_bytes, signature, answer_status, answer_delay_ms, created_at)
       select $1, gen_random_uuid(), 1, gen_random_uuid(), 'http', 'GET', '', '', '', 0, 0, 'absent', 200, 0, now()
       from generate_series(1, 450)`,
      [workspaceId()],
    );
    expect(rowCount).toBe(450);
    const ids: string[] = (await query('select id from inspector_requests')).map(({ id }) => id);
    const sealed = ids.map((id) =>
      sealHead(secrets, workspaceId(), id, { query: null, headers: [['cookie', victim.owner.cookie]] }),
    );
    await query(
      `update inspector_requests r set head_sealed = g.head
       from unnest($1::uuid[], $2::text[]) g (id, head) where r.id = g.id`,
      [ids, sealed],
    );
    let looks = 0;
    const stopsAfterOneBatch = {
      throwIfAborted() {
        if (looks++ === 1) throw new Error('the server stops');
      },
    } as AbortSignal;
    await expect(clean(false, stopsAfterOneBatch)).rejects.toThrow('the server stops');
    expect(logged).toEqual([]);
    const heads = new Set(sealed);
    const isRewritten = ({ head_sealed }: { head_sealed: string }) => !heads.has(head_sealed);
    expect((await query('select head_sealed from inspector_requests')).filter(isRewritten)).toHaveLength(200);
    await clean();
    expect(logged).toMatchObject([{ requests_cleaned: 250 }]);
    for (const id of ids) expect((await stored(id)).headers).toEqual([]);

    // A node of the earlier release goes on until it is replaced.
    const { at } = await makeInspector();
    const late = await record(at, [['cookie', victim.owner.cookie]]);
    await clean(true);
    expect((await stored(late)).headers).toEqual([]);
    expect(logged.at(-1)).toMatchObject({ requests_cleaned: 1 });
    await clean(true);
    expect(logged).toHaveLength(2);
  });

  test('replaces addresses of inspectors that webhooks and rules hold by those with their IDs', async () => {
    const { body: inspector } = await app.call('/inspectors', { key: home.key, body: {} });
    const make = async (path: string, body: object) => (await app.call(path, { key: home.key, body })).body;
    const subscribed = { url: inspector.url, events: ['link.created'] };
    const webhook = await make('/webhooks', subscribed);
    const rule = await make('/rules', {
      name: `Calls ${inspector.url}`,
      events: ['link.created'],
      actions: [
        { type: 'call_webhook', name: 'one', url: inspector.url },
        { type: 'ask_model', name: 'two', model: 'fairlead/echo', prompt: `${inspector.url}/x` },
      ],
    });
    // As an earlier release stored them.
    const hash = subscriptionHash(inspector.url, ['link.created'], {
      instance_id: null,
      link_id: null,
      tag: null,
    });
    await query('update webhooks set url = $1, subscription_hash = $2', [inspector.url, hash]);
    await query('update rules set actions = replace(actions::text, $1, $2)::jsonb', [
      `/inspect/${inspector.id}"`,
      `${new URL(inspector.url).pathname}"`,
    ]);
    const read = async (path: string) => (await app.call(path, { key: home.key })).body;
    expect((await read(`/webhooks/${webhook.id}`)).url).toBe(inspector.url);
    expect((await read(`/rules/${rule.id}`)).actions[0].url).toBe(inspector.url);

    await clean();
    const { secret: _secret, ...shown } = webhook;
    expect(await read(`/webhooks/${webhook.id}`)).toEqual(shown);
    expect(await read(`/rules/${rule.id}`)).toMatchObject({ name: rule.name, actions: rule.actions });
    expect(logged).toMatchObject([{ addresses_hidden: 2 }]);
    expect(await app.call('/webhooks', { key: home.key, body: subscribed })).toHaveStatus(200);
  });

  test('leaves a request that no secret opens as it is', async () => {
    const { at } = await makeInspector();
    const foreign = await record(at, [['cookie', victim.owner.cookie]]);
    const other = createSecretBox('another secret that is long enough too');
    const sealed = sealHead(other, workspaceId(), foreign, { query: null, headers: [] });
    await query('update inspector_requests set head_sealed = $1', [sealed]);
    await clean();
    expect(await query('select head_sealed from inspector_requests')).toEqual([{ head_sealed: sealed }]);
    expect(logged).toMatchObject([{ requests_cleaned: 0 }]);
  });

  test('is enqueued once, by the first start after the upgrade', async () => {
    await query('update inspector_cleanup set enqueued_at = null');
    const { at } = await makeInspector();
    const stolen = await record(at, [['cookie', victim.owner.cookie]]);
    const [first, second] = [await startTestApp({}, app), await startTestApp({}, app)];
    await vi.waitFor(async () => expect((await stored(stolen)).headers).toEqual([]), 30_000);
    const jobs = await query(
      `select data, start_after > now() + interval '23 hours' as later from pgboss.job where name = 'inspectors.clean' order by 2`,
    );
    expect(jobs).toEqual([
      { data: { last: false }, later: false },
      { data: { last: true }, later: true },
    ]);
    await vi.waitFor(() =>
      expect([...app.logged, ...first.logged, ...second.logged].join('')).toContain(
        'the upgrade ended all sessions',
      ),
    );
    await first.stop();
    await second.stop();
  });
});
