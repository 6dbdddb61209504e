/**
 * The typed client of `/api/v1`. Each workspace has a client of its own that names it in every request, so that
 * no request can be sent to a workspace by accident of what was looked at last.
 */
import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { parseJson } from './exact-json.ts';
import { networkProblem, getProblem } from './problem.ts';
import type { paths } from './schema.d.ts';

export type Api = Client<paths>;

const REQUEST_ID = 'Fairlead-Request-Id';
/** Header that names the workspace of a call made with the session cookie. */
export const WORKSPACE_HEADER = 'Fairlead-Workspace';

/** `fetch` whose failure to get any answer is an `ApiProblem`. */
export async function fetchOrProblem(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    throw networkProblem(error);
  }
}

/** Numbers in what others sent are kept as they are written. */
const keepNumbers: Middleware = {
  async onResponse({ response }) {
    if (
      !response.ok ||
      response.status === 204 ||
      !/\bjson\b/.test(response.headers.get('Content-Type') ?? '')
    )
      return undefined;
    const text = await response.text();
    const headers = new Headers(response.headers);
    // Without a length, the client parses the text by itself.
    headers.set('Content-Length', String(text.length));
    const { status, statusText } = response;
    const copy = new Response(text, { status, statusText, headers });
    copy.json = async () => parseJson(text);
    return copy;
  },
};

function make(headers: Record<string, string>): Api {
  const client = createClient<paths>({
    baseUrl: '/',
    headers,
    credentials: 'same-origin',
    // Keeps a workspace's data out of the browser's cache on disk.
    cache: 'no-store',
    fetch: fetchOrProblem,
  });
  client.use(keepNumbers);
  return client;
}

/** For what stands outside any workspace: the list of workspaces, invitations by token. */
export const api = make({});

const clients = new Map<string, Api>();

/** The client of one workspace (`ws_…`). */
export function apiFor(workspaceId: string): Api {
  let client = clients.get(workspaceId);
  if (!client) clients.set(workspaceId, (client = make({ [WORKSPACE_HEADER]: workspaceId })));
  return client;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of a successful answer.
 * @throws ApiProblem with what the server said, or `network`
 */
export async function unwrap<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw getProblem(response.status, error, response.headers.get(REQUEST_ID));
  return data as T;
}

/** An object with the version that was read: its ETag, for `If-Match`. */
export interface Tagged<T> {
  object: T;
  version: string | null;
}

/** As `unwrap`, with the version. */
export async function unwrapTagged<T>(answer: Promise<Answer<T>>): Promise<Tagged<T>> {
  const object = await unwrap(answer);
  return { object, version: (await answer).response.headers.get('ETag') };
}

/** @throws ApiProblem for an answer to a plain `fetch` that isn't a success. */
export async function ensureOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw getProblem(response.status, body, response.headers.get(REQUEST_ID));
}
