/**
 * The API as a collection in Postman's format 2.1, which Bruno, Insomnia, Hoppscotch and others import too. It is
 * generated from the OpenAPI document, so it contains every operation: a folder for each group and tag, requests with
 * examples, and optional parts disabled. The key is the collection's variable `apiKey`, empty here.
 */
import { STATUS_CODES } from 'node:http';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  example?: unknown;
  examples?: { default: { value: unknown } };
}

interface Media {
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
  schema?: { properties?: Record<string, { format?: string; examples?: unknown[] }> };
}

interface ApiOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: [string];
  security: Record<string, unknown>[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, ApiResponse | { $ref: string }>;
}

interface ApiResponse {
  description: string;
  content?: Record<string, Media>;
}

/** The parts of the OpenAPI document that are used. */
export interface ReadDocument {
  info: { title: string; summary: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, ApiResponse>;
    examples: Record<string, { value: unknown }>;
  };
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const exampleText = ({ example, examples }: Parameter): string =>
  asText(example === undefined ? examples?.default.value : example);

function getUrl(path: string, parameters: Parameter[]) {
  const of = (where: Parameter['in']) => parameters.filter((parameter) => parameter.in === where);
  const segments = path
    .slice(1)
    .split('/')
    .map((segment) => segment.replace(/^\{(\w+)\}$/, ':$1'));
  const query = of('query').map((parameter) => ({
    key: parameter.name,
    value: exampleText(parameter),
    description: parameter.description ?? '',
    disabled: !parameter.required,
  }));
  const sent = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  return {
    raw: `{{baseUrl}}/${segments.join('/')}${sent.length ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: segments,
    query,
    // Inserted into the path unchanged, so a slash must be encoded here.
    variable: of('path').map((parameter) => ({
      key: parameter.name,
      value: encodeURIComponent(exampleText(parameter)),
      description: parameter.description ?? '',
    })),
  };
}

/** JSON where the operation takes it; else the form, with its file to be chosen. */
function getBody({ requestBody }: ApiOperation) {
  if (!requestBody) return {};
  const { 'application/json': json, 'multipart/form-data': form } = requestBody.content;
  if (json)
    return {
      body: {
        mode: 'raw',
        raw: JSON.stringify(json.example ?? {}, null, 2),
        options: { raw: { language: 'json' } },
      },
    };
  const fields = Object.entries(form?.schema?.properties ?? {});
  return {
    body: {
      mode: 'formdata',
      formdata: fields.map(([key, { format, examples }]) =>
        format === 'binary'
          ? { key, type: 'file', src: [] }
          : { key, type: 'text', value: asText(examples?.[0]), disabled: true },
      ),
    },
  };
}

const getName = (reference: string): string => reference.split('/').at(-1)!;

/** The example of an answer, its own or one that it shares. */
function getExample({ example, examples = {} }: Media, { components }: ReadDocument): unknown {
  const [shared] = Object.values(examples);
  return shared ? components.examples[getName(shared.$ref)]!.value : example;
}

/** Returns the examples of successful responses. */
function getResponses({ responses }: ApiOperation, originalRequest: object, document: ReadDocument) {
  return Object.entries(responses).flatMap(([status, given]) => {
    const { description, content } =
      '$ref' in given ? document.components.responses[getName(given.$ref)]! : given;
    const json = content?.['application/json'];
    const example = json && getExample(json, document);
    if (status >= '300' || example === undefined) return [];
    return {
      name: description,
      originalRequest,
      status: STATUS_CODES[status] ?? '',
      code: Number(status),
      _postman_previewlanguage: 'json',
      header: [{ key: 'Content-Type', value: 'application/json' }],
      cookie: [],
      body: JSON.stringify(example, null, 2),
    };
  });
}

function getItem(document: ReadDocument, path: string, method: string, operation: ApiOperation) {
  const parameters = operation.parameters.map((given) =>
    '$ref' in given ? document.components.parameters[getName(given.$ref)]! : given,
  );
  const body = getBody(operation);
  const header = [
    ...(body.body?.mode === 'raw' ? [{ key: 'Content-Type', value: 'application/json' }] : []),
    ...parameters
      .filter((parameter) => parameter.in === 'header')
      .map((parameter) => ({
        key: parameter.name,
        value: exampleText(parameter),
        description: parameter.description ?? '',
        disabled: true,
      })),
  ];
  const request = {
    method: method.toUpperCase(),
    header,
    url: getUrl(path, parameters),
    ...body,
    ...(operation.security.length ? {} : { auth: { type: 'noauth' } }),
    description: operation.description,
  };
  return { name: operation.summary, request, response: getResponses(operation, request, document) };
}

/** @param document of openApiDocument */
export function postmanCollection(document: ReadDocument): Record<string, unknown> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0]);
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  const variable = (key: string, value: string) => ({ key, value, type: 'string' });
  return {
    info: {
      name: document.info.title,
      description: `${document.info.summary}\n\nFill in the variable \`apiKey\`. Sending changes real things: look at a request before you send it.`,
      schema: SCHEMA,
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [variable('baseUrl', document.servers[0]!.url), variable('apiKey', '')],
    item: document['x-tagGroups'].map(({ name, tags }) => ({
      name,
      item: tags.map((tag) => ({
        name: tag,
        description: described.get(tag) ?? '',
        item: (byTag.get(tag) ?? []).map(({ path, method, operation }) =>
          getItem(document, path, method, operation),
        ),
      })),
    })),
  };
}
