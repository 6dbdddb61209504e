/**
 * The operations that a server documents in /openapi.json, read as a stranger would: what spans all operations is
 * tested from here, so that an operation added later is tested by being documented.
 */
import { type AnySchema, type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Scope } from '../../src/core/vocabulary/scopes.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document is any JSON
export type Json = any;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  example: unknown;
  schema: Json;
}

export interface ApiOperation {
  id: string;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With `{name}` parameters, from the root of the server. */
  path: string;
  /** `x-access`: a scope, or a kind of caller. Undefined where none is declared. */
  access: string | undefined;
  /** `x-also-needs`: further scopes that a key or member needs. */
  alsoNeeds: Scope[];
  parameters: Parameter[];
  body: { schema: Json; example: Json } | null;
  /** Statuses of success, in the order of the document. */
  successes: number[];
  /** Whether it answers a stream of events. */
  streams: boolean;
  /** As in the document, but each response stands in its place. */
  document: Json;
}

/** All content types of a request or response: the one for generators, and others. */
export const getContent = (part: Json): Record<string, Json> => ({
  ...part?.content,
  ...part?.['x-other-content'],
});

/** What is sent there is anybody's own: JSON of any form, texts, and any query. */
export const takesAnything = ({ document }: ApiOperation): boolean =>
  'text/plain' in getContent(document.requestBody);

export interface ApiDocument {
  operations: ApiOperation[];
  /**
   * Faults of a body against the schema that the operation documents for this status; empty when it holds. A body
   * that is text, as a stream, is not looked into.
   */
  getErrors(operation: ApiOperation, status: number, body: unknown): string[];
  /** Codes of errors that the operation documents, whatever their status. */
  getCodes(operation: ApiOperation): Set<string>;
  /** What a `$ref` of the document points at; anything else as it is. */
  resolve(part: Json): Json;
  /** The kinds of object that a schema describes, each with all of its properties. */
  getVariants(schema: Json): Json[];
}

const resolve = (json: Json, part: Json): Json =>
  typeof part?.$ref === 'string'
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, name: string) => at[name], json)
    : part;

function getVariants(json: Json, schema: Json): Json[] {
  const { oneOf, allOf = [], ...whole } = resolve(json, schema);
  if (oneOf) return oneOf.flatMap((one: Json) => getVariants(json, one));
  const parts: Json[] = allOf.flatMap((part: Json) => getVariants(json, part));
  return [
    { ...whole, properties: Object.assign({}, ...parts.map((part) => part.properties), whole.properties) },
  ];
}

/** The examples of a parameter or content: one under `example`, or several with names. */
const examplesIn = (json: Json, { example, examples = {} }: Json): Json[] =>
  example === undefined
    ? Object.values<Json>(examples).map((given) => resolve(json, given).value)
    : [example];

function readOperation(json: Json, path: string, method: string, operation: Json): ApiOperation {
  const content = getContent(operation.requestBody)['application/json'];
  const responses = Object.fromEntries(
    Object.entries<Json>(operation.responses).map(([status, given]) => [status, resolve(json, given)]),
  );
  const parameters = (operation.parameters ?? []).map((given: Json) => {
    const parameter = resolve(json, given);
    return { ...parameter, example: examplesIn(json, parameter)[0] };
  });
  return {
    id: operation.operationId,
    method: method.toUpperCase() as ApiOperation['method'],
    path,
    access: operation['x-access'],
    alsoNeeds: operation['x-also-needs'] ?? [],
    parameters,
    body: content ? { schema: resolve(json, content.schema), example: examplesIn(json, content)[0] } : null,
    successes: Object.keys(operation.responses)
      .map(Number)
      .filter((status) => status < 300),
    streams: JSON.stringify(responses).includes('text/event-stream'),
    document: { ...operation, responses },
  };
}

/** @param base origin of a running server */
export async function readApiDocument(base: string): Promise<ApiDocument> {
  const json: Json = await (await fetch(`${base}/openapi.json`)).json();
  const operations = Object.entries<Json>(json.paths).flatMap(([path, group]) =>
    Object.entries<Json>(group).map(([method, operation]) => readOperation(json, path, method, operation)),
  );
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  (addFormats as unknown as (given: object) => void)(ajv);
  ajv.addSchema({ $id: 'doc', components: json.components });
  const compiled = new Map<string, ValidateFunction | null>();

  const getValidator = (operation: ApiOperation, status: number): ValidateFunction | null => {
    const name = `${operation.id} ${status}`;
    let validate = compiled.get(name);
    if (validate === undefined) {
      const response = operation.document.responses[status];
      const schema = Object.entries<Json>(response?.content ?? {}).find(([type]) => /json/.test(type))?.[1]
        .schema;
      const text = schema && JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/');
      validate = text ? ajv.compile(JSON.parse(text) as AnySchema) : null;
      compiled.set(name, validate);
    }
    return validate;
  };

  return {
    resolve: (part) => resolve(json, part),
    getVariants: (schema) => getVariants(json, schema),
    operations,
    getErrors(operation, status, body) {
      if (!operation.document.responses[status]) return [`${operation.id} does not document ${status}`];
      const { content } = operation.document.responses[status];
      if (content && typeof body === 'string') return [];
      const validate = getValidator(operation, status);
      if (!validate) return body === '' || body === undefined ? [] : ['a body, where none is documented'];
      if (validate(body)) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
    getCodes: (operation) =>
      new Set(
        Object.values<Json>(operation.document.responses)
          .map(({ content }) => content?.['application/problem+json'])
          .flatMap((content) => (content ? examplesIn(json, content) : []))
          .map(({ code }) => code),
      ),
  };
}

/** Example values for the required query parameters. */
export const exampleQuery = ({ parameters }: ApiOperation): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name, example }) => [name, String(example)]),
  );

/** The path with its parameters in place, percent-encoded, and a query where there is one. */
export function fillPath(
  path: string,
  values: Record<string, string>,
  query: Record<string, string> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(values[name]!));
  const search = new URLSearchParams(query).toString();
  return search ? `${filled}?${search}` : filled;
}
