/** Headers of answers, as OpenAPI. */
import { type OperationSpec, takesIdempotencyKey } from './operation.ts';
import { scopesOfAnswer } from './readable-answer.ts';

type Json = Record<string, unknown>;

/** A header with its meaning and an example of its value. */
const header = (description: string, example: unknown): Json => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string' },
  example,
});

const HEADERS = {
  'Fairlead-Request-Id': header(
    'The ID of the request. Include it when you report a problem.',
    'req_01h2xcejqtf2nbrexx3vqjhp41',
  ),
  'X-Request-Id': header(
    'The same ID, for compatibility with OpenAI clients and other tools.',
    'req_01h2xcejqtf2nbrexx3vqjhp41',
  ),
  'RateLimit-Policy': header(
    'The rate limit of the key: requests (`q`) per window in seconds (`w`), and the burst size (`burst`).',
    '"default";q=600;w=60;burst=120',
  ),
  RateLimit: header(
    'The remaining requests (`r`), and the seconds until the limit is fully restored (`t`).',
    '"default";r=119;t=1',
  ),
  ETag: header(
    'The ETag of the object, for `If-Match` and `If-None-Match`: its version and a digest of the body. Only edits change the version; counters change the digest.',
    '"3-9f2c0a6b1d4e8f7a5c3b"',
  ),
  'Fairlead-Missing-Scope': header(
    'The scope that you need to read objects that the response shows as `{id, object}`. Present only if there are any.',
    'links:read',
  ),
  'Fairlead-Provider': header('Slug of the model provider that responded.', 'fairlead'),
  'Fairlead-Model': header('ID of the model that responded.', 'fairlead/echo'),
  'Retry-After': header('Number of seconds to wait.', 1),
  'Retry-After-Ms': header('Number of milliseconds to wait, if the model provider says so.', 500),
  'X-Should-Retry': header('Whether to repeat the call, if the model provider says so.', 'false'),
  'WWW-Authenticate': header('Always `Bearer`.', 'Bearer'),
  'Idempotency-Replayed': header('`true` if the response is a replay by `Idempotency-Key`.', 'true'),
};

/** `components.headers`. */
export const HEADER_COMPONENTS: Json = HEADERS;

/** References to headers, as members of `headers`. */
export const headerRefs = (...names: (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers that every answer has. */
export const COMMON_HEADERS = headerRefs('Fairlead-Request-Id', 'X-Request-Id');

/** Headers of a success. */
export function successHeaders(spec: OperationSpec): Json {
  return {
    ...COMMON_HEADERS,
    ...(spec.access === 'public' ? {} : headerRefs('RateLimit-Policy', 'RateLimit')),
    ...(spec.params && !spec.confidential && (spec.method === 'GET' || spec.method === 'PATCH')
      ? headerRefs('ETag')
      : {}),
    ...(scopesOfAnswer(spec).length || spec.embedsObjects ? headerRefs('Fairlead-Missing-Scope') : {}),
    ...(spec.access === 'models:invoke' ? headerRefs('Fairlead-Provider', 'Fairlead-Model') : {}),
    ...(takesIdempotencyKey(spec) ? headerRefs('Idempotency-Replayed') : {}),
  };
}
