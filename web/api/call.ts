/**
 * Calls of `/api/v1` as data, typed by the OpenAPI document. The console sends exactly the call that it shows as cURL:
 * a call is created once (`updateTag(id, body)`), shown by `AsCurl` and sent by `send`.
 */
import type { CallExample } from './curl.ts';
import { fetchOrProblem, REQUEST_ID, WORKSPACE_HEADER } from './client.ts';
import { parseJson } from './exact-json.ts';
import { getProblem, networkProblem } from './problem.ts';
import type { paths } from './schema.d.ts';

/** @template R type of the response */
export interface ApiCall<R = unknown> extends CallExample {
  /** Carries the response type; never set at run time. */
  readonly answer?: R;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<M extends Method, P> = P extends keyof paths ? Extract<paths[P][M], object> : never;
/** Paths under `/api/v1` that have a method. */
type PathOf<M extends Method> = {
  [P in keyof paths]: P extends `/api/v1${infer Short}`
    ? paths[P][M] extends object
      ? Short
      : never
    : never;
}[keyof paths];

/** Members that are undefined are left out of the query. */
type Loose<Q> = { [N in keyof Q]: Q[N] | undefined };
type Json<C> = C extends { content: { 'application/json': infer B } } ? B : never;
type PathPart<O> = O extends { parameters: { path: infer V } } ? { path: V } : unknown;
type QueryPart<O> = O extends { parameters: { query: infer Q } }
  ? { query: Loose<Q> }
  : O extends { parameters: { query?: infer Q } }
    ? { query?: Loose<NonNullable<Q>> }
    : unknown;
type BodyPart<O> = O extends { requestBody: infer B }
  ? { body: Json<B> }
  : O extends { requestBody?: infer B }
    ? { body?: Json<NonNullable<B>> }
    : unknown;
type Parts<O> = PathPart<O> & QueryPart<O> & BodyPart<O>;
type Success = 200 | 201 | 202 | 204 | '200' | '201' | '202' | '204';
type Answer<O> = O extends { responses: infer R }
  ? {
      [S in keyof R & Success]: R[S] extends { content: { 'application/json': infer B } } ? B : undefined;
    }[keyof R & Success]
  : never;

/** The JSON body of an operation's requests: `BodyOf<'post', '/tags'>`. */
export type BodyOf<M extends Method, P extends PathOf<M>> =
  Parts<Operation<M, `/api/v1${P}`>> extends {
    body?: infer B;
  }
    ? NonNullable<B>
    : never;
/** The query of a list without its pages: `FilterOf<'/tags'>`. */
export type FilterOf<P extends PathOf<'get'>> =
  Parts<Operation<'get', `/api/v1${P}`>> extends {
    query?: infer Q;
  }
    ? Omit<NonNullable<Q>, 'limit' | 'cursor'>
    : never;

interface AnyParts {
  path?: object;
  query?: object;
  body?: unknown;
}

/** A path with those parts of a query that have a value. */
export function pathWith(path: string, query: object): string {
  const given = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  if (given.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(given).toString()}`;
}

/** A value as one part of a path. Dots alone would name another path, also where they are encoded once. */
const encodePart = (value: unknown): string =>
  encodeURIComponent(String(value)).replace(/^\.{1,2}$/, (dots) => '%252E'.repeat(dots.length));

const fill = (path: string, values: object): string =>
  Object.entries(values).reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, encodePart(value)),
    path,
  );

const caller =
  <M extends Method>(method: M) =>
  <P extends PathOf<M>>(
    path: P,
    ...args: object extends Parts<Operation<M, `/api/v1${P}`>>
      ? [parts?: Parts<Operation<M, `/api/v1${P}`>>]
      : [parts: Parts<Operation<M, `/api/v1${P}`>>]
  ): ApiCall<Answer<Operation<M, `/api/v1${P}`>>> => {
    // The compiler can't follow the union of all operations.
    const { path: values = {}, query = {}, body } = ((args as readonly unknown[])[0] ?? {}) as AnyParts;
    return {
      method: method.toUpperCase() as CallExample['method'],
      path: pathWith(fill(path, values), query),
      ...(body !== undefined && { body }),
    };
  };

export const get = caller('get');
export const post = caller('post');
export const put = caller('put');
export const patch = caller('patch');
export const del = caller('delete');

export interface SendOptions {
  signal?: AbortSignal;
  /** The ETag of the version that was edited; null overwrites any version. */
  version?: string | null;
  /** Of a call that may be sent again. */
  idempotencyKey?: string;
  /** The answer is text, such as an SVG. */
  isText?: boolean;
}

/** An object with the version that was read: its ETag, for `If-Match`. */
export interface Tagged<T> {
  object: T;
  version: string | null;
}

/**
 * Sends a call and returns the response with its version.
 * @param workspaceId `ws_…`; null for calls outside any workspace
 * @throws ApiProblem with the server's error, or `network`
 */
export async function sendTagged<R>(
  workspaceId: string | null,
  { method, path, body }: ApiCall<R>,
  { signal, version = null, idempotencyKey, isText = false }: SendOptions = {},
): Promise<Tagged<R>> {
  const response = await fetchOrProblem(`/api/v1${path}`, {
    method,
    headers: {
      ...(workspaceId !== null && { [WORKSPACE_HEADER]: workspaceId }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      // A proxy that compresses marks the tag as weak, and `If-Match` takes strong ones only.
      ...(version !== null && { 'If-Match': version.replace(/^W\//, '') }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    credentials: 'same-origin',
    // Keeps a workspace's data out of the browser's cache on disk.
    cache: 'no-store',
    ...(signal && { signal }),
  });
  const text = await response.text().catch((error: unknown) => {
    throw networkProblem(error);
  });
  // Numbers in data from others are kept as written.
  const object = text === '' || (isText && response.ok) ? text || undefined : getJson(text);
  // A proxy may answer with a page of its own, and say that all is well.
  if (!response.ok || object === NOT_JSON)
    throw getProblem(response.status, object, response.headers.get(REQUEST_ID));
  return { object: object as R, version: response.headers.get('ETag') };
}

/** As `sendTagged`, without the version. */
export const send = async <R>(
  workspaceId: string | null,
  call: ApiCall<R>,
  options?: SendOptions,
): Promise<R> => (await sendTagged(workspaceId, call, options)).object;

const NOT_JSON = Symbol('not JSON');

function getJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return NOT_JSON;
  }
}
