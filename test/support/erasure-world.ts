/** The product, with a server beside it for files and webhooks, for tests that search all that it holds. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { PATIENCE } from './patience.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { startTestApp, startWorkspace, TEST_SECRET, type TestApp } from './test-app.ts';
import { searchEverything } from './search-everything.ts';

/** In everything that is said of the contact, and nowhere else. */
export const MARK = 'zq7mark';
export const ADDRESS = `${MARK}.person@mail.example`;

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
type Any = any;

export interface ErasureWorld {
  app: TestApp;
  home: Awaited<ReturnType<typeof startWorkspace>>;
  call(path: string, body?: unknown, method?: string, headers?: Record<string, string>): Promise<Any>;
  rows(text: string, values?: unknown[]): Promise<Any[]>;
  search(words: readonly string[]): ReturnType<typeof searchEverything>;
  /** Until the log is written, and nothing is under way. */
  quiet(): Promise<void>;
  stop(): Promise<void>;
}

/** Serves a file, whose name and content hold MARK; what is posted to it is refused with what it was. */
async function startFiles(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain');
    if (request.method === 'GET') response.end(`a file about ${MARK}`);
    else {
      response.statusCode = 500;
      request.pipe(response);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${MARK}.txt`, server };
}

/** @param env further settings */
export async function startErasureWorld(
  env: Record<string, string> = {},
): Promise<ErasureWorld & { file: string }> {
  const { url: file, server } = await startFiles();
  const app = await startTestApp({ EGRESS_ALLOW: '127.0.0.0/8', ...env });
  const home = await startWorkspace(app);
  const { pool } = app.database;
  const rows: ErasureWorld['rows'] = async (text, values = []) => (await pool.query(text, values)).rows;
  return {
    app,
    home,
    file,
    rows,
    async call(path, body, method, headers) {
      const answer = await app.call(path, { key: home.key, body, method, headers });
      if (answer.status >= 300) throw new Error(`${method ?? ''} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    search: (words) =>
      searchEverything({ pool, secrets: createSecretBox(TEST_SECRET), dataDir: app.config.DATA_DIR }, words),
    quiet: () =>
      vi.waitFor(async () => {
        const [busy] = await rows(`select
          (select count(*)::int from outbox) as outbox,
          (select count(*)::int from rule_queue) as rules,
          (select count(*)::int from publication_news) as news,
          (select count(*)::int from delivery_queue where claimed_by is not null or due_at <= now()) as deliveries,
          (select count(*)::int from send_queue) as sends,
          (select count(*)::int from sandbox_inbox where due_at < now() + interval '1 minute') as heard,
          (select count(*)::int from pgboss.job where state in ('created', 'retry', 'active')
             and data ->> 'workspaceId' is not null and name <> 'workspaces.erase' and start_after <= now()) as jobs`);
        const idle = Object.values(busy as Record<string, number>).every((count) => count === 0);
        if (!idle) throw new Error(JSON.stringify(busy));
      }, PATIENCE),
    async stop() {
      await app.stop();
      server.close();
    },
  };
}
