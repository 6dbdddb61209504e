/**
 * Serves the API reference: its page under /docs, the page of errors under /docs/errors, and their files. The page
 * holds a first view of every operation, and loads /openapi.json (document.routes.ts) for the full reference; nothing
 * in it needs another server.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { pageHeaders } from '../console/page-headers.ts';
import { getContent, loadStaticFiles, sendStaticFile } from '../console/static-files.ts';
import type { Operation } from '../../core/api/operation.ts';
import { openApiDocument } from '../../core/api/openapi.ts';
import { chooseCoding, compress } from '../../platform/http/compression.ts';
import { REFERENCE_FOLDER } from '../../platform/program-folder.ts';
import { errorsContent } from './errors-page.ts';
import { type ReferenceDocument, renderFirstView } from './first-view.ts';

/** Where the reference lives. */
const REFERENCE_PATH = '/docs';

/** Placeholder in the built pages, replaced by the nonce of each response. */
const NONCE = '__NONCE__';
const ERRORS = '<!--errors-->';
const FIRST_VIEW = '<!--first-view-->';

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
  const emptyPage = takePage('index.html');
  const errorsPage = takePage('errors.html').replace(ERRORS, () => errorsContent(config.baseUrl, operations));

  // Rendered by the first request: a start doesn't wait for it.
  let referencePage: string | undefined;
  const getReferencePage = (): string => {
    referencePage ??= emptyPage.replace(FIRST_VIEW, () =>
      renderFirstView(openApiDocument(operations, config.baseUrl) as unknown as ReferenceDocument),
    );
    return referencePage;
  };

  const send = async (request: FastifyRequest, reply: FastifyReply, page: string) => {
    const { nonce, headers } = pageHeaders();
    const html = page.replaceAll(NONCE, nonce);
    reply.headers(headers).type('text/html; charset=utf-8').header('Vary', 'Accept-Encoding');
    const coding = chooseCoding(request.headers['accept-encoding']);
    if (!coding) return reply.send(html);
    return reply.header('Content-Encoding', coding).send(await compress(html, coding));
  };

  for (const path of [REFERENCE_PATH, `${REFERENCE_PATH}/`])
    app.get(path, (request, reply) => send(request, reply, getReferencePage()));
  for (const path of [`${REFERENCE_PATH}/errors`, `${REFERENCE_PATH}/errors/`])
    app.get(path, (request, reply) => send(request, reply, errorsPage));
  app.get<{ Params: { '*': string } }>(`${REFERENCE_PATH}/*`, (request, reply) => {
    const file = files.get(request.params['*']);
    return file ? sendStaticFile(request, reply, file) : reply.callNotFound();
  });
}
