/**
 * Every documented operation × every caller who must be refused, or who may see only what is theirs; made from
 * /openapi.json, so that an operation added later is covered by itself. Beside it each operation is called once as it
 * should be, on real objects: a refusal proves nothing about an operation that never works.
 */
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { ALL_SCOPES, isScope, ROLES } from '../../src/core/vocabulary/scopes.ts';
import { type Person, startTestApp } from '../support/test-app.ts';
import { type ApiOperation, exampleQuery, fillPath, readApiDocument } from '../support/api-document.ts';
import { type Inputs, REAL_INPUTS } from '../support/makers.ts';
import { makeObjects, namesAnObject, getReferences, withForeignIds } from '../support/references.ts';
import { refusalsFor, type Refusal } from '../support/refusals.ts';
import { type Received, send } from '../support/send.ts';
import type { Rows } from '../support/tenant-rows.ts';
import { makeHome, makeWorld } from '../support/tenancy-world.ts';

/** Operations that ask for no scope. Each is looked at by a person before it joins this list. */
const WITHOUT_SCOPE: Record<string, string> = {
  'invitations.lookup': 'public',
  'me.get': 'anyone',
  'server_status.get': 'anyone',
  'workspaces.list': 'anyone',
  'scopes.list': 'anyone',
  'workspaces.create': 'user',
  'invitations.accept': 'user',
  'members.remove': 'actor',
  'event_types.list': 'actor',
  'event_types.get': 'actor',
  'jobs.get': 'actor',
  'integrations.list': 'actor',
  'integrations.get': 'actor',
};

/** Operations that show an outsider something, because their body holds a secret that was handed to the caller. */
const BY_SECRET = ['invitations.lookup', 'invitations.accept'];

// Each caller has its own address, so that the limit on failed keys, which has tests of its own, stays out of this.
const app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1' });
afterAll(() => app.stop());
const document = await readApiDocument(app.base);
const world = await makeWorld(app);
const { victim, intruder, mark } = world;

const anyAddress = () => `198.51.${randomInt(100)}.${randomInt(256)}`;

interface Call extends Inputs {
  params: Record<string, string>;
  headers?: Record<string, string>;
}

function call(operation: ApiOperation, { params, query, body, headers }: Call): Promise<Received> {
  const given = body ?? operation.body?.example;
  return send(app.base, {
    method: operation.method,
    path: fillPath(operation.path, params, { ...exampleQuery(operation), ...query }),
    headers: {
      'x-forwarded-for': anyAddress(),
      ...(given === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: given === undefined ? undefined : JSON.stringify(given),
  });
}

const asPerson = (person: Person, workspace?: string, more: Record<string, string> = {}) => ({
  cookie: person.cookie,
  origin: app.base,
  ...(workspace ? { 'fairlead-workspace': workspace } : {}),
  ...more,
});

const getInputs = (operation: ApiOperation, home: typeof victim): Promise<Inputs> =>
  REAL_INPUTS[operation.id]?.(app, home) ?? Promise.resolve({});

/** Codes by which the door is closed, whatever stands behind it. */
const AT_THE_DOOR = [401, 403];

function expectRefusal(answer: Received, { status, code, says }: Refusal): void {
  expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
  if (says) expect(answer.body.detail).toContain(says);
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.text).not.toContain(mark);
}

interface Caller {
  who: string;
  headers: Record<string, string>;
}

/**
 * Expects that no caller changed a row of the workspace. The rows are compared once after all callers, as reading them
 * takes far longer than the calls; only when they differ does each caller call again, to name the one that changes them.
 */
async function expectUntouched(
  before: Rows,
  callers: readonly Caller[],
  again: (headers: Caller['headers']) => Promise<Received>,
): Promise<void> {
  const after = await world.victimRows();
  if (isDeepStrictEqual(after, before)) return;
  let last = after;
  for (const { who, headers } of callers) {
    const { text } = await again(headers);
    const now = await world.victimRows();
    expect(now, `rows changed after the call of: ${who}\n${text}`).toEqual(last);
    last = now;
  }
  expect(
    after,
    `rows changed, but not when called again by: ${callers.map(({ who }) => who).join(', ')}`,
  ).toEqual(before);
}

const hasObject = ({ parameters }: ApiOperation): boolean =>
  parameters.some((one) => one.in === 'path' && namesAnObject(one));
const operations = document.operations.map((operation) => [operation.id, operation] as const);

test('the document is whole: every route under /api/v1 is an operation of it, each with its own ID', () => {
  const routes = new Set(app.app.operations.map(({ spec }) => `${spec.method} ${spec.id}`));
  expect(new Set(document.operations.map(({ method, id }) => `${method} ${id}`))).toEqual(routes);
  expect(routes.size).toBe(document.operations.length);
  expect(document.operations.length).toBeGreaterThan(25);
});

test('the rows of a workspace are seen to change', async () => {
  const before = await world.victimRows();
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['api_keys', 'members', 'audit_log', 'events']));
  await world.keyWith(['rules:read']);
  const after = await world.victimRows();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(changed).toEqual(expect.arrayContaining(['api_keys', 'audit_log', 'events', 'key_hashes']));
});

