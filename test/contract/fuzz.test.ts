/**
 * Every documented operation is sent what nobody expects, made from its own schema. Whatever comes, the answer is
 * prompt, never a 5xx, and either what the operation documents or a problem out of the catalogue.
 *
 * FUZZ_RUNS: requests an operation (default 80). FUZZ_SEED: to see a failure again.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { TSchema } from 'typebox';
import * as Identity from '../../src/auth/identity/identity.schema.ts';
import { ALL_SCOPES } from '../../src/auth/scopes.ts';
import { type ErrorCode, ERRORS } from '../../src/http/errors.ts';
import { startTestApp } from '../../src/testing/test-app.ts';
import { type ApiOperation, readApiDocument } from '../support/api-document.ts';
import { type FuzzRequest, requestsTo } from '../support/fuzz-requests.ts';
import { callAsOwner, MAKERS } from '../support/makers.ts';
import { type Received, send } from '../support/send.ts';
import { makeHome } from '../support/tenancy-world.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 80);
const SEED = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined;
const PATIENCE_MS = 2_000;
/** How often more is sent to an operation of which every request was refused before it was looked at. */
const MORE_ROUNDS = 5;

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
    });
  expect(text.length).toBeLessThan(50_000);
  expect(text).not.toMatch(TELLS_TOO_MUCH);
}

function expectSound(operation: ApiOperation, request: FuzzRequest, answer: Received): void {
  const { status, headers, body, text, ms } = answer;
  expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect(ms).toBeLessThan(PATIENCE_MS);
  expect(headers['fairlead-request-id']).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  expect(headers['x-content-type-options']).toBe('nosniff');
  if (status >= 400) return expectProblem(answer);
  if (status === 304) return expect(text).toBe('');
  if (!request.routed || /event-stream/.test(headers['content-type'] ?? '')) return undefined;
  return expect(document.faultsOf(operation, status, body), text.slice(0, 500)).toEqual([]);
}

describe('any request is answered soundly', () => {
  test.each(document.operations.map((operation) => [operation.id, operation] as const))(
    '%s',
    { timeout: 60_000 + RUNS * 400 },
    async (_id, operation) => {
      let wasLookedAt = false;
      const round = (seed: number | undefined) =>
        fc.assert(
          fc.asyncProperty(requestsTo(operation, document, { callers, pool }), async (request) => {
            let answer = await send(app.base, request, PATIENCE_MS * 5);
            // On a busy machine any answer may come late once; what is slow by itself is slow again.
            if (answer.ms > PATIENCE_MS) answer = await send(app.base, request, PATIENCE_MS * 5);
            const { status } = answer;
            wasLookedAt ||= status < 300 || status === 404 || status === 410 || status === 422;
            expectSound(operation, request, answer);
          }),
          { numRuns: RUNS, seed, interruptAfterTimeLimit: 30_000 + RUNS * 100 },
        );
      await round(SEED);
      for (let more = 0; !wasLookedAt && more < MORE_ROUNDS; more++) await round(undefined);
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
  test.each(Object.entries(SIGN_IN))('%s', { timeout: 60_000 }, async (name, schema) => {
    const somebody = await app.signUp();
    const operation: ApiOperation = {
      id: name,
      method: 'POST',
      path: `/api/auth/${name}`,
      access: 'public',
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
        const answer = await send(app.base, request, PATIENCE_MS * 5);
        // A password that is well formed is hashed or compared, which is slow by design.
        expectSound(operation, { ...request, routed: false }, { ...answer, ms: 0 });
      }),
      { numRuns: Math.ceil(RUNS / 4), seed: SEED, interruptAfterTimeLimit: 30_000 },
    );
  });
});

test('the server tells of no fault of its own', async () => {
  const told = app.logged
    .map((line) => JSON.parse(line))
    .filter(({ level, msg }) => level >= 40 && msg !== 'slow request');
  expect(told).toEqual([]);
  expect((await app.call('/me', { key: secret })).status).toBe(200);
});
