/** Reading what is known already, changing what was read, and sending a request twice; for every operation. */
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { validFor } from '../support/arbitraries.ts';
import { type ApiOperation, type Json, takesAnything } from '../support/api-document.ts';
import { startContractWorld } from '../support/contract-world.ts';
import { callAsOwner } from '../support/makers.ts';
import type { Sent } from '../support/send.ts';
import { type Rows, rowsAtRest, tenantRows } from '../support/tenant-rows.ts';

const world = await startContractWorld();
afterAll(() => world.app.stop());
const { app, document, call, goodCall, home } = world;
const named = (is: (operation: ApiOperation) => boolean) =>
  document.operations.filter(is).map((operation) => [operation.id, operation] as const);
const takes = (header: string) => (operation: ApiOperation) =>
  operation.parameters.some((one) => one.in === 'header' && one.name === header);

/**
 * What a call has set going and is not over: long work, jobs that are due now or soon, publications that are due or not
 * noted yet, and events that others follow once they are sequenced. Fetching a file that never comes goes on for longer than
 * a test may; tenantRows leaves out what that notes.
 */
const GOING = `
  select 'job ' || type as what from jobs
    where workspace_id = $1 and type like '%.import' and state in ('queued', 'running')
  union all select name from pgboss.job
    where data ->> 'workspaceId' = $1::text and state < 'completed' and start_after < now() + interval '15 s'
      and name <> 'media.fetch'
  union all select 'publication' from publication_queue where workspace_id = $1 and due_at < now() + interval '15 s'
  union all select 'word of a publication' from publication_news where workspace_id = $1
  union all select type from outbox where workspace_id = $1`;
const workspaceUuid = toUuid('workspace', home.workspace)!;
const getRows = await tenantRows(app.database.pool, workspaceUuid);

/** Rows once that is over: on a busy machine much begins long after all seemed to rest. */
async function restingRows(): Promise<Rows> {
  await vi.waitFor(
    async () => expect((await app.database.pool.query(GOING, [workspaceUuid])).rows).toEqual([]),
    { timeout: 120_000, interval: 50 },
  );
  return rowsAtRest(getRows);
}

/** Rows without those that only remember requests. */
async function effects(): Promise<Rows> {
  const { idempotency_keys: _, ...rows } = await restingRows();
  return rows;
}

/** Asserts that calls change no rows. What else comes in between does not come each time, but an effect of theirs does. */
async function expectNoEffect(read: () => Promise<Rows>, act: () => Promise<void>): Promise<void> {
  for (let tries = 3; ; tries--) {
    const before = await read();
    await act();
    const after = await read();
    if (tries > 1 && !isDeepStrictEqual(after, before)) continue;
    expect(after).toEqual(before);
    return;
  }
}

