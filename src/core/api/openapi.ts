/**
 * OpenAPI 3.1 from the declared operations. Nothing is written by hand here but the frame: parameters, bodies,
 * answers, errors with their codes, scopes and events all come from the declarations.
 */
import { sessionCookieName } from '../auth/session-cookie.ts';
import { type Scope, scopesThatAllow } from '../vocabulary/scopes.ts';
import { getExample } from '../../platform/http/example.ts';
import {
  createErrorResponses,
  type ErrorResponses,
  OPENAI_ERROR_SCHEMA,
  PROBLEM_SCHEMA,
} from './openapi-errors.ts';
import { HEADER_COMPONENTS, successHeaders } from './openapi-headers.ts';
import { INTRODUCTION } from './openapi-introduction.ts';
import { createParameters, type Parameters } from './openapi-parameters.ts';
import { createHoist, type Hoist } from './openapi-schemas.ts';
import { type ShareableDocument, shareRepeatedParts } from './openapi-sharing.ts';
import type { Access, Operation, OperationSpec, Success } from './operation.ts';
import { scopesOfAnswer } from './readable-answer.ts';
import { API_PREFIX } from './register.ts';
import { TAG_GROUPS } from './tags.ts';
import type { UploadForm } from '../../platform/http/upload.ts';

type Json = Record<string, unknown>;

interface Shared {
  hoist: Hoist;
  errors: ErrorResponses;
  parameters: Parameters;
}

/**
 * Returns the example of a response. It is written under components if it belongs to a named schema, which many
 * operations return.
 */
function toExample({ schema, example }: Success, hoisted: unknown, shared: Json): Json {
  const { $ref } = hoisted as { $ref?: string };
  if (example !== undefined || $ref === undefined) return { example: example ?? getExample(schema) };
  const name = $ref.split('/').at(-1)!;
  shared[name] ??= { value: getExample(schema) };
  return { examples: { [name]: { $ref: `#/components/examples/${name}` } } };
}

function successResponse(success: Success, spec: OperationSpec, { hoist, errors }: Shared): Json {
  const { description, schema, example, eventSchema } = success;
  const headers = successHeaders(spec);
  // Where there is no schema the example is of the stream.
  const sample = schema ? 'data: {"object": "…"}\n\n' : example;
  const streams = (spec.produces ?? []).map((type) => [
    type,
    type === 'text/event-stream'
      ? {
          schema: { type: 'string' },
          example: sample,
          ...(eventSchema ? { 'x-event-data': hoist(eventSchema) } : {}),
        }
      : { schema: { type: 'string', ...(type.startsWith('image/') ? { format: 'binary' } : {}) } },
  ]);
  if (spec.binary) {
    const types = spec.produces ?? ['*/*'];
    const file = { schema: { type: 'string', format: 'binary' } };
    return { description, headers, content: Object.fromEntries(types.map((type) => [type, file])) };
  }
  if (!schema && !streams.length) return { description, headers };
  const hoisted = schema && hoist(schema);
  const json = hoisted && { schema: hoisted, ...toExample(success, hoisted, errors.examples) };
  const content = { ...(json ? { 'application/json': json } : {}), ...Object.fromEntries(streams) };
  return { description, headers, ...toContent(content, json ? 'application/json' : null) };
}

/**
 * Returns `content` with one type, and the others under `x-other-content`. Of several types, generators use the first or
 * a union whose members they send and read as if all were JSON.
 * @param usual the type that stays; null for all
 */
function toContent(all: Json, usual: string | null): Json {
  if (usual === null) return { content: all };
  const { [usual]: kept, ...others } = all;
  return {
    content: { [usual]: kept },
    ...(Object.keys(others).length > 0 ? { 'x-other-content': others } : {}),
  };
}

const WHO: Partial<Record<Access, string>> = {
  public: 'everyone, without authentication',
  anyone: 'any API key or signed-in user',
  user: 'signed-in users; API keys are not accepted',
  actor: 'any API key or member of the workspace, regardless of scopes',
};

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

/** Properties that follow from the declaration, as a list below the description. */
function getDescription(spec: OperationSpec): string {
  const who = WHO[spec.access];
  const also = code(spec.alsoNeeds ?? []);
  const facts = [
    who
      ? `**Access** ${who}${also && `; an API key requires the scope ${also}`}`
      : `**Scope** ${scopesThatAllow(spec.access as Scope)
          .map((scope) => code([scope]))
          .join(' or ')}${also && `, and ${also}`}`,
    ...(spec.events?.length ? [`**Events** ${code(spec.events)}`] : []),
    ...scopesOfAnswer(spec).map(
      (scope) =>
        `**Without** ${code([scope])}, objects that this request did not create are returned as \`{id, object}\``,
    ),
    ...(spec.secrets?.length ? [`**Shown once** ${code(spec.secrets)}`] : []),
    ...(spec.deprecated
      ? [`**Deprecated** since ${spec.deprecated.since}; works until ${spec.deprecated.sunset}`]
      : []),
  ];
  return [spec.description, facts.map((fact) => `- ${fact}`).join('\n')].filter(Boolean).join('\n\n');
}