describe.each(operations)('%s', (_id, operation) => {
  const { access = '' } = operation;
  const isWrite = operation.method !== 'GET';
  const isPublic = access === 'public';
  const scope = isScope(access) ? access : null;

  test('declares who may call it', () => {
    expect(operation.access, `${operation.id} declares no access (x-access)`).toBeDefined();
    expect(['public', 'anyone', 'user', 'actor', ...ALL_SCOPES]).toContain(access);
    if (!scope)
      expect(WITHOUT_SCOPE[operation.id], 'not on the list of operations without a scope').toBe(access);
  });

  test('works as documented on real objects', async () => {
    const home = await makeHome(app, `control-${operation.id.replace(/[^a-z]/g, '-')}`, intruder.owner);
    const params = await makeObjects(app, operation, home);
    const { as = home.owner, ...inputs } = await getInputs(operation, home);
    const workspace = as === home.owner ? home.workspace : undefined;
    const answer = await call(operation, { params, ...inputs, headers: asPerson(as, workspace) });
    expect(operation.successes, answer.text).toContain(answer.status);
    expect(document.getErrors(operation, answer.status, answer.body)).toEqual([]);
  });

  test('refuses whoever may not call, and nothing changes', async () => {
    const params = await makeObjects(app, operation, victim);
    const inputs = await getInputs(operation, victim);
    const cases = await refusalsFor(operation, world);
    const as = (headers: Caller['headers']) => call(operation, { params, ...inputs, headers });
    const before = await world.victimRows();
    expect(cases.length).toBeGreaterThan(isPublic ? -1 : 10);
    for (const refusal of cases) {
      const answer = await as(refusal.headers);
      try {
        expectRefusal(answer, refusal);
      } catch (error) {
        throw new Error(`${refusal.who} ${(error as Error).message}\n${answer.text}`, { cause: error });
      }
    }
    await expectUntouched(before, cases, as);
  });

  test('lets in whoever may call, and only into what is theirs', async () => {
    const params = await makeObjects(app, operation, victim);
    const inputs = await getInputs(operation, victim);
    const as = (headers: Caller['headers']) => call(operation, { params, ...inputs, headers });
    const visitors: Record<string, Caller['headers']> = {};
    if (isPublic) {
      visitors.nobody = {};
      visitors['with a bad key'] = { authorization: 'Bearer nonsense' };
    }
    if (access === 'user' || access === 'anyone')
      visitors['outside any workspace'] = asPerson(intruder.owner);
    if (access === 'user') visitors.viewer = asPerson(world.people.viewer, victim.workspace);
    if (!isPublic && access !== 'user' && !hasObject(operation))
      visitors['foreign key'] = { authorization: `Bearer ${world.keys.foreign}` };
    if (!isWrite && (access === 'actor' || (scope && ROLES.viewer.includes(scope))))
      visitors.viewer = asPerson(world.people.viewer, victim.workspace);
    if (scope && !isWrite)
      visitors['key with the scope alone'] = {
        authorization: `Bearer ${await world.keyWith([scope, ...operation.alsoNeeds])}`,
      };
    const before = await world.victimRows();
    for (const [who, headers] of Object.entries(visitors)) {
      const answer = await as(headers);
      expect(AT_THE_DOOR, `${who}: ${answer.text}`).not.toContain(answer.status);
      expect(answer.status, `${who}: ${answer.text}`).toBeLessThan(500);
      const own = BY_SECRET.includes(operation.id) || who === 'viewer' || who === 'key with the scope alone';
      if (!own) expect(answer.text, who).not.toContain(mark);
    }
    const callers = Object.entries(visitors).map(([who, headers]) => ({ who, headers }));
    await expectUntouched(before, callers, as);
  });
});

