/** The whole product on a database of its own, and clients for it: what tests through HTTP start from. */
import { DEFAULT_BOUNDS } from '../../src/core/auth/identity/attempts.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_SCOPES } from '../../src/core/vocabulary/scopes.ts';
import { noteLogLine } from './status-matcher.ts';
import { createLog } from '../../src/platform/log.ts';
import { type App, createApp } from '../../src/app/create-app.ts';
import type { AppDeps } from '../../src/app/app-deps.ts';
import { CHEAP_PASSWORDS } from './auth/identity.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { APP_TEMPLATE, createTestDatabase, type TestDatabase } from './db.ts';
import { leftOpen } from './left-open.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into any answer
  body: any;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** API key. */
  key?: string;
}

export interface Person {
  userId: string;
  email: string;
  cookie: string;
  /** Calls the API as the console does. */
  call(path: string, options?: CallOptions & { workspace?: string | null }): Promise<Answer>;
}

export interface TestApp {
  app: App;
  base: string;
  config: Config;
  database: TestDatabase;
  /** Lines that were logged. */
  logged: string[];
  call(path: string, options?: CallOptions): Promise<Answer>;
  /** Signs up somebody new; SIGN_UP is open unless `env` says otherwise. */
  signUp(email?: string): Promise<Person>;
  stop(): Promise<void>;
}

/** The most that a test waits for the sequencer before it begins. */
const SEQUENCED_MS = 5_000;
const PASSWORD = 'correct horse battery';
/** The root secret of test apps. */
export const TEST_SECRET = 'a secret for tests, 32 characters long';
let people = 0;

async function send(url: string, { method, body, headers = {}, key }: CallOptions): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  };
}

/**
 * @param env settings beside the defaults of a test
 * @param on what another app uses, or `stop` is to leave: a database and a folder
 * @param pages whether console and reference are served too; their bundles must have been built
 * @param egress how names are resolved and connections opened
 * @param readDisk what file systems answer. The machine's own are not looked at: tests must not depend on its room
 */
export async function startTestApp(
  env: Record<string, string> = {},
  on?: { database: TestDatabase; config: Pick<Config, 'DATA_DIR'> },
  pages = false,
  readDisk?: AppDeps['readDisk'],
  egress?: AppDeps['egress'],
): Promise<TestApp> {
  const ownFolder = on || env['DATA_DIR'] ? null : mkdtempSync(join(tmpdir(), 'fairlead-app-'));
  const DATA_DIR = on?.config.DATA_DIR ?? ownFolder ?? '';
  const usual = {
    PORT: '0',
    SIGN_UP: 'open',
    WORKSPACES_PER_USER: '0',
    LOG_LEVEL: 'info',
    STORAGE_RESERVE: readDisk ? '5%' : '0',
  };
  const config = readConfig({ ...usual, DATA_DIR, ...env });
  const database = on?.database ?? (await createTestDatabase(APP_TEMPLATE));
  const logged: string[] = [];
  const log = createLog(config, {
    write: (line) => {
      logged.push(line);
      noteLogLine(line);
    },
  });
  const controlPool = openPool({ ...database.connection, max: 5 }, () => {});
  const pool = openPool({ ...database.connection, max: 16 }, () => {});
  const { FAIRLEAD_SECRET: secret, FAIRLEAD_SECRET_ALSO: also } = config;
  const secrets = createSecretBox(secret ?? TEST_SECRET, also === null ? [] : [also]);
  const app = await createApp({
    config,
    log,
    pool,
    controlPool,
    direct: database.connection,
    isFirst: true,
    secrets,
    pages,
    readDisk,
    egress,
    passwordCost: CHEAP_PASSWORDS,
    bounds: { ...DEFAULT_BOUNDS, open_sign_up: {} },
  });
  await app.server.listen({ host: '127.0.0.1', port: config.PORT });
  const address = app.server.server.address();
  const base = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`;
  const call: TestApp['call'] = (path, options = {}) => send(`${base}/api/v1${path}`, options);

  const started: TestApp = {
    app,
    base,
    config,
    database,
    logged,
    call,
    async signUp(email = `person${++people}@example.com`) {
      const ask = (): Promise<Answer> =>
        send(`${base}/api/auth/sign-up/email`, {
          body: { name: email.split('@')[0], email, password: PASSWORD },
          headers: { origin: base },
        });
      let answer = await ask();
      // On a busy machine the first connections to the database may take longer than a request waits.
      for (let again = 0; answer.status === 503 && again < 5; again++) {
        await sleep(1_000);
        answer = await ask();
      }
      if (answer.status >= 300) throw new Error(`sign-up failed: ${JSON.stringify(answer.body)}`);
      const cookie = answer.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
      const own = { cookie, origin: base };
      const me = await call('/me', { headers: own });
      return {
        userId: me.body.id,
        email,
        cookie,
        call: (path, { workspace, headers, ...options } = {}) =>
          call(path, {
            ...options,
            headers: { ...own, ...(workspace ? { 'fairlead-workspace': workspace } : {}), ...headers },
          }),
      };
    },
    async stop() {
      leftOpen.delete(started);
      await app.stop();
      await Promise.all([pool.end(), controlPool.end()]);
      if (!on) await database.drop();
      if (ownFolder) rmSync(ownFolder, { recursive: true, force: true });
    },
  };
  leftOpen.add(started);
  return started;
}

/**
 * Until what happened so far is in the log: a webhook that is made before would be sent it too. Where nobody
 * sequences (ROLE api, or a test that holds the sequencer up) it is not waited for.
 */
async function sequenced({ config, database }: TestApp, workspace: string): Promise<void> {
  if (config.ROLE === 'api') return;
  const until = performance.now() + SEQUENCED_MS;
  do {
    const { rowCount } = await database.pool.query('select from outbox where workspace_id = $1 limit 1', [
      toUuid('workspace', workspace),
    ]);
    if (rowCount === 0) return;
    await sleep(10);
  } while (performance.now() < until);
}

/** A person with a workspace of their own, and a key for it. */
export async function startWorkspace(test: TestApp, key: object = { scopes: ALL_SCOPES }) {
  const owner = await test.signUp();
  const created = await owner.call('/workspaces', { body: { name: `Workspace of ${owner.email}` } });
  if (created.status !== 201) throw new Error(`no workspace: ${JSON.stringify(created.body)}`);
  const workspace: string = created.body.id;
  const made = await owner.call('/api-keys', { workspace, body: { name: 'test', rate_limit: null, ...key } });
  if (made.status !== 201) throw new Error(`no key: ${JSON.stringify(made.body)}`);
  await sequenced(test, workspace);
  return { owner, workspace, key: made.body.secret as string, keyId: made.body.id as string };
}
