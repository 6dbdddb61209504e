/**
 * A disk that is nearly full, through HTTP, by what the file system is made to answer: every operation is either refused
 * or one of those that free or stop something; reads, redirects and what was accepted go on; with room everything does.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { isWrite, type OperationSpec } from '../../src/core/api/operation.ts';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';
import { getCookie } from '../support/account.ts';
import { fakeDisk, GIB } from '../support/fake-disk.ts';

const disk = fakeDisk();

/** Each is looked at by a person before it joins: it frees or stops something, or keeps nothing. */
const GO_ON = [
  'api_keys.revoke',
  'api_keys.rotate',
  'channels.check',
  'chat.completions',
  'chats.typing',
  'contacts.block',
  'embeddings.create',
  'groups.leave',
  'groups.revoke_invite',
  'instances.clear_queue',
  'instances.disconnect',
  'instances.logout',
  'invitations.lookup',
  'invitations.revoke',
  'messages.cancel',
  'model_providers.check',
  'publications.cancel',
  'publishing_endpoints.rotate',
  'publishing_endpoints.test',
  'publishing_endpoints.test_draft',
  'responses.create',
  'rules.test',
  'rules.test_definition',
  'webhooks.preview',
  'webhooks.rotate_secret',
];
/** What of a body lets it go on. */
const BY_BODY: Record<string, object> = {
  'links.update': { archived: true },
  'publishing_endpoints.update': { enabled: false },
  'rules.update': { enabled: false },
  'webhooks.update': { enabled: false },
  'workspaces.update': { media_retention_days: 30, message_retention_days: 30 },
};

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let there: Record<
  'key' | 'readKey' | 'link' | 'followed' | 'webhook' | 'inspector' | 'instance' | 'message',
  // oxlint-disable-next-line typescript/no-explicit-any -- answers as they come
  any
>;
beforeAll(async () => {
  app = await startTestApp({}, undefined, false, disk.read);
  home = await startWorkspace(app);
  const instance = await madeIn('/instances', { name: 'Held', channel: 'sandbox' });
  await asOwner(`/instances/${instance.id}/connect`, {});
  there = {
    instance,
    key: await madeIn('/api-keys', { name: 'leaked', preset: 'full' }),
    readKey: await madeIn('/api-keys', { name: 'reader', preset: 'read_only' }),
    link: await madeIn('/links', { url: 'https://example.com/old' }),
    followed: await madeIn('/links', { url: 'https://example.com/there' }),
    webhook: await madeIn('/webhooks', { url: 'https://example.com/hook', events: ['link.*'] }),
    inspector: await madeIn('/inspectors', { name: 'x' }),
    message: (
      await asOwner('/messages', {
        instance_id: instance.id,
        to: 'alice',
        type: 'text',
        text: { body: 'say it back' },
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      })
    ).body,
  };
  await setFree(4);
});
afterAll(() => app.stop());

/** Until the server has seen it. */
async function setFree(gib: number): Promise<void> {
  disk.freeGiB = gib;
  const wanted = gib < 6 ? 'full' : 'ok';
  await vi.waitFor(async () => expect((await status()).storage).toBe(wanted), 10_000);
}
const status = async () => (await home.owner.call('/server-status')).body;
const asOwner = (path: string, body?: unknown, method?: string) =>
  home.owner.call(path, { workspace: home.workspace, body, method });
const madeIn = async (path: string, body: object) => {
  const answer = await asOwner(path, body);
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  return answer.body;
};
const outcome = ({ status: code, body }: { status: number; body: { code?: string } }) => [code, body.code];
const answers = async (): Promise<unknown[]> =>
  (await asOwner(`/messages?instance_id=${there.instance.id}&direction=inbound`)).body.data;
const ready = async () => {
  const answer = await fetch(`${app.base}/readyz`);
  return [answer.status, ((await answer.json()) as { checks: { storage: string } }).checks.storage];
};
const metric = async (name: string) =>
  new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(
    await (await fetch(`${app.base}/metrics`)).text(),
  )?.[1];
const FULL = [507, 'storage_full'];
const getPath = ({ path }: OperationSpec): string => path.replace(/\{\w+\*?\}/g, 'none');

