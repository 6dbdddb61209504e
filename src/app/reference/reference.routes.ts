/**
 * Serves the API reference: its page under /docs, the page of errors under /docs/errors, and their files. The page
 * loads /openapi.json (document.routes.ts); nothing in it needs another server.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { pageHeaders } from '../console/page-headers.ts';
import { getContent, loadStaticFiles, sendStaticFile } from '../console/static-files.ts';
import type { Operation } from '../../core/api/operation.ts';
import { REFERENCE_FOLDER } from '../../platform/program-folder.ts';
import { errorsContent } from './errors-page.ts';

/** Where the reference lives. */
const REFERENCE_PATH = '/docs';

/** Placeholder in the built pages, replaced by the nonce of each response. */
const NONCE = '__NONCE__';
const CONTENT = '<!--errors-->';

export interface ReferenceOptions {
  operations: Operation[];
  config: Config;
  /** The built reference; by default where the build leaves it. */
  folder?: string;
}

/**
 * @throws Error when the reference has not been built
 */
export function registerReference(app: FastifyInstance, options: ReferenceOptions): void {
  const { operations, config } = options;
  const files = loadStaticFiles(options.folder ?? REFERENCE_FOLDER);
  const takePage = (name: string): string => {
    const file = files.get(name);
    if (!file) throw new Error('The API reference has not been built; run: npm run build');
    files.delete(name);
    return getContent(file).toString();
  };
  const referencePage = takePage('index.html');
  const errorsPage = takePage('errors.html').replace(CONTENT, () =>
    errorsContent(config.baseUrl, operations),
  );

  const send = (reply: FastifyReply, page: string) => {
    const { nonce, headers } = pageHeaders();
    return reply.headers(headers).type('text/html; charset=utf-8').send(page.replaceAll(NONCE, nonce));
  };

  for (const path of [REFERENCE_PATH, `${REFERENCE_PATH}/`])
    app.get(path, (_request, reply) => send(reply, referencePage));
  for (const path of [`${REFERENCE_PATH}/errors`, `${REFERENCE_PATH}/errors/`])
    app.get(path, (_request, reply) => send(reply, errorsPage));
  app.get<{ Params: { '*': string } }>(`${REFERENCE_PATH}/*`, (request, reply) => {
    const file = files.get(request.params['*']);
    return file ? sendStaticFile(request, reply, file) : reply.callNotFound();
  });
}
