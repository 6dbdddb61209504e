/** Tests features derived from a declaration with sample operations: deprecation, idempotency around failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { KeyActor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { readConfig } from '../../platform/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/db.ts';
import { createUnits, type Unit, type ReadUnit } from '../unit/unit-of-work.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { openApiDocument } from './openapi.ts';
import { operation } from './operation.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { RateLimiter } from './rate-limit.ts';
import { registerOperations } from './register.ts';
import { Strict } from '../../platform/http/schema.ts';
import { createServer } from '../../platform/http/server.ts';

let database: TestDatabase;
let base: string;
let app: ReturnType<typeof createServer>;
/** Callback of the next calls of `notes.create`, after their write. */
let then: (unit: Unit) => unknown = () => undefined;
let fresh = true;
let calls = 0;
/** Callback of `notes.create` before its transaction. */
let before: (unit: ReadUnit) => Promise<void> = async () => {};

const workspaceId = newUuid();
const actor = {
  kind: 'api_key',
  id: 'key_a',
  keyId: newUuid(),
  workspaceId,
  scopes: new Set(['links:write', 'links:read']),
  rateLimit: null,
} as unknown as KeyActor;

const Note = Type.Object({
  id: Type.String({ description: 'Id.', examples: ['1'] }),
  secret: Type.Union([Type.String(), Type.Null()], { description: 'Shown once.', examples: ['s'] }),
});

const operations = [
  operation(
    {
      id: 'notes.create',
      method: 'POST',
      path: '/notes',
      tag: 'Account',
      summary: 'Write a note',
      access: 'links:write',
      body: Strict({ text: Type.String({ description: 'Text.', examples: ['x'] }) }),
      success: { status: 201, description: 'The note.', schema: Note },
      secrets: ['secret'],
    },
    ({ unit }) => before(unit),
    async ({ body, unit }) => {
      const id = String(++calls);
      await unit.db
        .insertInto('jobs')
        .values({ workspace_id: workspaceId, id: unit.newUuid(), type: body.text })
        .execute();
      await then(unit);
      return { body: { id, secret: `secret ${id}` }, version: 1, headers: { location: `/notes/${id}` } };
    },
  ),
  operation(
    {
      id: 'notes.get',
      method: 'GET',
      path: '/notes/{id}',
      tag: 'Account',
      summary: 'Read a note',
      access: 'links:read',
      params: Strict({ id: Type.String({ description: 'Any.', examples: ['x'] }) }),
      success: { status: 200, description: 'The note.', schema: Type.Any() },
    },
    ({ params, traceparent }) => ({ body: { id: params.id, traceparent } }),
  ),
  operation(
    {
      id: 'notes.old',
      method: 'GET',
      path: '/old-notes',
      tag: 'Account',
      summary: 'Read notes as it was done once',
      access: 'links:read',
      success: { status: 200, description: 'Notes.', schema: Type.Object({}) },
      deprecated: { since: '2026-01-01T00:00:00Z', sunset: '2027-03-01T00:00:00Z' },
    },
    () => ({ body: {} }),
  ),
];

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const guard: Guard = {
    authenticate({ authorization }) {
      if (authorization === undefined) throw new Problem('invalid_key', 'No key.');
      return authorization === 'narrow' ? { ...actor, scopes: new Set() } : { ...actor, id: authorization };
    },
    isFresh: () => fresh,
    renew: async () => {
      throw new Problem('key_revoked', 'Revoked.');
    },
  };
  const limiter = {
    take: () => true,
    takeAll: () => true,
    headers: () => ({}),
    stop: async () => undefined,
  } as RateLimiter;
  const jobs = { enqueue: async () => undefined };
  const events = {
    write: async () => undefined,
    insertion: async () => null,
    writeAll: async () => undefined,
  };
  const config = readConfig({ PORT: '0' });
  app = createServer(config, pino({ level: 'silent' }));
  registerOperations(app, operations, {
    config,
    db,
    units: createUnits({ db, events, jobs, epochRaised: () => undefined }),
    guard,
    limiter,
    cors: { apply: () => true, preflight: async () => undefined },
    recordAudit: async () => undefined,
    idempotencyKeys: [Buffer.alloc(32, 1)],
    onCall: () => undefined,
    getPerson: async (id) => id,
    storage: { assertDiskSpace: () => undefined },
  });
  base = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

interface CallOptions {
  key?: string;
  body?: object;
  as?: string;
  method?: string;
  headers?: Record<string, string>;
}

