/** Makes a call of a client library at a place, and describes what the library returned or threw and what the provider got. */
import { vi } from 'vitest';
import { PATIENCE } from '../../patience.ts';
import type { ClientProvider, RequestBody } from './client-provider.ts';

/** Where a library calls, and how models are named there. */
export interface Place {
  /** Ends with /v1. */
  url: string;
  apiKey: string;
  /** Before the name of each model. */
  prefix: string;
}

/** A call that a library offers. It returns what the library returns, in as much detail as an application sees. */
export type ClientCall = (place: Place, name: (model: string) => string) => Promise<unknown>;
export type ClientCalls = Record<string, ClientCall>;

export interface Outcome {
  /** What the library returned or threw, as JSON. */
  result: unknown;
  /** The calls that the provider got, with repeated ones. */
  received: { path: string; body: RequestBody }[];
}

const ERROR_FIELDS = [
  'status',
  'statusCode',
  'code',
  'type',
  'param',
  'error',
  'isRetryable',
  'reason',
  'responseBody',
  'data',
  'lc_error_code',
  'finishReason',
  'text',
] as const;

/** Returns what an application can see of an error. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: error };
  const fields = error as Error & Record<string, unknown>;
  return {
    class: error.constructor.name,
    name: error.name,
    message: error.message,
    ...Object.fromEntries(ERROR_FIELDS.map((field) => [field, fields[field]])),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    ...(Array.isArray(fields['errors']) ? { errors: fields['errors'].map(describeError) } : {}),
  };
}

/** Headers of a response that an application may read. Others are those of the connection. */
export const describeHeaders = (headers: Iterable<[string, string]>): object =>
  Object.fromEntries(
    [...headers].filter(([name]) =>
      /^(?:content-type|retry-after.*|x-should-retry|x-ratelimit-.*|openai-.*)$/.test(name),
    ),
  );

/** Reads a stream to its end or its error. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<{ pieces: T[]; error?: object }> {
  const pieces: T[] = [];
  try {
    for await (const piece of stream) pieces.push(piece);
    return { pieces };
  } catch (error) {
    return { pieces, error: describeError(error) };
  }
}

/** What libraries make anew for each call, and IDs of requests, which are those of Fairlead. */
const MADE_ANEW: [RegExp, string][] = [
  [/"aitxt-[A-Za-z\d]+"/g, '"ID"'],
  [/"id":"[A-Za-z\d]{16}"/g, '"id":"ID"'],
  [/"timestamp":"(?!2026-01-01T00:00:00)[^"]+"/g, '"timestamp":"NOW"'],
  [/"req_[a-z\d]+"/g, '"REQUEST"'],
];

/** Returns JSON without parts that must differ: the server, its names of models, and generated values. */
function toComparable(value: unknown, { url, prefix }: Place): unknown {
  let json = JSON.stringify(value) ?? 'null';
  if (prefix) json = json.replaceAll(prefix, '');
  for (const [pattern, text] of MADE_ANEW) json = json.replaceAll(pattern, text);
  return JSON.parse(json.replaceAll(url, 'URL').replaceAll(new URL(url).host, 'HOST'));
}

/**
 * Makes a call and describes it.
 * @param options.isLeft whether the library leaves the call; the provider must then see its connection closed
 */
export async function getOutcome(
  call: ClientCall,
  place: Place,
  provider: ClientProvider,
  { isLeft }: { isLeft: boolean },
): Promise<Outcome> {
  provider.calls.length = 0;
  const result = await call(place, (model) => place.prefix + model).then(
    (value) => ({ returned: value }),
    (error: unknown) => ({ thrown: describeError(error) }),
  );
  if (isLeft)
    await vi.waitFor(() => {
      if (!provider.calls.every(({ isAborted }) => isAborted)) throw new Error('the provider still responds');
    }, PATIENCE);
  return {
    result: toComparable(result, place),
    received: provider.calls.map(({ path, body }) => ({ path, body })),
  };
}