describe.each(named(takes('If-None-Match')))('%s', (_id, operation) => {
  test('is not sent again to who has it', async () => {
    const good = await goodCall(operation);
    const first = await call(good);
    const { etag } = first.headers;
    expect(etag, 'a read of one object has an ETag').toMatch(/^"[\w-]+"$/);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    for (const known of [etag!, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await call(good, { headers: { 'if-none-match': known } });
      expect([known, status, text, headers.etag]).toEqual([known, 304, '', etag]);
      expect(headers['fairlead-request-id']).toMatch(/^req_/);
    }
    for (const other of ['"other"', etag!.slice(1, -1), '', ','])
      expect((await call(good, { headers: { 'if-none-match': other } })).status, other).toBe(200);
  });
});

/** What changes it is a job, which has tests of its own. */
const BY_JOB = ['groups.update'];

describe.each(
  named(({ id, method, path }) => method === 'PATCH' && path.includes('{') && !BY_JOB.includes(id)),
)('%s', (_id, operation) => {
  const getRead = (path: string): Sent => ({ path, headers: { authorization: `Bearer ${world.key}` } });

  test('changes what the caller has read, and nothing else', async () => {
    const good = await goodCall(operation);
    const read = await call(getRead(good.path));
    await expectNoEffect(effects, async () => {
      const etag = read.headers.etag!;
      for (const other of ['"999"', 'W/"999"', `W/${etag}`, '"x"', etag.slice(1, -1), '"1" x', '""']) {
        const refused = await call(good, { headers: { 'if-match': other } });
        expect([other, refused.status, refused.body.code]).toEqual([other, 412, 'precondition_failed']);
      }
    });
    const changed = await call(good, { headers: { 'if-match': read.headers.etag! } });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.headers.etag).not.toBe(read.headers.etag);
    expect(changed.headers['cache-control']).toBe('no-store');
    expect(changed.body.updated_at >= read.body.updated_at).toBe(true);
    expect((await call(getRead(good.path))).headers.etag).toBe(changed.headers.etag);
    expect(await call(good, { headers: { 'if-match': read.headers.etag! } })).toHaveStatus(412);
    expect(await call(good, { headers: { 'if-match': '*' } })).toHaveStatus(200);
  });

  test('what it leaves out stays, and an empty change changes nothing', async () => {
    const good = await goodCall(operation);
    const { body: before } = await call(getRead(good.path));
    const changed = await call(good);
    const given = Object.keys(JSON.parse(good.body!.toString()));
    const same = (object: Json) =>
      Object.fromEntries(
        Object.entries(object).filter(
          ([name]) =>
            ![...given, 'updated_at', 'revision', 'preset', 'last_used_at', 'remaining'].includes(name),
        ),
      );
    expect(same(changed.body)).toEqual(same(before));
    const required = operation.body!.schema.required ?? [];
    const empty = await call(good, { body: '{}' });
    expect(empty.status).toBe(required.length ? 400 : 200);
  });
});

/** Where the object is read, for operations that answer its ETag at another address than the one that they are called at. */
const ownRead = (path: string): Sent => ({
  path: path.split('?', 1)[0]!,
  headers: { authorization: `Bearer ${world.key}` },
});