async function call(path: string, options: CallOptions = {}) {
  const { key, body, as = 'key_a', method, headers } = options;
  const response = await fetch(`${base}/api/v1${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      ...(as ? { authorization: as } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
}

const write = (key: string, text = key, as = 'key_a') => call('/notes', { key, body: { text }, as });
const written = async (text: string): Promise<number> =>
  (await database.pool.query('select 1 from jobs where type = $1', [text])).rowCount!;
const stored = async (key: string): Promise<number> =>
  (await database.pool.query('select 1 from idempotency_keys where key = $1', [key])).rowCount!;

describe('a deprecated operation', () => {
  const DEPRECATION = ['@1767225600', 'Mon, 01 Mar 2027 00:00:00 GMT'];
  test.each([
    ['well', {}, 200],
    ['without a key', { as: '' }, 401],
    ['without the scope', { as: 'narrow' }, 403],
    ['with a parameter too many', { path: '/old-notes?x=1' }, 400],
  ])(
    'says so when it is called %s',
    async (_how, { path = '/old-notes', ...options }: { path?: string; as?: string }, status) => {
      const answer = await call(path, options);
      expect(answer.status).toBe(status);
      expect([answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual(DEPRECATION);
    },
  );

  test('says so in the document, and no other does', async () => {
    const { paths } = openApiDocument(operations, 'http://localhost') as {
      paths: Record<string, Record<string, { deprecated?: boolean }>>;
    };
    expect(paths['/api/v1/old-notes']?.get?.deprecated).toBe(true);
    expect(paths['/api/v1/notes']?.post?.deprecated).toBeUndefined();
    expect((await write('not deprecated')).headers.get('deprecation')).toBeNull();
  });
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';

test.each([
  [`00-${TRACE}-b7ad6b7169203331-01`, true],
  [`01-${TRACE}-b7ad6b7169203331-00`, true],
  [`ff-${TRACE}-b7ad6b7169203331-01`, false],
  [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`, false],
  [`00-${TRACE}-b7ad6b7169203331`, false],
  ['nonsense', false],
])('traceparent %s is carried on: %s', async (traceparent, valid) => {
  const { body } = await call('/notes/x', { headers: { traceparent } });
  expect(body.traceparent).toBe(valid ? traceparent : null);
});

test('what the database could not look for is not there', async () => {
  for (const path of ['/notes/%00', '/notes/a%00b'])
    expect((await call(path)).body.code, path).toBe('not_found');
  expect((await call('/notes/%F0%9F%92%A5')).body.id).toBe('💥');
});