describe.each(operations.filter(([, one]) => hasObject(one)))('%s', (_id, operation) => {
  test("answers 404 for another workspace's object, as for none at all", async () => {
    const params = await makeObjects(app, operation, victim);
    const inputs = await getInputs(operation, victim);
    const before = await world.victimRows();
    const bySession = await call(operation, {
      params,
      ...inputs,
      headers: asPerson(intruder.owner, intruder.workspace),
    });
    expectRefusal(bySession, { who: 'foreign session', headers: {}, status: 404, code: 'not_found' });
    const byKey = await call(operation, {
      params,
      ...inputs,
      headers: { authorization: `Bearer ${world.keys.foreign}` },
    });
    const neverByKey =
      byKey.body.code === 'session_required' && document.getCodes(operation).has('session_required');
    if (!neverByKey)
      expectRefusal(byKey, { who: 'foreign key', headers: {}, status: 404, code: 'not_found' });
    expect(await world.victimRows()).toEqual(before);

    const nowhere = Object.fromEntries(
      operation.parameters
        .filter((one) => one.in === 'path')
        .map(({ name, example }) => [name, String(example)]),
    );
    const none = await call(operation, {
      params: nowhere,
      ...inputs,
      headers: asPerson(intruder.owner, intruder.workspace),
    });
    const { request_id: _a, ...foreign } = bySession.body;
    const { request_id: _b, ...missing } = none.body;
    expect(foreign).toEqual(missing);
  });
});

/** A batch answers for each item by itself, and a trial tells what is wrong with each destination. */
function statusesIn({ status, body }: Received): unknown[] {
  if (body.object === 'publishing_test')
    return body.destinations.map(({ errors }: { errors: { code: string }[] }) =>
      errors.some(({ code }) => code === 'not_found') ? 404 : status,
    );
  return (
    body.results?.map(
      (item: { status?: number; problem?: { status: number } | null }) => item.problem?.status ?? item.status,
    ) ?? [status]
  );
}

describe.each(operations.filter(([, one]) => getReferences(one).length && one.access !== 'public'))(
  '%s',
  (_id, operation) => {
    test("takes no id of another workspace's object as filter or in its body", async () => {
      const params = await makeObjects(app, operation, intruder);
      const { body, query } = await withForeignIds(app, operation, victim);
      const before = await world.victimRows();
      const headers = asPerson(intruder.owner, intruder.workspace);
      const answers = [await call(operation, { params, query, body, headers })];
      // Filters that exclude each other are tried alone.
      if (answers[0]!.body?.errors?.[0]?.code === 'conflict')
        for (const one of Object.entries(query ?? {}))
          answers.push(await call(operation, { params, query: Object.fromEntries([one]), body, headers }));
      for (const { text, status } of answers) {
        expect(text).not.toContain(mark);
        expect(status, text).toBeLessThan(500);
      }
      const answer = answers.at(-1)!;
      const statuses = statusesIn(answer);
      if (getReferences(operation).includes('body'))
        for (const status of statuses) expect([404, 422], answer.text).toContain(status);
      // What sums are about is no filter: there is no such thing.
      else if (answer.status === 404) expect(answer.body.code).toBe('not_found');
      // A file has its head, and days on which nothing was counted.
      else if (answer.headers['content-type']?.includes('text/csv'))
        expect(
          answer.text
            .trim()
            .split('\n')
            .slice(1)
            .filter((line) => line.split(',')[1] !== '0'),
        ).toEqual([]);
      else if ('totals' in answer.body)
        expect(answer.body.totals.requests ?? answer.body.totals.calls).toBe(0);
      else if ('count' in answer.body) expect(answer.body.count).toBe(0);
      else expect(answer.body.data).toEqual([]);
      expect(await world.victimRows()).toEqual(before);
    });
  },
);

describe.each(operations.filter(([, one]) => one.parameters.some(({ name }) => name === 'cursor')))(
  '%s',
  (_id, operation) => {
    test("shows nothing for another workspace's cursor", async () => {
      const query = { limit: '1' };
      const own = await call(operation, {
        params: await makeObjects(app, operation, victim),
        query,
        headers: asPerson(victim.owner, victim.workspace),
      });
      const { next_cursor: cursor } = own.body;
      expect(cursor === null || typeof cursor === 'string', own.text).toBe(true);
      if (cursor === null) return;
      const headers = asPerson(intruder.owner, intruder.workspace);
      const params = await makeObjects(app, operation, intruder);
      const answer = await call(operation, { params, query: { cursor }, headers });
      expect(answer).toHaveStatus(200);
      expect(answer.text).not.toContain(mark);
    });
  },
);
