/** Parts that all requests of the console to `/api/v1` have in common. Each request names its workspace. */
import { networkProblem, getProblem } from './problem.ts';

export const REQUEST_ID = 'Fairlead-Request-Id';
/** Header that names the workspace of a call made with the session cookie. */
export const WORKSPACE_HEADER = 'Fairlead-Workspace';

/**
 * Calls `fetch`.
 * @throws ApiProblem if there is no response
 */
export async function fetchOrProblem(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (error) {
    throw networkProblem(error);
  }
}

/** @throws ApiProblem for an answer to a plain `fetch` that isn't a success. */
export async function ensureOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw getProblem(response.status, body, response.headers.get(REQUEST_ID));
}
