/** The errors that an operation can answer, as OpenAPI responses: from the declaration and the catalogue alone. */
import { type ErrorCode, ERRORS } from '../../platform/http/errors.ts';
import { COMMON_HEADERS, header } from './openapi-headers.ts';
import { isWrite, type OperationSpec, takesIdempotencyKey, takesIfMatch } from './operation.ts';

type Json = Record<string, unknown>;

export const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'A problem answer (RFC 9457).',
  required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'The page of the error in the documentation.',
      examples: ['https://fairlead.example/docs/errors#not_found'],
    },
    title: { type: 'string', description: 'What kind of error it is.', examples: ['Not found'] },
    status: { type: 'integer', description: 'The HTTP status.', examples: [404] },
    code: { type: 'string', description: 'Stable; branch on this.', examples: ['not_found'] },
    detail: {
      type: 'string',
      description: 'What went wrong this time.',
      examples: ['There is no such API key in this workspace.'],
    },
    request_id: {
      type: 'string',
      description: 'Also in the header Fairlead-Request-Id.',
      examples: ['req_01h2xcejqtf2nbrexx3vqjhp41'],
    },
    errors: {
      type: 'array',
      description: 'All field errors; present if there are any.',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer into the body, or `?name` of a query parameter.',
            examples: ['/name'],
          },
          code: { type: 'string', description: 'What is wrong.', examples: ['too_long'] },
          detail: { type: 'string', description: 'What is allowed.', examples: ['at most 100 characters'] },
        },
      },
    },
    publication_id: {
      type: 'string',
      description: 'Only when a publication was rejected: its ID. Read it at `GET /publications/{id}`.',
      examples: ['pub_01h2xcejqtf2nbrexx3vqjhp41'],
    },
  },
};

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

/** The error responses by status. @param baseUrl whose pages `type` points to. */
export function errorResponses(spec: OperationSpec, baseUrl: string): Json {
  const byStatus = Map.groupBy(getErrorCodes(spec), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        status,
        {
          description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join(' '),
          headers: {
            ...COMMON_HEADERS,
            ...(status === 429 || status === 503 || status === 507
              ? { 'Retry-After': header('Seconds to wait.', 1) }
              : {}),
            ...(status === 401 ? { 'WWW-Authenticate': header('Always Bearer.', 'Bearer') } : {}),
          },
          content: {
            'application/problem+json': {
              schema: { $ref: '#/components/schemas/Problem' },
              examples: Object.fromEntries(
                codes.map((code) => [
                  code,
                  { summary: ERRORS[code].title, value: exampleProblem(code, baseUrl) },
                ]),
              ),
            },
          },
        },
      ]),
  );
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
