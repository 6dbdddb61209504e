/** Headers of answers, as OpenAPI. */
import { type OperationSpec, takesIdempotencyKey } from './operation.ts';
import { scopesOfAnswer } from './readable-answer.ts';

type Json = Record<string, unknown>;

/** A header with its meaning and an example of its value. */
export const header = (description: string, example: unknown): Json => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
});

const HEADERS = {
  'Fairlead-Request-Id': header(
    'Id of this request; name it when you report a fault.',
    'req_01h2xcejqtf2nbrexx3vqjhp41',
  ),
  'X-Request-Id': header(
    "The same id, where OpenAI's clients and other tools look for it.",
    'req_01h2xcejqtf2nbrexx3vqjhp41',
  ),
  'RateLimit-Policy': header(
    'The rule of the key: requests (`q`) per window in seconds (`w`), and the burst size (`burst`).',
    '"default";q=600;w=60;burst=120',
  ),
  RateLimit: header('Requests left (`r`), and the seconds until all are back (`t`).', '"default";r=119;t=1'),
  ETag: header(
    'Tag of the object, for `If-Match` and `If-None-Match`: its version and a digest of the body. Edits alone change the version; counters change the digest.',
    '"3-9f2c0a6b1d4e8f7a5c3b"',
  ),
  'Fairlead-Missing-Scope': header(
    'Only where the answer shows some objects as `{id, object}`: the scope that you lack to read them.',
    'links:read',
  ),
  'Idempotency-Replayed': header('Only where the answer is a stored one: `true`.', 'true'),
};

/** `components.headers`. */
export const HEADER_COMPONENTS: Json = HEADERS;

const refs = (...names: (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers that every answer has. */
export const COMMON_HEADERS = refs('Fairlead-Request-Id', 'X-Request-Id');

/** Headers of a success. */
export function successHeaders(spec: OperationSpec): Json {
  return {
    ...COMMON_HEADERS,
    ...(spec.access === 'public' ? {} : refs('RateLimit-Policy', 'RateLimit')),
    ...(spec.params && !spec.confidential && (spec.method === 'GET' || spec.method === 'PATCH')
      ? refs('ETag')
      : {}),
    ...(scopesOfAnswer(spec).length || spec.embedsObjects ? refs('Fairlead-Missing-Scope') : {}),
    ...(takesIdempotencyKey(spec) ? refs('Idempotency-Replayed') : {}),
  };
}
