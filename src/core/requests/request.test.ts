import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { type Answer, startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../test/support/workspaces.ts';
import { toUuid } from '../vocabulary/ids.ts';

type Home = Awaited<ReturnType<typeof startWorkspace>>;

let app: TestApp;
let home: Home;
let reader: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app, { scopes: ['links:read', 'links:write', 'usage:read'] });
  reader = await makeKey(home, { scopes: ['audit:read'] });
});
afterAll(() => app.stop());

const getId = (answer: Answer): string => answer.headers.get('fairlead-request-id')!;

/** Waits until the log has a request, and returns it. */
async function logged(id: string, key = reader) {
  return vi.waitFor(async () => {
    const { status, body } = await app.call(`/requests/${id}`, { key });
    expect(status).toBe(200);
    return body;
  }, PATIENCE);
}
const list = async (query: string, key = reader): Promise<{ id: string; operation: string }[]> =>
  (await app.call(`/requests?limit=100&${query}`, { key })).body.data;
const ids = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);

describe('the request log', () => {
  test('records who called which operation from where, and what came of it', async () => {
    const answer = await app.call('/links?limit=1', { key: home.key });
    expect(await logged(getId(answer))).toEqual({
      id: getId(answer),
      object: 'request',
      method: 'GET',
      operation: 'links.list',
      route: '/links',
      status: 200,
      error_code: null,
      actor: { type: 'api_key', id: expect.stringMatching(/^key_/), name: expect.any(String) },
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      duration_ms: expect.any(Number),
      created_at: expect.any(String),
    });
  });

  test('records a failure under the code and the ID of its response, with the pattern of its path', async () => {
    const answer = await app.call('/links/lnk_secretlooking', { key: home.key });
    expect(await logged(answer.body.request_id)).toMatchObject({
      operation: 'links.get',
      route: '/links/{id}',
      status: 404,
      error_code: 'not_found',
    });
  });

  test('records calls that the key may not make, and those of people', async () => {
    const refused = await app.call('/members', { key: home.key });
    expect(await logged(getId(refused))).toMatchObject({
      operation: 'members.list',
      status: 403,
      error_code: 'insufficient_scope',
    });
    const byPerson = await home.owner.call('/links', { workspace: home.workspace });
    expect((await logged(getId(byPerson))).actor).toMatchObject({ type: 'user', id: home.owner.userId });
  });

  test('records once who left before the end, with the status that was sent, or 499', async () => {
    const key = await makeKey(home, { scopes: ['events:read', 'links:write'] });
    const leave = new AbortController();
    const send = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${app.base}/api/v1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        signal: leave.signal,
      });
    const stream = await send('/events/stream');
    const endless = new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) });
    const unsent = send('/links', { method: 'POST', body: endless, duplex: 'half' });
    // Answered after the other one has arrived.
    await app.call('/links', { key });
    leave.abort();
    await expect(unsent).rejects.toThrow('aborted');
    const id = stream.headers.get('fairlead-request-id')!;
    const { actor } = await logged(id);
    await vi.waitFor(async () => {
      const { body } = await app.call(`/requests?api_key_id=${actor.id}`, { key: reader });
      const all = body.data.map((one: Record<string, unknown>) => [one['operation'], one['status']]);
      expect(all.toSorted()).toEqual([
        ['events.stream', 200],
        ['links.create', 499],
        ['links.list', 403],
      ]);
    }, PATIENCE);
  });

  test('leaves out what people read of the log and of its counts', async () => {
    const own = await Promise.all(
      ['/requests', '/usage/requests', '/usage/activity'].map((path) =>
        home.owner.call(path, { workspace: home.workspace }),
      ),
    );
    const later = await home.owner.call('/links', { workspace: home.workspace });
    await logged(getId(later));
    const all = await ids(`user_id=${home.owner.userId}`);
    for (const answer of own) expect(all).not.toContain(getId(answer));
  });

  test('filters by each property, alone and together', async () => {
    const other = await makeKey(home, { scopes: ['links:read', 'links:write'] });
    const before = new Date(Date.now() - 1).toISOString();
    const good = await app.call('/links', { key: other });
    const missing = await app.call('/links/lnk_none', { key: other });
    const wrong = await app.call('/links', { key: other, body: { url: 'nonsense' } });
    const byPerson = await home.owner.call('/me', { workspace: home.workspace });
    // IDs of the same millisecond are in no order.
    const newestFirst = (...answers: Answer[]) => answers.map(getId).toSorted().toReversed();
    const all = newestFirst(wrong, missing, good);
    await logged(getId(byPerson));
    await logged(getId(wrong));
    const { actor, address } = await logged(getId(good));
    const mine = `api_key_id=${actor.id}`;
    const own = async (query: string): Promise<string[]> =>
      (await ids(`${mine}&${query}`)).filter((id) => all.includes(id));
    expect(await own('')).toEqual(all);
    expect(await own('status=404')).toEqual([getId(missing)]);
    expect(await own('status=4xx')).toEqual(newestFirst(wrong, missing));
    expect(await own('status=2xx')).toEqual([getId(good)]);
    expect(await own('status=5xx')).toEqual([]);
    expect(await own('errors=true')).toEqual(newestFirst(wrong, missing));
    expect(await own('errors=false')).toEqual([getId(good)]);
    expect(await own('method=POST')).toEqual([getId(wrong)]);
    expect(await own('operation=links.get')).toEqual([getId(missing)]);
    expect(await own('error_code=not_found')).toEqual([getId(missing)]);
    expect(await own(`address=${encodeURIComponent(address)}`)).toEqual(all);
    expect(await own('address=203.0.113.9')).toEqual([]);
    expect(await own(`created_after=${before}`)).toEqual(all);
    expect(await own(`created_before=${before}`)).toEqual([]);
    expect(await own('errors=true&method=GET&operation=links.get')).toEqual([getId(missing)]);
    // Without the key, each walks its own index.
    const isAmong = async (query: string, answer: Answer): Promise<boolean> =>
      (await ids(query)).includes(getId(answer));
    expect(await isAmong('errors=true', wrong)).toBe(true);
    expect(await isAmong('errors=true', good)).toBe(false);
    expect(await isAmong('error_code=not_found', missing)).toBe(true);
    expect(await isAmong('operation=links.list', good)).toBe(true);
    expect(await isAmong(`address=${encodeURIComponent(address)}`, good)).toBe(true);
    expect(await isAmong(`user_id=${home.owner.userId}`, byPerson)).toBe(true);
    expect(await isAmong(`user_id=${home.owner.userId}`, good)).toBe(false);
    for (const [type, some, none] of [
      ['user', byPerson, good],
      ['api_key', good, byPerson],
    ] as const) {
      expect(await isAmong(`actor_type=${type}`, some)).toBe(true);
      expect(await isAmong(`actor_type=${type}`, none)).toBe(false);
    }
    expect(await isAmong('status=400', wrong)).toBe(wrong.status === 400);
  });

  test('goes page by page, newest first', async () => {
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await app.call('/links', { key: home.key }));
    await logged(getId(answers.at(-1)!));
    const query = `operation=links.list&created_before=${new Date().toISOString()}`;
    const whole = await ids(query);
    expect(whole).toEqual(whole.toSorted().toReversed());
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await app.call(`/requests?limit=2&${query}${cursor}`, { key: reader });
      paged.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(whole);
  });

  test('belongs to one workspace', async () => {
    const answer = await app.call('/links', { key: home.key });
    await logged(getId(answer));
    const other = await startWorkspace(app, { scopes: ['audit:read'] });
    expect(outcome(await app.call(`/requests/${getId(answer)}`, { key: other.key }))).toEqual([
      404,
      'not_found',
    ]);
    expect((await list('', other.key)).map(({ operation }) => operation)).not.toContain('links.list');
    expect(outcome(await app.call('/requests', { key: home.key }))).toEqual([403, 'insufficient_scope']);
  });

  test('holds no body, query string or credential', async () => {
    const marks = ['body-mark-7c1', 'query-mark-7c1', 'path-mark-7c1'];
    const answer = await app.call(`/links/${marks[2]}?cursor=${marks[1]}`, {
      key: home.key,
      method: 'PATCH',
      body: { title: marks[0] },
    });
    await logged(getId(answer));
    const { rows } = await app.database.pool.query('select r::text as row from api_requests r');
    const text = rows.map(({ row }) => row).join('\n');
    for (const secret of [...marks, home.key, reader]) expect(text).not.toContain(secret);
    expect(text).toContain(toUuid('request', getId(answer))!);
  });

  test('rejects what is no filter', async () => {
    expect(await app.call('/requests?status=9xx', { key: reader })).toHaveStatus(400);
    expect(await app.call('/requests?api_key_id=lnk_1', { key: reader })).toHaveStatus(400);
    expect(outcome(await app.call('/requests?cursor=nonsense', { key: reader }))).toEqual([
      400,
      'invalid_cursor',
    ]);
    expect(await app.call('/requests/req_none', { key: reader })).toHaveStatus(404);
  });
});