describe.each(named((one) => one.method === 'DELETE' && takes('If-Match')(one)))('%s', (_id, operation) => {
  test('deletes only what the caller has read', async () => {
    const good = await goodCall(operation);
    await expectNoEffect(effects, async () => {
      for (const other of ['"999"', 'W/"999"', '"x"', '3', '""']) {
        const refused = await call(good, { headers: { 'if-match': other } });
        expect([other, refused.status, refused.body.code]).toEqual([other, 412, 'precondition_failed']);
      }
    });
    // A workspace that is to be deleted is read by its owner: the key belongs to another one.
    const read = await call({ ...ownRead(good.path), headers: good.headers });
    expect(read.headers.etag, read.text).toMatch(/^"\d/);
    const deleted = await call(good, { headers: { 'if-match': `"999", ${read.headers.etag}` } });
    expect(operation.successes, deleted.text).toContain(deleted.status);
  });
});

test('every object that can be deleted or changed takes If-Match', () => {
  const single = document.operations.filter(
    ({ method, path }) => ['PATCH', 'PUT', 'DELETE'].includes(method) && path.endsWith('/{id}'),
  );
  expect(single.filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(10);
  expect(single.filter((one) => !takes('If-Match')(one)).map(({ id }) => id)).toEqual([]);
});

test('a write that compares no ETag refuses If-Match rather than ignore it', async () => {
  const others = document.operations.filter((one) => one.method !== 'GET' && !takes('If-Match')(one));
  for (const operation of others) {
    const { status, body } = await call(await goodCall(operation), { headers: { 'if-match': '"3"' } });
    expect([operation.id, status, body.code]).toEqual([operation.id, 412, 'precondition_failed']);
  }
});

describe.each(named(takes('Idempotency-Key')))('%s', (_id, operation) => {
  let keys = 0;
  const once = (): string => `${operation.id} ${++keys}`;

  test('is done once, however often it is sent', async () => {
    const good = await goodCall(operation);
    const headers = { 'idempotency-key': once() };
    const first = await call(good, { headers });
    expect(operation.successes, first.text).toContain(first.status);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    const repeat = () => call(good, { headers });
    await expectNoEffect(restingRows, async () => {
      const { status, headers: answered } = await repeat();
      expect([status, answered['idempotency-replayed']]).toEqual([first.status, 'true']);
    });
    const second = await repeat();
    expect(document.getErrors(operation, second.status, second.body)).toEqual([]);
    const secrets = shownOnce(operation);
    // Of several an object may have no more than one.
    const shown = secrets.filter((name) => first.body[name] !== null);
    expect(shown.length > 0).toBe(secrets.length > 0);
    for (const name of shown) expect([name, typeof first.body[name]]).toEqual([name, 'string']);
    const again = Object.fromEntries(secrets.map((name) => [name, null]));
    expect(second.body).toEqual(first.text ? { ...first.body, ...again } : '');
    const kept = await app.database.pool.query('select body::text from idempotency_keys where key = $1', [
      headers['idempotency-key'],
    ]);
    for (const name of shown) expect(kept.rows[0].body).not.toContain(first.body[name]);
    expect(kept.rows[0].body ?? '').not.toMatch(/fl_[0-9A-Za-z]{36}|whsec_|\/invite\/[\w-]{20}/);
  });

  test('with another body is another request', async () => {
    const good = await goodCall(operation);
    const headers = { 'idempotency-key': once() };
    await call(good, { headers });
    const other = otherBody(operation, good);
    if (other === null) return;
    const answer = await call(good, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: other,
    });
    expect([answer.status, answer.body.code], other).toEqual([422, 'idempotency_mismatch']);
  });

  test('of one caller is not that of another', async () => {
    const good = await goodCall(operation);
    const headers = { 'idempotency-key': once() };
    const first = await call(good, { headers });
    const made = await callAsOwner(home, '/api-keys', {
      name: 'second',
      scopes: ALL_SCOPES,
      rate_limit: null,
    });
    const theirs = await call(good, {
      headers: { ...headers, cookie: '', authorization: `Bearer ${made.secret}` },
    });
    expect(theirs.headers['idempotency-replayed']).toBeUndefined();
    if (theirs.body.id && first.body.secret) expect(theirs.body.secret).not.toBe(first.body.secret);
  });

  test.each(['', 'a'.repeat(256)])('takes no key of length %#', async (key) => {
    const answer = await call(await goodCall(operation), { headers: { 'idempotency-key': key } });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });
});

/** Names of the answer's members that the document says are shown once. */
function shownOnce({ document: { description } }: ApiOperation): string[] {
  const line = description.split('\n').find((one: string) => /shown once/i.test(one)) ?? '';
  return [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
}

test('some secrets are shown once', () => {
  expect(document.operations.flatMap(shownOnce)).toEqual(expect.arrayContaining(['secret', 'url']));
});

/** A body that the operation takes too, but not the same; null where there is none. */
function otherBody(operation: ApiOperation, good: Sent): string | null {
  if (!operation.body) return null;
  const given = good.body?.toString();
  if (takesAnything(operation)) return JSON.stringify({ ...JSON.parse(given ?? '{}'), other: true });
  const candidates = fc.sample(validFor(operation.body.schema, document.resolve), { numRuns: 20, seed: 1 });
  const required: string[] = operation.body.schema.required ?? [];
  // Only those members that every request has, so that none contradicts another.
  const trimmed = candidates.map((one) =>
    JSON.stringify({
      ...JSON.parse(given ?? '{}'),
      ...Object.fromEntries(
        Object.entries(one as object).filter(
          ([name]) => required.includes(name) || name === 'overlap_seconds',
        ),
      ),
    }),
  );
  // What no database keeps is refused before anything else.
  return trimmed.find((text) => text !== given && !/\\u(?:0000|d[89a-f])/i.test(text)) ?? null;
}

describe.each(
  named((one) => one.method === 'POST' && !takes('Idempotency-Key')(one) && one.access !== 'public'),
)('%s', (_id, operation) => {
  test('refuses an Idempotency-Key rather than ignore it', async () => {
    const answer = await call(await goodCall(operation), { headers: { 'idempotency-key': 'a' } });
    expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_not_supported']);
  });
});