/** Some hundred calls. */
const PATIENT = { timeout: 240_000 };

test('every write is refused, or one of those that go on; the document says which', PATIENT, async () => {
  const writes = app.app.operations.map(({ spec }) => spec).filter(isWrite);
  const document = (await (await fetch(`${app.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: object }>>;
  };
  const went: string[] = [];
  for (const spec of writes) {
    const call = (body: unknown) =>
      asOwner(getPath(spec), spec.method === 'DELETE' ? undefined : body, spec.method);
    const answer = await call({});
    const isRefused = answer.status === 507;
    if (!isRefused && spec.method !== 'DELETE') went.push(spec.id);
    if (spec.method === 'DELETE') expect(isRefused, spec.id).toBe(false);
    if (isRefused) {
      expect(answer.body, spec.id).toMatchObject({ code: 'storage_full', status: 507 });
      expect(answer.headers.get('retry-after')).toBe('60');
      expect(JSON.stringify(answer.body)).not.toContain(app.config.DATA_DIR);
    }
    const { responses } = document.paths[`/api/v1${spec.path}`]![spec.method.toLowerCase()]!;
    if (isRefused) expect(Object.keys(responses), spec.id).toContain('507');
    const stopping = BY_BODY[spec.id];
    if (stopping) {
      expect(isRefused, spec.id).toBe(true);
      expect((await call(stopping)).status, spec.id).not.toBe(507);
      expect((await call({ ...stopping, name: 'another' })).status, spec.id).toBe(507);
      const [first] = Object.keys(stopping);
      expect((await call({ [first!]: null })).status, spec.id).toBe(507);
    }
  }
  expect(went.toSorted()).toEqual(GO_ON);
});

describe('while it is full', () => {
  test('what was accepted is sent, and what comes back waits at the channel', async () => {
    const { id } = there.message;
    await app.database.pool.query('update scheduled_messages set due_at = now() where message_id = $1', [
      toUuid('message', id),
    ]);
    await vi.waitFor(
      async () => expect((await asOwner(`/messages/${id}`)).body.status).toMatch(/^(sent|delivered|read)$/),
      20_000,
    );
    // The answer has been due for a while.
    await vi.waitFor(async () => {
      const { rowCount } = await app.database.pool.query(
        "select 1 from sandbox_inbox where signals like '%say it back%' and due_at < now() - interval '300 ms'",
      );
      expect(rowCount).toBe(1);
    }, 20_000);
    expect((await answers()).length).toBe(0);
  });

  test('who is not known, or may not, is told that first', async () => {
    expect(await app.call('/links', { body: {}, key: 'fl_nobody' })).toHaveStatus(401);
    expect(outcome(await app.call('/links', { body: {}, key: there.readKey.secret }))).toEqual([
      403,
      'insufficient_scope',
    ]);
    expect(await app.call('/links', { key: there.readKey.secret })).toHaveStatus(200);
  });

  test('no body is waited for', async () => {
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest(`${app.base}/api/v1/media`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${home.key}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': 50_000_000,
        },
      });
      sent.on('error', reject).on('response', ({ statusCode }) => {
        resolve(statusCode);
        sent.destroy();
      });
      sent.write('--x\r\n');
    });
    expect(answered).toBe(507);
  });

  test('what frees or stops something works on real things', async () => {
    const { key, link, webhook } = there;
    expect(await asOwner(`/api-keys/${key.id}/revoke`, {})).toHaveStatus(200);
    expect(await app.call('/me', { key: key.secret })).toHaveStatus(401);
    const enable = (enabled: boolean) => asOwner(`/webhooks/${webhook.id}`, { enabled }, 'PATCH');
    expect((await enable(false)).body.enabled).toBe(false);
    expect(outcome(await enable(true))).toEqual(FULL);
    expect((await asOwner(`/links/${link.id}`, { archived: true }, 'PATCH')).body.state).toBe('archived');
    expect(await asOwner(`/links/${link.id}`, undefined, 'DELETE')).toHaveStatus(204);
    const shorter = await asOwner(`/workspaces/${home.workspace}`, { media_retention_days: 7 }, 'PATCH');
    expect([shorter.status, shorter.body.media_retention_days]).toEqual([200, 7]);
  });

  test('sign-in and sign-out go on, sign-up does not', async () => {
    const auth = (path: string, body: object, cookie?: string) =>
      fetch(`${app.base}/api/auth${path}`, {
        method: 'POST',
        headers: { origin: app.base, 'content-type': 'application/json', ...(cookie ? { cookie } : {}) },
        body: JSON.stringify(body),
      });
    const person = { email: home.owner.email, password: 'correct horse battery' };
    const signedIn = await auth('/sign-in/email', person);
    expect(signedIn).toHaveStatus(200);
    const cookie = getCookie(signedIn.headers);
    expect(await auth('/update-user', { name: 'Else' }, cookie)).toHaveStatus(507);
    expect(await auth('/sign-out', {}, cookie)).toHaveStatus(200);
    const refused = await auth('/sign-up/email', { ...person, email: 'new@example.com', name: 'New' });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual(FULL);
  });

  test('open doors are shut, whatever they lead to; short links lead on, and their clicks are counted', async () => {
    const { followed, inspector } = there;
    const inspected = app.base + new URL(inspector.url).pathname;
    for (const address of [`${app.base}/in/nobody`, inspected]) {
      const answer = await fetch(address, { method: 'POST', body: '{}' });
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual(FULL);
    }
    const visited = await fetch(app.base + new URL(followed.short_url).pathname, { redirect: 'manual' });
    expect([visited.status, visited.headers.get('location')]).toEqual([302, 'https://example.com/there']);
    await vi.waitFor(
      async () => expect((await asOwner(`/links/${followed.id}`)).body.clicks).toBe(1),
      10_000,
    );
  });

  test('it shows: in readiness, which stays ready, in metrics, in the log, and to whoever asks', async () => {
    expect(await ready()).toEqual([200, 'degraded']);
    expect(await metric('fairlead_writes_refused')).toBe('1');
    expect(Number(await metric('fairlead_disk_free_bytes'))).toBe(4 * GIB);
    expect(Number(await metric('fairlead_disk_size_bytes'))).toBe(100 * GIB);
    expect(Number(await metric('fairlead_disk_reserved_bytes'))).toBe(5 * GIB);
    expect(await status()).toEqual({
      object: 'server_status',
      storage: 'full',
      detail: "The disk of this server's data is nearly full.",
      since: expect.stringMatching(/Z$/),
      locates_clicks: true,
      locates_cities: false,
    });
    const told = app.logged.filter((line) => line.includes('storage: disk nearly full'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(app.config.DATA_DIR);
  });
});

test('once there is room everything goes on by itself; of what was refused nothing was kept', async () => {
  const counts = async () =>
    (
      await app.database.pool.query(
        'select (select count(*) from links) as links, (select count(*) from idempotency_keys) as keys, (select count(*) from audit_log) as audit',
      )
    ).rows[0];
  const send = () =>
    app.call('/links', {
      key: home.key,
      body: { url: 'https://example.com/' },
      headers: { 'idempotency-key': 'the same' },
    });
  const before = await counts();
  expect(outcome(await send())).toEqual(FULL);
  expect(await counts()).toEqual(before);
  await setFree(50);
  expect(await send()).toHaveStatus(201);
  expect([await ready(), await metric('fairlead_writes_refused')]).toEqual([[200, 'ok'], '0']);
  expect(await status()).toMatchObject({ storage: 'ok', detail: null, since: null });
  await vi.waitFor(async () => expect((await answers()).length).toBe(1), 15_000);
});

test('a database that is full itself is told as that, not as a fault', async () => {
  const { pool } = app.database;
  await pool.query(`
    create function pretend_full() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100'; end $$`);
  await pool.query(
    'create trigger full_disk before insert on links for each row execute function pretend_full()',
  );
  try {
    const answer = await asOwner('/links', { url: 'https://example.com/' });
    expect(outcome(answer)).toEqual(FULL);
    expect(JSON.stringify(answer.body)).not.toContain('base/1/2');
    expect(answer.headers.get('retry-after')).toBe('60');
  } finally {
    await pool.query('drop function pretend_full() cascade');
  }
  expect(await asOwner('/links', { url: 'https://example.com/' })).toHaveStatus(201);
});
