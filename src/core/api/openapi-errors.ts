/** The errors that an operation can answer, as OpenAPI responses: from the declaration and the catalog alone. */
import { type ErrorCode, ERRORS } from '../../platform/http/errors.ts';
import { openAiError } from '../../platform/http/openai-errors.ts';
import { Problem } from '../../platform/http/problem.ts';
import { toPascalCase } from '../../platform/http/schema.ts';
import { COMMON_HEADERS, headerRefs } from './openapi-headers.ts';
import { isWrite, type OperationSpec, takesIdempotencyKey, takesIfMatch } from './operation.ts';

type Json = Record<string, unknown>;

export const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'An error (RFC 9457).',
  required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'The documentation of the error.',
      examples: ['https://fairlead.example/docs/errors#not_found'],
    },
    title: { type: 'string', description: 'A short description of the error code.', examples: ['Not found'] },
    status: { type: 'integer', description: 'The HTTP status.', examples: [404] },
    code: { type: 'string', description: 'The error code. Codes are stable.', examples: ['not_found'] },
    detail: {
      type: 'string',
      description: 'An explanation of this error.',
      examples: ['There is no such API key in this workspace.'],
    },
    request_id: {
      type: 'string',
      description: 'The ID of the request, also in the header `Fairlead-Request-Id`.',
      examples: ['req_01h2xcejqtf2nbrexx3vqjhp41'],
    },
    errors: {
      type: 'array',
      description: 'All invalid fields, if any.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'A JSON pointer into the body, or `?name` for a query parameter.',
            examples: ['/name'],
          },
          code: { type: 'string', description: 'Code of the field error.', examples: ['too_long'] },
          detail: {
            type: 'string',
            description: 'An explanation of the field error.',
            examples: ['at most 100 characters'],
          },
          suggestion: {
            type: 'string',
            description:
              'A value that would be accepted, such as a free slug. Only present where one is known.',
            examples: ['spring-2'],
          },
        },
      },
    },
    resets_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the next window of the exceeded budget begins; null for a budget that never resets.',
      examples: ['2026-02-01T00:00:00.000Z'],
    },
    window_closed_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'When the reply window of the chat closed; null if the other side has never written. Send a template instead.',
      examples: ['2026-01-16T09:30:00.000Z'],
    },
    budget_id: {
      type: 'string',
      description: 'The ID of the budget that a model call would exceed.',
      examples: ['bud_01h2xcejqtf2nbrexx3vqjhp41'],
    },
    publication_id: {
      type: 'string',
      description: 'The ID of the publication, if a publication was rejected.',
      examples: ['pub_01h2xcejqtf2nbrexx3vqjhp41'],
    },
  },
};

/** One type for both content types of these errors, because generators use only one. */
export const OPENAI_ERROR_SCHEMA = {
  type: 'object',
  description:
    "An error of a model call in OpenAI's form: of the model provider, with its status and passed unchanged, so that it can have more fields; or of Fairlead, which is a problem as well.",
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      description: 'The error.',
      properties: {
        message: {
          type: 'string',
          description: "The provider's reason.",
          examples: ['Rate limit reached for gpt-5.'],
        },
        type: { type: ['string', 'null'], description: 'The kind of error.', examples: ['requests'] },
        param: {
          type: ['string', 'null'],
          description: 'The parameter that caused it.',
          examples: ['messages'],
        },
        code: {
          type: ['string', 'integer', 'null'],
          description: 'The error code. Some providers send a number.',
          examples: ['rate_limit_exceeded'],
        },
      },
    },
    ...PROBLEM_SCHEMA.properties,
  },
};

const MODEL_ERROR = { $ref: '#/components/schemas/OpenAiError' };

const AUTHENTICATED: ErrorCode[] = ['invalid_key', 'key_expired', 'key_revoked', 'not_signed_in'];

/** No disk is needed for it. Another that goes on while one is nearly full fails where it is full to the last byte. */
const keepsNothing = ({ whenFull, transaction }: OperationSpec): boolean =>
  whenFull === 'goes_on' && transaction === 'none';

