import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';
import { type OperationSpec, operation } from './operation.ts';
import { IdParams } from './id-schema.ts';
import { toListSchema, ListQuery, Strict, createdFilters } from '../../platform/http/schema.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document is any JSON
type Json = any;

const Thing = Type.Object(
  { name: Type.String({ description: 'Its name.', examples: ['one'] }) },
  { title: 'Thing' },
);

const declare = (spec: Partial<OperationSpec> = {}) =>
  operation(
    {
      id: 'api_keys.list',
      method: 'GET',
      path: '/things',
      tag: 'API keys',
      summary: 'List things',
      access: 'api_keys:read',
      success: { status: 200, description: 'Things.', schema: toListSchema(Thing) },
      ...spec,
    },
    () => ({ body: undefined as never }),
  );

const describeOne = (spec: Partial<OperationSpec> = {}): { document: Json; operation: Json } => {
  const document: Json = openApiDocument([declare(spec)], 'https://api.test');
  const [path]: Json[] = Object.values(document.paths);
  return { document, operation: Object.values(path)[0] };
};

const deref = (document: Json, given: Json): Json => {
  const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(given.$ref ?? '') ?? [];
  return kind === undefined ? given : document.components[kind][name!];
};

const parameter = (document: Json, described: Json, name: string): Json =>
  described.parameters
    .map((given: Json) => deref(document, given))
    .find((given: Json) => given.name === name);

