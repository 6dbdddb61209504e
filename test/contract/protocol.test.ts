/** The conventions of HTTP that hold for every documented operation: methods, types, sizes, names, headers, forms. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ERRORS } from '../../src/platform/http/errors.ts';
import { type ApiOperation, getContent, type Json, takesAnything } from '../support/api-document.ts';
import { missingMembers, oddForms } from '../support/answer-forms.ts';
import { type ContractWorld, startContractWorld } from '../support/contract-world.ts';
import { PATIENCE } from '../support/patience.ts';
import type { Received, Sent } from '../support/send.ts';

const world: ContractWorld = await startContractWorld();
afterAll(() => world.app.stop());
const { document, call, goodCall } = world;
const operations = document.operations.map((operation) => [operation.id, operation] as const);

const TYPE_ID = /^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const NEVER_DOCUMENTED = [
  'method_not_allowed',
  'misdirected_request',
  'headers_too_large',
  'request_timeout',
];

/** Called by OpenAI's clients, by OpenAI's rules. */
const isForOpenAi = (operation: ApiOperation): boolean => operation.document.tags[0] === 'Models';

function expectProblem(operation: ApiOperation, answer: Received, status: number, code: string): void {
  expect([answer.status, answer.body.code], answer.text).toEqual([status, code]);
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.body).toMatchObject({
    type: expect.stringMatching(new RegExp(`^http.*/docs/errors#${code}$`)),
    title: ERRORS[code as keyof typeof ERRORS].title,
    status,
    request_id: answer.headers['fairlead-request-id'],
  });
  if (!NEVER_DOCUMENTED.includes(code)) expect([...document.getCodes(operation)]).toContain(code);
  if (!isForOpenAi(operation)) return expect(answer.body).not.toHaveProperty('error');
  return expect(answer.body.error).toEqual({
    message: expect.stringMatching(/./),
    type: expect.stringMatching(/^(invalid_request|server)_error$/),
    param: answer.body.errors?.[0]?.pointer ? expect.stringMatching(/./) : null,
    code: expect.stringMatching(/^[a-z_]+$/),
  });
}

function expectHeadersOfAll({ headers }: Received): void {
  expect(headers['fairlead-request-id']).toMatch(TYPE_ID);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  // Files of strangers are sandboxed beside.
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; frame-ancestors 'none'(; sandbox)?$/,
  );
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(headers['cache-control']).toMatch(/^(no-store|private, no-cache)$/);
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  for (const name of ['server', 'x-powered-by']) expect(headers[name]).toBeUndefined();
}

/** Answers that are in the form of another tool. */
const FOREIGN_FORMS = new Set(['integrations.get']);
/** Answers of models, with the members that a model gives. */
const OF_MODELS = new Set(['chat.completions', 'responses.create', 'embeddings.create']);

const problemFor = (pointer: string, code: string) => expect.objectContaining({ pointer, code });

