/** Edits of existing objects: each names the version that it was made from, so that it undoes nobody else's edit. */
import { parseJson } from './exact-json.ts';
import { t } from '../copy/text.ts';
import { ensureOk, fetchOrProblem, type Tagged, WORKSPACE_HEADER } from './client.ts';
import { ApiProblem } from './problem.ts';

const PRECONDITION_FAILED = 412;

/** Whether the server refused an edit because the object has changed since it was read. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status === PRECONDITION_FAILED;

/** The same refusal, where the console sees the change before the server does. */
export const outdated = (): ApiProblem =>
  new ApiProblem({
    status: PRECONDITION_FAILED,
    code: 'precondition_failed',
    title: t('Someone else changed this in the meantime'),
    detail: t('Reload to see their changes. Fields that you edited keep your input.'),
  });

/**
 * The header of an edit. A proxy that compresses marks the tag as weak, and `If-Match` takes strong ones only.
 * @param version the ETag that was read; null overwrites whatever there is
 */
export const ifMatch = (version: string | null) =>
  version === null ? {} : { header: { 'If-Match': version.replace(/^W\//, '') } };

/** Reads one object with its version. @param path under `/api/v1` */
export async function readTagged<T>(workspaceId: string, path: string): Promise<Tagged<T>> {
  const response = await ensureOk(
    await fetchOrProblem(`/api/v1${path}`, {
      headers: { [WORKSPACE_HEADER]: workspaceId },
      credentials: 'same-origin',
      cache: 'no-store',
    }),
  );
  return { object: parseJson(await response.text()) as T, version: response.headers.get('ETag') };
}
