/** The document as programs of others read it: small, and with patterns that mean the same in every engine. */
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_KINDS } from '../src/app/surfaces.ts';
import { EVENT_TYPES } from '../src/core/vocabulary/event-catalog.ts';
import { createEventTypes } from '../src/core/events/event-type.service.ts';
import { printableDocument } from './openapi.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document is any JSON
type Json = any;

const MAX_BYTES = 1_200_000;
const RUNS = 500;
const document: Json = printableDocument();

test('has at most 1.2 MB', () => {
  expect(Buffer.byteLength(JSON.stringify(document))).toBeLessThan(MAX_BYTES);
});

test('refers to each component', () => {
  const used = new Set<string>();
  JSON.stringify(document, (name, value: unknown) => {
    if (name === '$ref') used.add(value as string);
    return value;
  });
  const { securitySchemes: _named, ...components } = document.components;
  const all = Object.entries<object>(components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  expect(all.filter((ref) => !used.has(ref))).toEqual([]);
  expect([...used].filter((ref) => !all.includes(ref))).toEqual([]);
});

test('writes no parameter or response of two operations twice', () => {
  const own = Object.values<Json>(document.paths)
    .flatMap((methods) => Object.values<Json>(methods))
    .flatMap(({ parameters, responses }) => [...parameters, ...Object.values(responses)])
    .filter((part) => part.$ref === undefined)
    .map((part) => JSON.stringify(part));
  expect(own.filter((text, nth) => own.indexOf(text) !== nth)).toEqual([]);
});

test('shows generators one content type of each request and response', () => {
  const several = Object.values<Json>(document.paths)
    .flatMap((methods) => Object.values<Json>(methods))
    .filter(
      ({ requestBody = {}, responses }) =>
        Object.keys(requestBody.content ?? {}).length > 1 ||
        (responses[200]?.content?.['application/json'] && Object.keys(responses[200].content).length > 1),
    )
    .map(({ operationId }) => operationId);
  expect(several).toEqual([]);
});

const patterns = new Set<string>();
JSON.stringify(document, (name, value: unknown) => {
  if (name === 'pattern' && typeof value === 'string') patterns.add(value);
  return value;
});

/** Spaces, separators and controls of several blocks, halves of pairs, and characters outside the basic plane. */
const ODD = [
  ...Array.from(' ,/-_a1A\t\n\0\u007f\u0085\u009f\u00a0\u2028\u2029\ufeff😀\u{10ffff}'),
  '\ud83d',
  '\ude00',
];
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ODD), maxLength: 8 }),
  fc.string({ unit: fc.oneof(fc.constantFrom(...ODD), fc.constantFrom('p', 'b')), maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

describe('patterns', () => {
  test('are there', () => expect(patterns.size).toBeGreaterThan(40));

  test.for([...patterns])('%s is without categories, look-behind and flags', (pattern) => {
    expect(pattern).not.toMatch(/\\[pP]\{|\(\?<|\(\?[a-z-]+[:)]|\\u\{/);
  });

  test.for([...patterns])('%s means the same with and without the flag u', (pattern) => {
    const [unicode, plain] = [new RegExp(pattern, 'u'), new RegExp(pattern)];
    fc.assert(
      fc.property(text, (given) => {
        expect(plain.test(given)).toBe(unicode.test(given));
      }),
      { numRuns: RUNS },
    );
  });

  const { schemas } = document.components;
  test.for([
    ['names of tags', schemas.TagName, '^ *[^,\\s\\p{Cc}\\p{Cs}][^,\\p{Cc}\\p{Cs}]*$'],
    [
      'names of models',
      schemas.ModelProviderModel.properties.id,
      '^(?=\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]*[^\\s\\p{Cc}\\p{Cs}]$',
    ],
    ['IDs of models', schemas.ApiKey.properties.allowed_models.items, '^[^\\s/\\p{Cc}]+/[^\\p{Cc}\\p{Cs}]+$'],
  ] as [string, Json, string][])(
    '%s are those that Unicode’s categories describe',
    ([, schema, category]) => {
      const [shown, meant] = [new RegExp(schema.pattern), new RegExp(category, 'u')];
      expect(schema.pattern).not.toBe(category);
      fc.assert(
        fc.property(
          fc.oneof(
            text,
            fc.tuple(text, text).map((parts) => parts.join('/')),
          ),
          (given) => {
            expect(shown.test(given)).toBe(meant.test(given));
          },
        ),
        { numRuns: 5 * RUNS },
      );
    },
  );
});

describe('events', () => {
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  (addFormats as unknown as (given: object) => void)(ajv);
  ajv.addSchema({ $id: 'doc', components: document.components });
  const eventTypes = createEventTypes(EVENT_KINDS);
  const getSchema = (type: string): string =>
    document.webhooks[type].post.requestBody.content['application/json'].schema.$ref;
  const getErrors = (ref: string, event: unknown): string[] => {
    ajv.validate(`doc${ref}`, event);
    return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  test('have a webhook each, and those of the stream have none', () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
    expect(document.webhooks).not.toHaveProperty('chat.typing');
  });

  test.for([...EVENT_TYPES])('%s is one by its type, with data of its own', (type) => {
    const { sample } = eventTypes.get(type);
    expect(getErrors(getSchema(type), sample)).toEqual([]);
    expect(getErrors('#/components/schemas/Event', sample)).toEqual([]);
    expect(getErrors(getSchema(type), { ...sample, data: { object: {} } })).not.toEqual([]);
    expect(getErrors(getSchema(type), { ...sample, type: 'other' })).not.toEqual([]);
    const { oneOf, discriminator } = document.components.schemas.Event;
    expect(discriminator.mapping[type]).toBe(getSchema(type));
    expect(oneOf).toContainEqual({ $ref: getSchema(type) });
  });

  test('about an erased contact are events still', () => {
    const { sample } = eventTypes.get('message.received');
    const data = { object: { id: 'msg_01h2xcejqtf2nbrexx3vqjhp41', object: 'message', erased: true } };
    expect(getErrors('#/components/schemas/Event', { ...sample, data })).toEqual([]);
    const key = eventTypes.get('api_key.created').sample;
    expect(getErrors('#/components/schemas/Event', { ...key, data })).not.toEqual([]);
  });
});