describe.each(operations)('%s', (_id, operation) => {
  let good: Sent;
  beforeAll(async () => {
    good = await goodCall(operation);
  });

  test('succeeds with every documented member in place, in the documented forms', async () => {
    const answer = await call(await goodCall(operation));
    expect(operation.successes, answer.text).toContain(answer.status);
    expect(document.getErrors(operation, answer.status, answer.body)).toEqual([]);
    expectHeadersOfAll(answer);
    const schema = operation.document.responses[answer.status].content?.['application/json']?.schema;
    if (schema && !OF_MODELS.has(operation.id))
      expect(missingMembers(document, schema, answer.body)).toEqual([]);
    if (!FOREIGN_FORMS.has(operation.id)) expect(oddForms(answer.body)).toEqual([]);
  });

  test('answers what it does not do with the methods that it does', async () => {
    const here = document.operations.filter(({ path }) => path === operation.path);
    const known = here.flatMap(({ method, streams }) =>
      method === 'GET' && !streams ? ['GET', 'HEAD'] : [method],
    );
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const allow = [...all.filter((method) => known.includes(method)), 'OPTIONS'].join(', ');
    for (const method of all.filter((one) => !known.includes(one))) {
      const answer = await call(good, {
        method,
        body: undefined,
        headers: { 'content-type': undefined as never },
      });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, allow]);
      expectHeadersOfAll(answer);
      if (method !== 'HEAD')
        expectProblem(here[0]!, { ...answer, body: { ...answer.body } }, 405, 'method_not_allowed');
    }
    const options = await call({ method: 'OPTIONS', path: good.path });
    expect([options.status, options.text, options.headers.allow]).toEqual([204, '', allow]);
  });

  test('knows what the caller can read', async () => {
    // A file is sent as what it is, as from any web server.
    if (sendsFiles(operation))
      return expect(await call(good, { headers: { accept: 'text/html' } })).toHaveStatus(200);
    const others = Object.keys(getContent(operation.document.responses[200]));
    for (const accept of [
      'text/html',
      'image/*',
      'application/xml, text/plain',
      'application/json;q=0',
    ].filter((one) => !others.some((type) => one.includes(type) || one === `${type.split('/')[0]}/*`)))
      expectProblem(operation, await call(good, { headers: { accept } }), 406, 'not_acceptable');
    if (isWrite(operation)) return;
    for (const accept of [
      '*/*',
      'application/json',
      'application/*',
      'text/html, */*;q=0.1',
      'APPLICATION/JSON; charset=utf-8',
      '',
    ])
      expect((await call(good, { headers: { accept } })).status, accept).toBeLessThan(300);
  });

  test('takes no parameter that it does not know, and names the one that was meant', async () => {
    const join = good.path.includes('?') ? '&' : '?';
    const answer = await call(good, { path: `${good.path}${join}zzz_unknown=1` });
    if (takesAnything(operation) || isForOpenAi(operation))
      return expect(operation.successes, answer.text).toContain(answer.status);
    expectProblem(operation, answer, 400, 'invalid_request');
    expect(answer.body.errors).toContainEqual(problemFor('?zzz_unknown', 'unknown_field'));
    for (const { name } of operation.parameters.filter((one) => one.in === 'query')) {
      const mistyped = `${name.slice(0, -1)}x`;
      const near = await call(good, { path: `${good.path}${join}${mistyped}=1` });
      expect(near.body.errors).toContainEqual({
        pointer: `?${mistyped}`,
        code: 'unknown_field',
        detail: `did you mean ${name}?`,
      });
    }
  });
});

const isWrite = ({ method }: ApiOperation): boolean => method !== 'GET';
const sendsFiles = ({ document: { responses } }: ApiOperation): boolean =>
  responses[200]?.content?.['application/json'] === undefined &&
  Object.keys(responses[200]?.content ?? {}).some((type) => /^(\*|image|text\/csv)/.test(type));

/** Of what is taken as it comes nothing can be wrong. */
const isChecked = (operation: ApiOperation): boolean => isWrite(operation) && !takesAnything(operation);

describe.each(operations.filter(([, operation]) => isWrite(operation)))('%s', (_id, operation) => {
  let good: Sent;
  beforeAll(async () => {
    good = await goodCall(operation);
  });
  /** Model calls pass on what they don't know. */
  const isOpen = operation.body !== null && operation.body.schema.additionalProperties !== false;
  const body = (text: string) => ({ body: text, headers: { 'content-type': 'application/json' } });

  test('reads JSON, and no other type that it does not say', async () => {
    const known = Object.keys(getContent(operation.document.requestBody));
    const others = ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'];
    for (const type of [
      ...others.filter((one) => !known.includes(one)),
      'multipart/form-data; boundary=x',
      'application/jsonx',
      ...(takesAnything(operation) ? [] : [undefined]),
    ])
      expectProblem(
        operation,
        await call(good, { body: '{}', headers: { 'content-type': type as string } }),
        415,
        'unsupported_media_type',
      );
    for (const text of ['{"a":', 'nonsense', '{}}', "{'a':1}"])
      expectProblem(operation, await call(good, body(text)), 400, 'invalid_json');
    for (const text of takesAnything(operation) ? [] : ['[]', '"text"', '1', 'true'])
      expectProblem(operation, await call(good, body(text)), 400, 'invalid_request');
  });

  test('takes a body up to its limit, and not a byte more', async () => {
    const limit = isForOpenAi(operation) ? 32 * 1024 * 1024 : 1024 * 1024;
    const text = good.body?.toString() ?? '{}';
    const tooLarge = await call(good, body(text.padEnd(limit + 1)));
    expectProblem(operation, tooLarge, 413, 'payload_too_large');
    expect(tooLarge.body.detail).toContain(`at most ${limit} bytes`);
    const wrong = await call(good, body('{"zzz":'.padEnd(limit)));
    expectProblem(operation, wrong, 400, 'invalid_json');
  });

  test('takes no field that it does not know, unless it passes on all', async () => {
    const given = JSON.parse(good.body?.toString() ?? '{}');
    const text = JSON.stringify({ ...given, zzz_unknown: 1 });
    if (isOpen) {
      const passed = await call(await goodCall(operation), body(text));
      return expect(passed.status, passed.text).toBeLessThan(300);
    }
    const answer = await call(good, body(text));
    expectProblem(operation, answer, 400, 'invalid_request');
    expect(answer.body.errors).toContainEqual(problemFor('/zzz_unknown', 'unknown_field'));
    for (const name of Object.keys(operation.body?.schema.properties ?? {})) {
      const mistyped = `${name.slice(0, -1)}x`;
      const near = await call(good, body(JSON.stringify({ ...given, [mistyped]: 1 })));
      const detail = `did you mean ${name}?`;
      expect(near.body.errors).toContainEqual({ pointer: `/${mistyped}`, code: 'unknown_field', detail });
    }
    return undefined;
  });
});