/** All codes that an operation can answer. */
export function getErrorCodes(spec: OperationSpec): ErrorCode[] {
  const open = spec.access === 'public';
  return [
    ...new Set<ErrorCode>([
      'invalid_request',
      ...(isWrite(spec) ? (['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const) : []),
      ...(spec.query && 'cursor' in ((spec.query as { properties?: Json }).properties ?? {})
        ? (['invalid_cursor'] as const)
        : []),
      ...(open
        ? []
        : [
            ...AUTHENTICATED,
            'ip_not_allowed' as const,
            'origin_not_allowed' as const,
            'rate_limited' as const,
          ]),
      ...(open || spec.access === 'anyone' || spec.access === 'user'
        ? []
        : (['insufficient_scope', 'workspace_required'] as const)),
      ...(spec.alsoNeeds ? (['insufficient_scope'] as const) : []),
      ...(spec.access === 'user' ? (['session_required'] as const) : []),
      ...(spec.params ? (['not_found'] as const) : []),
      'not_acceptable',
      ...(takesIfMatch(spec) ? (['precondition_failed'] as const) : []),
      ...(takesIdempotencyKey(spec) ? (['idempotency_in_progress', 'idempotency_mismatch'] as const) : []),
      ...(spec.idempotency === 'refused' ? (['idempotency_not_supported'] as const) : []),
      ...(spec.errors ?? []),
      ...(isWrite(spec) && !keepsNothing(spec) ? (['storage_full'] as const) : []),
      'internal_error',
      'unavailable',
    ]),
  ];
}

const PROVIDER_ERROR = {
  'application/json': {
    schema: MODEL_ERROR,
    examples: { provider_error: { $ref: '#/components/examples/provider_error' } },
  },
};
const PROVIDER_EXAMPLE = {
  summary: 'An error of the model provider',
  value: {
    error: {
      message: 'Rate limit reached for gpt-5.',
      type: 'requests',
      param: null,
      code: 'rate_limit_exceeded',
    },
  },
};

/** A provider may respond with any status, also with one that this API has an error of its own for. */
const PROVIDER_RESPONSE = {
  description: `An error of the model provider with its status. Errors that are not in OpenAI's form are a problem with the code \`model_provider_error\`.`,
  headers: { ...COMMON_HEADERS, ...headerRefs('Retry-After', 'Retry-After-Ms', 'X-Should-Retry') },
  content: {
    ...PROVIDER_ERROR,
    'application/problem+json': { schema: MODEL_ERROR },
  },
};

/** Codes that come together, and the name of a response that has all of them. */
const GROUPS: readonly (readonly [name: string, codes: readonly ErrorCode[]])[] = [
  ['Unauthorized', AUTHENTICATED],
  ['Forbidden', ['ip_not_allowed', 'origin_not_allowed', 'insufficient_scope', 'workspace_required']],
];

/** A response with more parts than this has no readable name, so that each operation has its own. */
const MAX_PARTS = 3;

/** The name of a response under components, made from its codes alone so that it is stable; null if it would be long. */
function getResponseName(codes: readonly ErrorCode[], passesErrors: boolean): string | null {
  const groups = GROUPS.filter(([, all]) => all.every((code) => codes.includes(code)));
  const grouped = new Set(groups.flatMap(([, all]) => all));
  const parts = [
    ...groups.map(([name]) => name),
    ...codes.filter((code) => !grouped.has(code)).map(toPascalCase),
    ...(passesErrors ? ['ProviderError'] : []),
  ];
  return parts.length > MAX_PARTS ? null : parts.join('Or');
}

const CATALOG_ORDER = new Map(Object.keys(ERRORS).map((code, index) => [code, index]));

export interface ErrorResponses {
  /** The error responses of an operation, by status. */
  of(spec: OperationSpec): Json;
  /** `components.responses`: those that `of` referred to. */
  responses: Json;
  /** `components.examples`: an example of each code. */
  examples: Json;
}

/** Collects the error responses of a document. @param baseUrl whose pages `type` points to */
export function createErrorResponses(baseUrl: string): ErrorResponses {
  const responses: Json = {};
  const examples: Json = {};

  const share = (name: string, response: Json): Json => {
    responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  };

  const toExample = (code: ErrorCode, passesErrors: boolean): Json => {
    const name = passesErrors ? `model_call_${code}` : code;
    const value = exampleProblem(code, baseUrl);
    const { title, help } = ERRORS[code];
    const more = passesErrors ? openAiError(new Problem(code, help)) : {};
    examples[name] = { summary: title, value: { ...value, ...more } };
    return { $ref: `#/components/examples/${name}` };
  };

  const toResponse = (status: number, codes: readonly ErrorCode[], passesErrors: boolean): Json => {
    if (passesErrors) examples['provider_error'] = PROVIDER_EXAMPLE;
    const response = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
      headers: {
        ...COMMON_HEADERS,
        ...(status === 429 || status === 503 || status === 507 ? headerRefs('Retry-After') : {}),
        ...(status === 401 ? headerRefs('WWW-Authenticate') : {}),
      },
      content: {
        ...(passesErrors ? PROVIDER_ERROR : {}),
        'application/problem+json': {
          schema: passesErrors ? MODEL_ERROR : { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(codes.map((code) => [code, toExample(code, passesErrors)])),
        },
      },
    };
    const name = getResponseName(codes, passesErrors);
    return name === null ? response : share(name, response);
  };

  return {
    responses,
    examples,
    of(spec) {
      const codes = getErrorCodes(spec).sort((a, b) => CATALOG_ORDER.get(a)! - CATALOG_ORDER.get(b)!);
      const passesErrors = spec.errors?.includes('model_provider_error') ?? false;
      const own = Object.fromEntries(
        [...Map.groupBy(codes, (code) => ERRORS[code].status)]
          .sort(([a], [b]) => a - b)
          .map(([status, group]) => [status, toResponse(status, group, passesErrors)]),
      );
      if (!passesErrors) return own;
      // A range of statuses, such as 4XX, makes orval write TypeScript that does not compile.
      return { ...own, default: share('ProviderError', PROVIDER_RESPONSE) };
    },
  };
}

function exampleProblem(code: ErrorCode, baseUrl: string): Json {
  const { status, title, help } = ERRORS[code];
  return {
    type: `${baseUrl}/docs/errors#${code}`,
    title,
    status,
    code,
    detail: help,
    request_id: 'req_01h2xcejqtf2nbrexx3vqjhp41',
  };
}
