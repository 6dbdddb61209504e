/**
 * Every documented operation is sent what nobody expects, made from its own schema. Whatever comes, the answer is
 * prompt, never a 5xx, and either what the operation documents or a problem out of the catalog.
 *
 * FUZZ_RUNS: requests an operation (default 25). TEST_SEED, which the end of a run names, repeats a run.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { TSchema } from 'typebox';
import * as Identity from '../../src/core/auth/identity/identity.schema.ts';
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { type ErrorCode, ERRORS } from '../../src/platform/http/errors.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestApp } from '../support/test-app.ts';
import { type ApiOperation, readApiDocument } from '../support/api-document.ts';
import { type FuzzRequest, requestsTo } from '../support/fuzz-requests.ts';
import { callAsOwner, MAKERS } from '../support/makers.ts';
import { type Received, send } from '../support/send.ts';
import { testSeed } from '../support/seed.ts';
import { makeHome } from '../support/tenancy-world.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 25);
/** Most requests take a few ms of CPU; client and background work of the server count too. */
const MAX_CPU_MS = 1_000;
/** How often more is sent to an operation of which every request was refused before it was looked at. */
const MORE_ROUNDS = 12;

const app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1' });
afterAll(() => app.stop());
const document = await readApiDocument(app.base);
const home = await makeHome(app, 'fuzzed');
const other = await makeHome(app, 'next-door');
const { secret } = await callAsOwner(home, '/api-keys', {
  name: 'fuzz',
  scopes: ALL_SCOPES,
  rate_limit: null,
});

const pool: Record<string, string[]> = {};
for (const prefix of new Set(
  document.operations.flatMap(({ parameters }) =>
    parameters.map(({ example }) => String(example).split('_')[0]!),
  ),
))
  if (MAKERS[prefix]) pool[prefix] = [await MAKERS[prefix](app, home), await MAKERS[prefix](app, other)];

const { cookie } = home.owner;
const callerHeaders: Record<string, string>[] = [
  { authorization: `Bearer ${secret}` },
  { cookie, origin: app.base, 'fairlead-workspace': home.workspace },
  { cookie, origin: app.base },
  {},
  { authorization: 'Bearer fl_nonsense' },
  { authorization: `Bearer ${'x'.repeat(8_000)}` },
];
const callers = callerHeaders.map((headers) => ({ ...headers, host: new URL(app.base).host }));

const TELLS_TOO_MUCH =
  /\n\s+at |node_modules|\.ts:\d|select .* from |insert into|postgres|pg_|kysely|syntax error at/i;

function expectProblem({ status, headers, body, text }: Received): void {
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(Object.keys(ERRORS)).toContain(body.code);
  expect(ERRORS[body.code as ErrorCode].status).toBe(status);
  expect(body).toMatchObject({
    type: expect.stringContaining(`/docs/errors#${body.code}`),
    title: ERRORS[body.code as ErrorCode].title,
    status,
    detail: expect.stringMatching(/\S/),
    request_id: headers['fairlead-request-id'],
  });
  for (const fault of body.errors ?? [])
    expect(fault).toEqual({
      pointer: expect.any(String),
      code: expect.any(String),
      detail: expect.any(String),
      // For some errors, a value that would be accepted.
      ...('suggestion' in fault && { suggestion: expect.any(String) }),
    });
  expect(text.length).toBeLessThan(50_000);
  // Pointers repeat names that the caller gave.
  const errors = (body.errors ?? []).map((fault: object) => ({ ...fault, pointer: '' }));
  expect(JSON.stringify({ ...body, errors })).not.toMatch(TELLS_TOO_MUCH);
}

function expectSound(operation: ApiOperation, request: FuzzRequest, answer: Received): void {
  const { status, headers, body, text } = answer;
  expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect(headers['fairlead-request-id']).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (status >= 400) return expectProblem(answer);
  if (status === 304) return expect(text).toBe('');
  if (!request.routed || /event-stream/.test(headers['content-type'] ?? '')) return undefined;
  return expect(document.getErrors(operation, status, body), text.slice(0, 500)).toEqual([]);
}

describe('any request is answered soundly', () => {
  test.each(document.operations.map((operation) => [operation.id, operation] as const))(
    '%s',
    { timeout: 60_000 + RUNS * 400 },
    async (_id, operation) => {
      let wasLookedAt = false;
      const round = (seed: number) =>
        fc.assert(
          fc.asyncProperty(requestsTo(operation, document, { callers, pool }), async (request) => {
            const before = process.threadCpuUsage();
            const answer = await send(app.base, request, PATIENCE.timeout);
            const { user, system } = process.threadCpuUsage(before);
            expect((user + system) / 1000).toBeLessThan(MAX_CPU_MS);
            const { status } = answer;
            wasLookedAt ||= status < 300 || status === 404 || status === 410 || status === 422;
            expectSound(operation, request, answer);
          }),
          { numRuns: RUNS, seed, interruptAfterTimeLimit: 30_000 + RUNS * 100 },
        );
      for (let n = 0; n === 0 || (!wasLookedAt && n <= MORE_ROUNDS); n++) await round(testSeed() + n);
      expect(wasLookedAt).toBe(true);
    },
  );
});

/** Sign-in is in no document; what it takes is known from its schemas. */
const SIGN_IN: Record<string, TSchema> = {
  'sign-up/email': Identity.SignUpBody,
  'sign-in/email': Identity.SignInBody,
  'revoke-session': Identity.RevokeSessionBody,
  'update-user': Identity.UpdateUserBody,
  'request-password-reset': Identity.RequestResetBody,
  'reset-password': Identity.ResetBody,
  'change-password': Identity.ChangePasswordBody,
};

describe('so is any attempt to sign in', () => {
  test.each(Object.entries(SIGN_IN))('%s', { timeout: 240_000 }, async (name, schema) => {
    const somebody = await app.signUp();
    const operation: ApiOperation = {
      id: name,
      method: 'POST',
      path: `/api/auth/${name}`,
      access: 'public',
      alsoNeeds: [],
      parameters: [],
      body: { schema, example: undefined },
      successes: [200],
      streams: false,
      document: {},
    };
    const own = { host: new URL(app.base).host, origin: app.base };
    const world = { callers: [{ ...own, cookie: somebody.cookie }, own, { host: own.host }], pool };
    await fc.assert(
      fc.asyncProperty(requestsTo(operation, document, world), async (request) => {
        const answer = await send(app.base, request, PATIENCE.timeout);
        expectSound(operation, { ...request, routed: false }, answer);
      }),
      { numRuns: Math.ceil(RUNS / 4), interruptAfterTimeLimit: 30_000 },
    );
  });
});

/** A busy machine makes a server log that something took too long; that is no fault of a request. */
const isAboutTime = ({ msg, err }: { msg: string; err?: { message: string } }): boolean =>
  msg === 'slow request' || / did not answer within \d+ ms/.test(err?.message ?? '');

test('the server logs no fault of its own', async () => {
  const logged = app.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  expect(logged.filter((line) => !isAboutTime(line))).toEqual([]);
  expect(await app.call('/me', { key: secret })).toHaveStatus(200);
});