describe.each(operations.filter(([, operation]) => isChecked(operation)))('%s', (_id, operation) => {
  test('tells all faults at once', async () => {
    const good = await goodCall(operation);
    const isOpen = operation.body !== null && operation.body.schema.additionalProperties !== false;
    const join = good.path.includes('?') ? '&' : '?';
    const wrong = { zzz_one: 1, zzz_two: 2 };
    const answer = await call(good, {
      path: `${good.path}${join}zzz_three=3`,
      body: JSON.stringify(wrong),
      headers: { 'content-type': 'application/json' },
    });
    expectProblem(operation, answer, 400, 'invalid_request');
    const pointers = answer.body.errors.map(({ pointer }: Json) => pointer);
    const expected = isOpen ? [] : ['?zzz_three', '/zzz_one', '/zzz_two'];
    expect(pointers).toEqual(expect.arrayContaining(expected));
    expect(pointers).toEqual(
      expect.arrayContaining((operation.body?.schema.required ?? []).map((name: string) => `/${name}`)),
    );
  });
});

describe.each(operations.filter(([, one]) => !isWrite(one) && !one.streams))('%s', (_id, operation) => {
  test('HEAD is GET without a body', async () => {
    const good = await goodCall(operation);
    // Again where it changed in between: work goes on behind some of them.
    await vi.waitFor(async () => {
      const [get, head] = [await call(good), await call(good, { method: 'HEAD' })];
      expect([head.status, head.text]).toEqual([get.status, '']);
      for (const name of [
        'content-type',
        'content-length',
        'etag',
        'cache-control',
        'content-security-policy',
      ])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      expectHeadersOfAll(head);
    }, PATIENCE);
  });
});

describe('Authorization', () => {
  const me = (headers: Record<string, string | string[]>) =>
    call({ method: 'GET', path: '/api/v1/me', headers });

  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('"%s" and the key', async (scheme) => {
    expect(
      (await me({ authorization: `${scheme.trimEnd()} ${scheme.endsWith('  ') ? ' ' : ''}${world.key}` }))
        .status,
    ).toBe(200);
  });

  test.each([
    ['', 'an empty header'],
    [`Bearer\u00a0`, 'another space'],
    ['Basic ', 'Basic'],
    ['Bearer Bearer ', 'twice Bearer'],
    ['Bearer "', 'quotes'],
  ])('"%s" is no way in (%s)', async (before) => {
    const { status, body, headers } = await me({ authorization: before + (before ? world.key : '') });
    expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'invalid_key', 'Bearer']);
  });

  test('twice is taken once, and nothing is put together out of two', async () => {
    expect(await me({ authorization: [`Bearer ${world.key}`, 'Bearer nonsense'] })).toHaveStatus(200);
    expect(await me({ authorization: ['Bearer nonsense', `Bearer ${world.key}`] })).toHaveStatus(401);
    expect(await me({ authorization: `Bearer ${world.key}, Bearer ${world.key}` })).toHaveStatus(401);
    expect(await me({ authorization: `Bearer ${world.key};` })).toHaveStatus(401);
  });

  test('a key in the query or in a cookie is none', async () => {
    expect(await call({ method: 'GET', path: `/api/v1/me?access_token=${world.key}` })).toHaveStatus(401);
    expect(await me({ cookie: `authorization=Bearer ${world.key}` })).toHaveStatus(401);
  });
});

describe('request IDs', () => {
  test('are each another, never the caller’s, and sort by time', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 50; count++)
      ids.push(
        (
          await call({
            method: 'GET',
            path: '/api/v1/nothing',
            headers: { 'x-request-id': 'mine', 'fairlead-request-id': 'mine', 'request-id': 'mine' },
          })
        ).headers['fairlead-request-id'] as string,
      );
    expect(new Set(ids).size).toBe(50);
    const times = ids.map((id) => id.slice(0, 14));
    expect(times).toEqual(times.toSorted());
  });
});