describe('with an Idempotency-Key', () => {
  test('the first answer comes again, but its secret; nothing is done twice', async () => {
    const first = await write('replay');
    const second = await write('replay');
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(second.body).toEqual({ ...first.body, secret: null });
    for (const name of ['location', 'etag', 'content-type', 'cache-control'])
      expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)]);
    expect(await written('replay')).toBe(1);
  });

  test('a body in another order is the same request; another body is not', async () => {
    await write('order', 'a');
    const other = await write('order', 'b');
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await written('b')).toBe(0);
  });

  test.each([500, 502, 503, 429, 403, 401])(
    'a %s is not stored, and its effect is undone',
    async (status) => {
      const codes = {
        500: 'internal_error',
        502: 'model_provider_error',
        503: 'unavailable',
        429: 'rate_limited',
        403: 'escalation',
        401: 'key_revoked',
      } as const;
      then = () => {
        throw new Problem(codes[status as 500], 'Not now.');
      };
      const key = `fails ${status}`;
      expect((await write(key)).status).toBe(status);
      expect([await written(key), await stored(key)]).toEqual([0, 0]);
      then = () => undefined;
      const again = await write(key);
      expect([again.status, again.headers.get('idempotency-replayed'), await written(key)]).toEqual([
        201,
        null,
        1,
      ]);
    },
  );

  test.each(['conflict', 'unprocessable', 'not_found'] as const)(
    'a %s is stored, without its effect',
    async (code) => {
      then = () => {
        throw new Problem(code, 'No.', { errors: [{ pointer: '/text', code: 'no', detail: 'no' }] });
      };
      const first = await write(code);
      then = () => undefined;
      const again = await write(code);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      const { request_id: _a, ...one } = first.body;
      const { request_id: _b, ...two } = again.body;
      expect(two).toEqual(one);
      expect(await written(code)).toBe(0);
    },
  );

  test('what broke in the middle left nothing, neither effect nor answer', async () => {
    then = (unit) =>
      unit.db.insertInto('jobs').values({ workspace_id: 'no uuid', id: 'x', type: 'x' }).execute();
    expect(await write('breaks')).toHaveStatus(500);
    then = () => undefined;
    expect([await written('breaks'), await stored('breaks')]).toEqual([0, 0]);
  });

  test('a caller whose right ended before the commit gets nothing done, and nothing stored', async () => {
    fresh = false;
    const answer = await write('too late');
    fresh = true;
    expect([answer.status, answer.body.code]).toEqual([401, 'key_revoked']);
    expect([await written('too late'), await stored('too late')]).toEqual([0, 0]);
  });

  test('a second one beside the first is told to wait', async () => {
    let go = (): void => undefined;
    then = () => new Promise<void>((resolve) => (go = resolve));
    const first = write('beside');
    await expect.poll(() => calls).toBeGreaterThan(0);
    await sleep(50);
    const second = await write('beside');
    expect([second.status, second.body.code, second.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_in_progress',
      '1',
    ]);
    then = () => undefined;
    expect(await write('beside', 'beside', 'key_b')).toHaveStatus(201);
    go();
    expect(await first).toHaveStatus(201);
    expect((await write('beside')).headers.get('idempotency-replayed')).toBe('true');
  });

  test('another caller with the same key makes a request of its own', async () => {
    const mine = await write('shared', 'shared', 'key_a');
    const theirs = await write('shared', 'shared', 'key_b');
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  test('who may not call any more is not shown the answer again', async () => {
    await write('was allowed', 'x', 'narrow-before');
    const { status, body } = await write('was allowed', 'x', 'narrow');
    expect([status, body.code]).toEqual([403, 'insufficient_scope']);
  });

  test('the answer is forgotten after a day', async () => {
    const first = await write('old');
    await database.pool.query(
      "update idempotency_keys set created_at = now() - interval '24 hours 1 second' where key = 'old'",
    );
    const later = await write('old');
    expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect(later.body.id).not.toBe(first.body.id);
    expect((await write('old')).headers.get('idempotency-replayed')).toBe('true');
  });

  test.each(['', ' '.repeat(3), 'a'.repeat(256), 'é', 'a\u00a0b'])('%j is no key', async (key) => {
    const answer = await write(key, 'bad key');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.errors[0].pointer).toBe('Idempotency-Key');
    expect(await written('bad key')).toBe(0);
  });

  test.each(['a', 'a'.repeat(255), '5f1c2a3e-7b7a-4f0e-9f0e-1c2a3e5f7b7a', 'a b!~'])(
    '%j is one',
    async (key) => {
      expect(await write(key, 'good key')).toHaveStatus(201);
      expect((await write(key, 'good key')).headers.get('idempotency-replayed')).toBe('true');
    },
  );
});

describe('what is prepared before the transaction', () => {
  const refusing = async () => {
    throw new Problem('unprocessable', 'Not there.', {
      errors: [{ pointer: '/text', code: 'no', detail: 'no' }],
    });
  };
  afterEach(() => {
    before = async () => {};
  });

  test('is outside any transaction', async () => {
    let found: unknown;
    before = async ({ db }) => {
      found = db.isTransaction;
    };
    expect(await write('prepared')).toHaveStatus(201);
    expect(found).toBe(false);
  });

  test('refuses, and the refusal is stored; nothing is done', async () => {
    before = refusing;
    expect([(await write('unprepared')).status, await written('unprepared')]).toEqual([422, 0]);
    before = async () => {};
    const again = await write('unprepared');
    expect([again.status, again.body.errors]).toEqual([
      422,
      [{ pointer: '/text', code: 'no', detail: 'no' }],
    ]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await call('/notes', { body: { text: 'unprepared' } })).toHaveStatus(201);
  });

  test('does not stand before an answer that is stored', async () => {
    const first = await write('prepared once');
    before = refusing;
    const second = await write('prepared once');
    expect([second.status, second.body.id]).toEqual([201, first.body.id]);
    expect((await write('prepared once', 'another body')).body.code).toBe('idempotency_mismatch');
  });

  test('a fault of it is answered as any other, and not stored', async () => {
    before = async () => {
      throw new Error('broken');
    };
    const { status, body } = await write('broken');
    expect([status, body.code, await stored('broken')]).toEqual([500, 'internal_error', 0]);
  });
});
