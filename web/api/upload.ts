/** Uploads a file as a form with progress, which `fetch` doesn't report. */
import { WORKSPACE_HEADER } from './client.ts';
import { networkProblem, getProblem } from './problem.ts';

/**
 * @param path under `/api/v1`, with its query
 * @param onProgress from 0 to 1
 * @throws ApiProblem; the reason of `signal` where that aborts
 */
export function upload<R>(
  workspaceId: string,
  path: string,
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<R> {
  const form = new FormData();
  form.append('file', file, file.name);
  const request = new XMLHttpRequest();
  const answered = new Promise<R>((resolve, reject) => {
    request.addEventListener('load', () => {
      const body: unknown = request.response;
      if (request.status >= 200 && request.status < 300) resolve(body as R);
      else reject(getProblem(request.status, body));
    });
    request.addEventListener('error', () => reject(networkProblem(new TypeError('no answer'))));
    request.addEventListener('abort', () => reject(signal.reason));
  });
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total ? loaded / total : 0));
  signal.addEventListener('abort', () => request.abort());
  request.open('POST', `/api/v1${path}`);
  request.responseType = 'json';
  request.setRequestHeader(WORKSPACE_HEADER, workspaceId);
  request.send(form);
  return answered;
}
