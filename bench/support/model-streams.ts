/** Fairlead with a model provider on this machine, and streams through it or past it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { getCommand, getTree } from '../../test/support/processes.ts';
import { freePort, type Product, SERVER, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { CallLoad, CallLoadResult } from './call-load.ts';
import { onLoadCore, onServerCore } from './cores.ts';
import type { StreamLoad, StreamResult } from './stream-load.ts';

export const MODEL = 'stream';

export interface ModelBench extends AsyncDisposable {
  product: Product;
  /** Base URL of Fairlead's API. */
  url: string;
  key: string;
  /** Of the server, without the database's. */
  pids: number[];
}

/**
 * Starts Fairlead on a core of its own.
 * @param baseUrl of the provider
 */
export async function openModelBench(baseUrl: string, env: Record<string, string> = {}): Promise<ModelBench> {
  const folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1', ...env },
    command: onServerCore(...SERVER),
  });
  const account = await openAccount(product.base);
  await succeeded(
    await account.call('POST', '/model-providers', {
      kind: 'openai_compatible',
      name: 'Bench',
      slug: 'bench',
      base_url: baseUrl,
      models: [{ id: MODEL }],
      prices: { [MODEL]: { input: 1, output: 2 } },
    }),
  );
  const { id, secret } = await account.createKey();
  // A budget that is never reached, so that each call reserves and settles.
  await succeeded(
    await account.call('POST', '/budgets', {
      name: 'Bench',
      api_key_id: id,
      limit: { usd: 1_000_000 },
      window: 'month',
    }),
  );
  return {
    product,
    url: `${product.base.replace('localhost', '127.0.0.1')}/api/v1`,
    key: secret,
    pids: getTree(product.pid).filter((pid) => !/postgres/.test(getCommand(pid))),
    async [Symbol.asyncDispose]() {
      await product.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function startProgram(
  path: string,
  on: typeof onLoadCore,
  ...args: string[]
): Promise<{ url: string } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const program = await startProduct({
    dataDir: folder.path,
    port,
    command: on(process.execPath, path, String(port), ...args),
  });
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      await program.kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Starts the provider of streams, on the core of the load. */
export const startStreamUpstream = () => startProgram('bench/support/stream-upstream.ts', onLoadCore);

/** Starts the bare counterpart, on the server's core. @param upstream URL of the provider */
export const startStreamRelay = (upstream: string) =>
  startProgram('bench/support/stream-relay.ts', onServerCore, upstream);

async function runLoad<Result extends { errors: string[] }>(
  program: string,
  load: { url: string },
): Promise<Result> {
  const [command, ...args] = onLoadCore(
    process.execPath,
    join(import.meta.dirname, program),
    JSON.stringify(load),
  );
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 });
  const result = JSON.parse(stdout) as Result;
  if (result.errors.length) throw new Error(`${load.url}: ${result.errors.join('; ')}`);
  return result;
}

/** @throws Error if a call failed */
export const loadStreams = (load: StreamLoad): Promise<StreamResult> => runLoad('stream-load.ts', load);

/** @throws Error if a call failed */
export const loadCalls = (load: CallLoad): Promise<CallLoadResult> => runLoad('call-load.ts', load);
