/** The collection of requests: its form as Postman documents version 2.1, that nothing is missing, and that its requests work. */
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- files of other tools
type Json = any;

const TEXT = { type: 'string' };
const strict = (required: string[], properties: Json) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const list = (items: Json) => ({ type: 'array', items });
const PAIR = strict(['key', 'value'], {
  key: TEXT,
  value: TEXT,
  type: { enum: ['string'] },
  description: TEXT,
  disabled: { type: 'boolean' },
});
const REQUEST = strict(['method', 'url', 'header'], {
  method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
  header: list(PAIR),
  description: TEXT,
  auth: strict(['type'], { type: { enum: ['noauth'] } }),
  url: strict(['raw', 'host', 'path'], {
    raw: { type: 'string', pattern: '^\\{\\{baseUrl\\}\\}/api/v1/' },
    host: { const: ['{{baseUrl}}'] },
    path: list(TEXT),
    query: list(PAIR),
    variable: list(PAIR),
  }),
  body: {
    oneOf: [
      strict(['mode', 'raw'], { mode: { const: 'raw' }, raw: TEXT, options: { type: 'object' } }),
      strict(['mode', 'formdata'], {
        mode: { const: 'formdata' },
        formdata: list({ type: 'object', required: ['key', 'type'] }),
      }),
    ],
  },
});
/** The parts of the published schema that are used here. */
const COLLECTION = {
  $id: 'collection',
  ...strict(['info', 'item', 'auth', 'variable'], {
    info: strict(['name', 'schema'], {
      name: TEXT,
      description: TEXT,
      schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    }),
    auth: strict(['type', 'bearer'], { type: { const: 'bearer' }, bearer: list(PAIR) }),
    variable: list(PAIR),
    item: list({ $ref: '#/$defs/item' }),
  }),
  $defs: {
    item: {
      oneOf: [
        strict(['name', 'item'], { name: TEXT, description: TEXT, item: list({ $ref: '#/$defs/item' }) }),
        strict(['name', 'request', 'response'], {
          name: TEXT,
          request: REQUEST,
          response: list({
            type: 'object',
            required: ['name', 'originalRequest', 'status', 'code', 'header', 'body'],
          }),
        }),
      ],
    },
  },
};

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let collection: Json;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  collection = (await app.call('/integrations/postman', { key: home.key })).body;
});
afterAll(() => app?.stop());

const requests = (): Json[] =>
  collection.item.flatMap((group: Json) => group.item.flatMap((folder: Json) => folder.item));
const named = (name: string): Json => requests().find((item) => item.name === name).request;

/** Sends a request as Postman does: inserts variables and leaves out disabled parts. */
async function send(
  request: Json,
  variables: Record<string, string> = {},
  body?: object,
): Promise<{ status: number; body: Json }> {
  const values: Record<string, string> = {
    ...Object.fromEntries(collection.variable.map(({ key, value }: Json) => [key, value])),
    apiKey: home.key,
  };
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => values[name]!);
  const { url, header, auth = collection.auth } = request;
  const segments = url.path.map((segment: string) =>
    segment.startsWith(':')
      ? (variables[segment.slice(1)] ?? url.variable.find(({ key }: Json) => `:${key}` === segment).value)
      : segment,
  );
  const on = (pairs: Json[]): [string, string][] =>
    pairs.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
  const query = new URLSearchParams(on(url.query)).toString();
  const headers = new Headers(on(header));
  if (auth.type === 'bearer') headers.set('authorization', `Bearer ${filled(auth.bearer[0].value)}`);
  const response = await fetch(`${filled(url.host[0])}/${segments.join('/')}${query && `?${query}`}`, {
    method: request.method,
    headers,
    body: request.body ? JSON.stringify(body ?? JSON.parse(request.body.raw)) : undefined,
  });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : null };
}

test('has the form that Postman documents', () => {
  const check = new Ajv({ allErrors: false }).compile(COLLECTION);
  check(collection);
  expect(check.errors).toBeNull();
});

test('has every operation once, in the folder of its tag', async () => {
  const operations = app.app.operations.map(({ spec }) => `${spec.method} ${spec.path.replace('*}', '}')}`);
  const found = requests().map(
    ({ request }) =>
      `${request.method} ${request.url.raw
        .replace('{{baseUrl}}/api/v1', '')
        .replace(/\?.*/, '')
        .replace(/:(\w+)/g, '{$1}')}`,
  );
  expect(found.sort()).toEqual(operations.sort());
  for (const group of collection.item)
    for (const folder of group.item) expect(folder.item.length, folder.name).toBeGreaterThan(0);
});

test('shows what each operation answers, in JSON', () => {
  const answersJson = ({ spec }: (typeof app.app.operations)[number]) => spec.success.schema && !spec.binary;
  const shown = requests().filter(({ response }) => response.length > 0);
  expect(shown).toHaveLength(app.app.operations.filter(answersJson).length);
  const [link] = requests().find(({ name }) => name === 'Get a link').response;
  expect(JSON.parse(link.body)).toMatchObject({ object: 'link', slug: 'launch' });
});

test('all its reads that name no object are answered as they stand', async () => {
  const reads = requests().filter(
    ({ request }) =>
      request.method === 'GET' &&
      request.url.variable.length === 0 &&
      !/stream|export$/.test(request.url.raw) &&
      // For a signed-in person, who has no key.
      !/a signed-in person; an API key cannot/.test(request.description),
  );
  expect(reads.length).toBeGreaterThan(20);
  for (const { name, request } of reads) expect([name, (await send(request)).status]).toEqual([name, 200]);
  expect((await send(named('Get a model'))).body.id).toBe('fairlead/echo');
});

test('something is made, changed and deleted by its requests', async () => {
  const made = await send(named('Create a link'));
  expect([made.status, made.body.object]).toEqual([201, 'link']);
  const { id } = made.body;
  expect((await send(named('Get a link'), { id })).body.id).toBe(id);
  const changed = await send(named('Update a link'), { id }, { title: 'changed' });
  expect([changed.status, changed.body.title]).toEqual([200, 'changed']);
  expect(await send(named('Delete a link'), { id })).toHaveStatus(204);
  const asked = await send(named('Create a chat completion'));
  expect([asked.status, asked.body.object]).toEqual([200, 'chat.completion']);
});
