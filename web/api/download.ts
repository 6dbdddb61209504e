/** Files that the API gives, as exports in CSV. */
import { ensureOk, fetchOrProblem, WORKSPACE_HEADER } from './client.ts';

/** A path with those parts of a query that have a value. */
export function pathWith(path: string, query: object): string {
  const given = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, String(value)]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/**
 * The whole file.
 * @param path under `/api/v1`, with its query
 * @throws ApiProblem
 */
export async function download(workspaceId: string, path: string): Promise<Blob> {
  const response = await fetchOrProblem(`/api/v1${path}`, {
    credentials: 'same-origin',
    headers: { [WORKSPACE_HEADER]: workspaceId },
  });
  return (await ensureOk(response)).blob();
}