describe('the document', () => {
  test('names the address that it was asked for, in servers and in the problems of its examples', () => {
    const { document, operation: described } = describeOne();
    expect(document.servers).toEqual([{ url: 'https://api.test', description: 'This server' }]);
    const { content } = deref(document, described.responses['400']);
    const [first]: Json[] = Object.values(content['application/problem+json'].examples);
    expect(deref(document, first).value.type).toMatch(/^https:\/\/api\.test\/docs\/errors#[a-z_]+$/);
  });

  test('lists the tags in use, in their groups, and no others', () => {
    const { document } = describeOne();
    expect(document.tags.map(({ name }: Json) => name)).toEqual(['API keys']);
    expect(document['x-tagGroups']).toEqual([{ name: 'Getting started', tags: ['API keys'] }]);
  });

  test('a schema with the name of a type stands once, under components', () => {
    const { document, operation: described } = describeOne();
    const { schema } = described.responses['200'].content['application/json'];
    const [frame, own] = schema.allOf;
    expect(Object.keys(deref(document, frame).properties)).toEqual(['object', 'has_more', 'next_cursor']);
    expect(own.required).toEqual(['data']);
    expect(own.properties.data.items).toEqual({ $ref: '#/components/schemas/Thing' });
    expect(document.components.schemas.Thing.properties.name.description).toBe('Its name.');
  });

  test('a named schema that is described anew keeps its name', () => {
    const schema = Type.Object({ other: Thing, thing: { ...Thing, description: 'The changed thing.' } });
    const { operation: described } = describeOne({
      success: { status: 200, description: 'Things.', schema },
    });
    expect(described.responses['200'].content['application/json'].schema.properties).toEqual({
      other: { $ref: '#/components/schemas/Thing' },
      thing: { $ref: '#/components/schemas/Thing', description: 'The changed thing.' },
    });
  });

  test('two schemas cannot have one name', () => {
    const schema = Type.Object({ one: Thing, two: Type.Object({}, { title: 'Thing' }) });
    const success = { status: 200, description: 'Things.', schema } as const;
    expect(() => describeOne({ success })).toThrow('Two schemas have the title Thing');
  });

  test('two parameters cannot have one name', () => {
    const query = ListQuery({ other: Type.Optional(Type.Integer({ title: 'Limit' })) });
    expect(() => describeOne({ query })).toThrow('Two parameters have the title Limit');
  });

  test('an optional property of a named schema has its default in its description, which makes none required', () => {
    const body = Strict(
      { delay: Type.Optional(Type.Integer({ default: 5, description: 'Seconds.', examples: [1] })) },
      { title: 'Wait' },
    );
    const { document } = describeOne({ method: 'POST', body });
    expect(document.components.schemas.Wait.properties.delay).toEqual({
      type: 'integer',
      description: 'Seconds. Default: `5`.',
      examples: [1],
    });
  });

  test('an error with the same codes stands once, under a name that is made of them', () => {
    const { document, operation: described } = describeOne({
      params: IdParams('link'),
      path: '/things/{id}',
    });
    for (const [status, name] of [
      ['401', 'Unauthorized'],
      ['403', 'Forbidden'],
      ['404', 'NotFound'],
      ['429', 'RateLimited'],
    ] as const) {
      expect(described.responses[status]).toEqual({ $ref: `#/components/responses/${name}` });
      expect(document.components.responses[name].content['application/problem+json'].schema).toEqual({
        $ref: '#/components/schemas/Problem',
      });
    }
    expect(described.parameters[0]).toEqual({ $ref: '#/components/parameters/LinkId' });
  });

  test('an error with many codes stands at its operation', () => {
    const errors = ['slug_taken', 'last_owner', 'conflict', 'already_member'] as const;
    const { operation: described } = describeOne({ errors });
    const { examples } = described.responses['409'].content['application/problem+json'];
    expect(Object.keys(examples).sort()).toEqual([...errors].sort());
  });
});

describe('an operation', () => {
  test('that passes errors of providers shows their form for every status', () => {
    const { document, operation: described } = describeOne({ errors: ['model_provider_error'] });
    for (const status of ['401', '429', '502', 'default'])
      expect(deref(document, described.responses[status]).content['application/json'].schema).toEqual({
        $ref: '#/components/schemas/OpenAiError',
      });
    expect(document.components.schemas.OpenAiError.properties.error.properties).toHaveProperty('message');
    expect(describeOne().operation.responses).not.toHaveProperty('default');
  });

  test('names its scope, its events and what is shown once', () => {
    const { operation: described } = describeOne({ events: ['api_key.created'], secrets: ['secret'] });
    expect(described.description).toContain('`api_keys:read`');
    expect(described.description).toContain('`api_key.created`');
    expect(described.description).toContain('`secret`');
    expect(described.security).toEqual([{ api_key: ['api_keys:read'] }, { session: ['api_keys:read'] }]);
  });

  test('of everybody needs no key', () => {
    expect(describeOne({ access: 'public' }).operation.security).toEqual([]);
  });

  test('of a person alone takes no key, and a write says where it comes from', () => {
    const { document, operation: described } = describeOne({ access: 'user', method: 'POST' });
    expect(described.security).toEqual([{ session: [] }]);
    expect(parameter(document, described, 'Origin').example).toBe('https://api.test');
  });

  test('a path parameter is required and stands in the examples', () => {
    const { document, operation: described } = describeOne({
      path: '/things/{id}',
      params: IdParams('api_key'),
    });
    expect(parameter(document, described, 'id')).toMatchObject({
      in: 'path',
      required: true,
      example: 'key_01h2xcejqtf2nbrexx3vqjhp41',
    });
  });

  test('what may be left out has an example, but is left out of example calls', () => {
    const { document, operation: described } = describeOne({ query: ListQuery(createdFilters) });
    for (const name of ['limit', 'cursor', 'created_after', 'Fairlead-Workspace']) {
      const given = parameter(document, described, name);
      expect(given, name).toMatchObject({ required: false, examples: { default: { 'x-disabled': true } } });
      expect(given.examples.default.value, name).toBeDefined();
    }
  });

  test('takes an Idempotency-Key only where it counts', () => {
    const takes = (spec: Partial<OperationSpec>) => {
      const { document, operation: described } = describeOne({ method: 'POST', ...spec });
      return parameter(document, described, 'Idempotency-Key') !== undefined;
    };
    expect(takes({})).toBe(true);
    expect(takes({ idempotency: 'refused' })).toBe(false);
    expect(takes({ transaction: 'none' })).toBe(false);
    expect(takes({ access: 'public' })).toBe(false);
    expect(takes({ method: 'GET' })).toBe(false);
  });

  test('has an example of its body and of each answer', () => {
    const body = Strict({ name: Type.String({ description: 'Its name.', examples: ['one'] }) });
    const { document, operation: described } = describeOne({ method: 'POST', body });
    expect(described.requestBody.content['application/json'].example).toEqual({ name: 'one' });
    for (const [status, answer] of Object.entries<Json>(described.responses))
      for (const [type, { example, examples }] of Object.entries<Json>(deref(document, answer).content))
        expect(
          example ?? deref(document, Object.values<Json>(examples)[0]).value,
          `${status} ${type}`,
        ).toBeDefined();
  });
});
