/**
 * Servers on one database whose model provider is in this process. Each can be killed (SIGKILL) and started again.
 */
import pg from 'pg';
import { startEmbedded } from '../../../src/platform/embedded-postgres/embedded.ts';
import { type Account, openAccount, succeeded } from '../account.ts';
import { type Product, startProduct } from '../product.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';

const CALL_WITHIN_MS = 120_000;
const SECRET = 'a secret of 32 characters or more';
const quiet = { info() {}, warn() {}, error: console.error };

export interface ModelServers extends AsyncDisposable {
  servers: readonly Product[];
  upstream: ScriptedUpstream;
  /** Of the person that has the provider `upstream`. */
  account: Account;
  /** Starts a server again that was killed, on its port. */
  startAgain(nth: number): Promise<void>;
  /** What all servers wrote, those that were killed too. */
  output(): string;
  countRows(text: string): Promise<number>;
  query<T extends pg.QueryResultRow>(text: string): Promise<T[]>;
  /** Ends the leases of calls that were admitted by the database, instead of waiting for a minute. */
  endLeases(): Promise<void>;
}

export interface ModelServersOptions {
  /** An empty folder. */
  folder: string;
  count: number;
  models: readonly string[];
  /** By model, in US dollars. */
  prices?: Record<string, object>;
}

export async function startModelServers(options: ModelServersOptions): Promise<ModelServers> {
  const { folder, count, models, prices } = options;
  await using stack = new AsyncDisposableStack();
  const database = await startEmbedded({ dataDir: `${folder}/database`, log: quiet });
  stack.defer(() => database.stop());
  const { connection } = database;
  const env = {
    DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`,
    FAIRLEAD_SECRET: SECRET,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: '--trace-warnings',
  };
  const upstream = stack.use(await startScriptedUpstream());
  const client = new pg.Client(connection);
  await client.connect();
  stack.defer(() => client.end());
  const servers: Product[] = [];
  const ended: string[] = [];
  stack.defer(async () => {
    for (const server of servers) if (server.isRunning()) await server.stop();
  });
  const start = async (nth: number, port?: number): Promise<void> => {
    servers[nth] = await startProduct({ dataDir: `${folder}/${nth}`, env, ...(port ? { port } : {}) });
  };
  for (let nth = 0; nth < count; nth += 1) await start(nth);
  const account = await openAccount(servers[0]!.base);
  await succeeded(
    await account.call('POST', '/model-providers', {
      kind: 'openai_compatible',
      name: 'Upstream',
      slug: 'upstream',
      base_url: upstream.url,
      models: models.map((id) => ({ id })),
      ...(prices ? { prices } : {}),
    }),
  );
  const query: ModelServers['query'] = async <T extends pg.QueryResultRow>(text: string) =>
    (await client.query<T>(text)).rows;
  const owned = stack.move();
  return {
    servers,
    upstream,
    account,
    async startAgain(nth) {
      ended.push(servers[nth]!.output());
      await start(nth, servers[nth]!.port);
    },
    output: () => [...ended, ...servers.map((server) => server.output())].join(''),
    query,
    countRows: async (text) =>
      (await query<{ count: number }>(`select count(*)::integer as count from ${text}`))[0]!.count,
    async endLeases() {
      await client.query('update model_open_calls set lease_until = now() where journal_id is null');
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

export interface BudgetKey {
  budgetId: string;
  keyId: string;
  secret: string;
}

/** Creates a key with a budget of its own. */
export async function createBudgetKey(account: Account, name: string, limit: object): Promise<BudgetKey> {
  const { id: keyId, secret } = await account.createKey({ name });
  const budget = await succeeded(
    await account.call('POST', '/budgets', { name, api_key_id: keyId, limit, window: 'total' }),
  );
  return { budgetId: ((await budget.json()) as { id: string }).id, keyId, secret };
}

export interface Called {
  /** 0 if there was no complete response. */
  status: number;
  /** ID of the request, if the response began. */
  requestId: string | null;
  text: string;
  /** Whether the server was not there, so that it can't have received the call. */
  isRefused: boolean;
}

export interface ModelCall {
  key: string;
  /** A model of `upstream`. */
  model: string;
  prompt: string;
  stream: boolean;
}

/** @throws Error if there is no response in time */
export async function callModel(base: string, { key, model, prompt, stream }: ModelCall): Promise<Called> {
  let requestId: string | null = null;
  try {
    const response = await fetch(`${base}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `upstream/${model}`,
        messages: [{ role: 'user', content: prompt }],
        max_tokens: MAX_TOKENS,
        stream,
      }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    requestId = response.headers.get('fairlead-request-id');
    const text = await response.text();
    return { status: response.status, requestId, text, isRefused: false };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') throw error;
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    return { status: 0, requestId, text: '', isRefused: code === 'ECONNREFUSED' };
  }
}

const MAX_TOKENS = 20;
