/**
 * Serves the built console: its page for every address under /user/api, so that deep links work, and its files.
 * `/` leads there.
 */
import type { FastifyInstance } from 'fastify';
import { CONSOLE_FOLDER } from '../../platform/program-folder.ts';
import { inlineScriptSources, pageHeaders } from './page-headers.ts';
import { getContent, loadStaticFiles, sendStaticFile } from './static-files.ts';

/** Where the console lives. */
const CONSOLE_PATH = '/user/api';

/** Placeholder in the built page, replaced by the nonce of each response. */
const NONCE = '__NONCE__';

export interface ConsoleOptions {
  /** The built console; by default where the build leaves it. */
  folder?: string;
}

/**
 * @throws Error when the console has not been built
 */
export function registerConsole(app: FastifyInstance, options: ConsoleOptions = {}): void {
  const files = loadStaticFiles(options.folder ?? CONSOLE_FOLDER);
  const index = files.get('index.html');
  if (!index) throw new Error('The console has not been built; run: npm run build');
  const page = getContent(index).toString();
  const scripts = inlineScriptSources(page);
  files.delete('index.html');
  app.get('/', (_request, reply) => reply.redirect(CONSOLE_PATH, 302));

  app.get(CONSOLE_PATH, (_request, reply) => {
    const { nonce, headers } = pageHeaders(scripts);
    return reply.headers(headers).type('text/html; charset=utf-8').send(page.replaceAll(NONCE, nonce));
  });

  app.get<{ Params: { '*': string } }>(`${CONSOLE_PATH}/*`, (request, reply) => {
    const path = request.params['*'];
    const file = files.get(path);
    if (file) return sendStaticFile(request, reply, file);
    // Page addresses never look like files, so a missing file is not answered with a page.
    if (path.startsWith('assets/') || /^[^/]+\.[a-z0-9]+$/i.test(path)) return reply.callNotFound();
    const { nonce, headers } = pageHeaders(scripts);
    return reply.headers(headers).type('text/html; charset=utf-8').send(page.replaceAll(NONCE, nonce));
  });
}