/** The file beside the form's fields. */
function toForm({ fields, maxBytes }: UploadForm, hoist: Hoist): Json {
  const schema = hoist(fields) as { properties?: Json };
  const description = `The file, up to ${maxBytes} bytes.`;
  const file = { type: 'string', format: 'binary', description, examples: ['(its bytes)'] };
  return { ...schema, required: ['file'], properties: { file, ...schema.properties } };
}

function getRequestBody(spec: OperationSpec, hoist: Hoist): Json {
  const { body, upload, anyBody, documentedType = 'application/json' } = spec;
  if (anyBody) {
    const types = Object.entries(anyBody.content).map(([type, { schema, example }]) => [
      type,
      { schema: hoist(schema), example },
    ]);
    return { requestBody: { required: false, ...toContent(Object.fromEntries(types), documentedType) } };
  }
  if (!body) return {};
  const file = { schema: { type: 'string', format: 'binary' } };
  const content = {
    'application/json': { schema: hoist(body), example: spec.bodyExample ?? getExample(body) },
    ...(upload ? { 'multipart/form-data': { schema: toForm(upload, hoist) } } : {}),
    ...Object.fromEntries((upload?.raw ?? []).map((type) => [type, file])),
  };
  const { required = [] } = body as { required?: string[] };
  return { requestBody: { required: required.length > 0, ...toContent(content, documentedType) } };
}

function operationObject({ spec }: Operation, shared: Shared): Json {
  const { hoist, errors, parameters } = shared;
  const responses = [spec.success, spec.otherSuccess]
    .filter((item) => item !== undefined)
    .map((item) => [item.status, successResponse(item, spec, shared)]);
  return {
    operationId: spec.id,
    summary: spec.summary,
    description: getDescription(spec),
    tags: [spec.tag],
    ...(spec.deprecated ? { deprecated: true } : {}),
    security: getSecurity(spec),
    'x-access': spec.access,
    ...(spec.alsoNeeds ? { 'x-also-needs': spec.alsoNeeds } : {}),
    ...(spec.events ? { 'x-events': spec.events } : {}),
    parameters: parameters.of(spec),
    ...getRequestBody(spec, hoist),
    responses: { ...Object.fromEntries(responses), ...errors.of(spec) },
  };
}

function getSecurity({ access, alsoNeeds = [] }: OperationSpec): Json[] {
  if (access === 'public') return [];
  const scopes = [...(access.includes(':') ? [access] : []), ...alsoNeeds];
  if (access === 'user') return [{ session: [] }];
  return [{ api_key: scopes }, { session: scopes }];
}

/** The tags in use, in their groups. */
function getTagGroups(
  operations: Operation[],
): { name: string; tags: { name: string; description: string }[] }[] {
  const used = new Set<string>(operations.map(({ spec }) => spec.tag));
  return TAG_GROUPS.map(({ name, tags }) => ({
    name,
    tags: Object.entries(tags)
      .filter(([tag]) => used.has(tag))
      .map(([tag, description]) => ({ name: tag, description })),
  })).filter(({ tags }) => tags.length > 0);
}

/**
 * Adds parts that operations do not declare. Called after them, with the schemas under components so far, to which it
 * may add.
 */
export type DocumentPart = (
  hoist: Hoist,
  schemas: Json,
) => { webhooks: Json; parameters: Json; responses: Json };

/**
 * The document.
 * @param baseUrl origin that the reader reached this server by
 * @param part adds the webhooks; without it the document has operations alone
 */
export function openApiDocument(operations: Operation[], baseUrl: string, part?: DocumentPart): Json {
  const { hoist, schemas } = createHoist();
  const errors = createErrorResponses(baseUrl);
  const parameters = createParameters(hoist, baseUrl);
  const shared = { hoist, errors, parameters };
  const byPath = Map.groupBy(operations, ({ spec }) => `${API_PREFIX}${spec.path.replace('*}', '}')}`);
  const paths = Object.fromEntries(
    [...byPath].map(([path, group]) => [
      path,
      Object.fromEntries(
        group.map((item) => [item.spec.method.toLowerCase(), operationObject(item, shared)]),
      ),
    ]),
  );
  const added = part?.(hoist, schemas);
  const groups = getTagGroups(operations);
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead API',
      version: '1',
      summary: 'One API over messaging channels, short links, automation and AI models.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This server' }],
    tags: groups.flatMap(({ tags }) => tags),
    'x-tagGroups': groups.map(({ name, tags }) => ({ name, tags: tags.map((tag) => tag.name) })),
    paths,
    ...(added ? { webhooks: added.webhooks } : {}),
    components: {
      securitySchemes: {
        api_key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `fl_` followed by 36 characters.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookieName({ baseUrl }),
          description: 'The session cookie of the console.',
        },
      },
      headers: HEADER_COMPONENTS,
      responses: { ...errors.responses, ...added?.responses },
      examples: errors.examples,
      parameters: { ...parameters.parameters, ...added?.parameters },
      schemas: {
        Problem: PROBLEM_SCHEMA,
        OpenAiError: OPENAI_ERROR_SCHEMA,
        ...schemas,
      },
    },
  };
  shareRepeatedParts(document as unknown as ShareableDocument);
  return document;
}
