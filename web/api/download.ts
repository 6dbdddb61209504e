/** Files that the API gives, as exports in CSV. */
import { ensureOk, fetchOrProblem, WORKSPACE_HEADER } from './client.ts';

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
