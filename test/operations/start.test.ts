/** Start and stop as users do it: by npm, by signals, with settings that are wrong. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { leftOver } from '../support/embedded-postgres/harness.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openAccount } from '../support/account.ts';
import { FAIRLEAD, startProduct } from '../support/product.ts';

const LINUX = needs('Linux', process.platform === 'linux');
/** Several starts of a whole server. */
const PATIENT = { timeout: 240_000 };

/** What a start that must fail says on standard error. */
async function refusal(env: Record<string, string>): Promise<string> {
  const start = promisify(execFile)(FAIRLEAD, {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 240_000,
  });
  const error = await start.then(
    () => null,
    (failure: { code: number; stderr: string }) => failure,
  );
  expect(error?.code).toBe(1);
  return error!.stderr;
}

/** A body whose second half comes later. */
function slowBody(first: string, second: string, afterMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(encoder.encode(first));
      await delay(afterMs);
      controller.enqueue(encoder.encode(second));
      controller.close();
    },
  });
}

describe('a stop', () => {
  test('by SIGTERM to npm start ends server and database', { ...PATIENT, ...LINUX }, async () => {
    await using folder = await temporaryFolder();
    const dataDir = `${folder.path}/data`;
    const product = await startProduct({ dataDir, command: ['npm', 'start'] });
    expect(product.output()).toContain(`Fairlead is ready: ${product.base}/user/api`);
    const { code } = await product.stop();
    // It would be 1 had it not drained within 10 s.
    expect(code).toBe(0);
    expect(await leftOver(dataDir, 0)).toEqual([]);
  });

  test('waits for workers that are still starting', PATIENT, async () => {
    await using folder = await temporaryFolder();
    const product = await startProduct({ dataDir: folder.path, env: { PROCESSES: '6' } });
    expect((await product.stop()).code).toBe(0);
  });

  test('lets a call end that is under way, and ends a stream', PATIENT, async () => {
    await using folder = await temporaryFolder();
    const product = await startProduct({ dataDir: `${folder.path}/data` });
    const account = await openAccount(product.base);
    const { secret } = await account.createKey({
      preset: undefined,
      scopes: ['api_keys:write', 'events:read'],
    });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const stream = await fetch(`${product.base}/api/v1/events/stream`, { headers });
    expect(stream).toHaveStatus(200);
    const call = fetch(`${product.base}/api/v1/api-keys`, {
      method: 'POST',
      headers,
      body: slowBody('{"name": "late", ', '"scopes": ["events:read"]}', 600),
      duplex: 'half',
    });
    await delay(200);
    const [answer, text, { code }] = await Promise.all([call, stream.text(), product.stop()]);
    expect(answer).toHaveStatus(201);
    expect(text).toContain('retry:');
    expect(code).toBe(0);
  });
});

describe('a start', () => {
  test(
    'goes on with the accounts and keys that were there; a second one on the same data is refused',
    PATIENT,
    async () => {
      await using folder = await temporaryFolder();
      const dataDir = `${folder.path}/data`;
      const first = await startProduct({ dataDir });
      const { secret } = await (await openAccount(first.base)).createKey();
      expect(await refusal({ DATA_DIR: dataDir, PORT: '0' })).toContain(
        `is in use by the server with process id ${first.pid}`,
      );
      expect(await refusal({ DATA_DIR: `${folder.path}/other`, PORT: String(first.port) })).toBe(
        `PORT ${first.port} is in use on 127.0.0.1. Stop the program that uses it, or set another PORT.\n`,
      );
      await first.stop();
      const again = await startProduct({ dataDir });
      const answer = await fetch(`${again.base}/api/v1/me`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      expect(answer).toHaveStatus(200);
      await again.stop();
    },
  );

  test('on a port that is in use is refused before it creates a database', PATIENT, async () => {
    await using folder = await temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await refusal({ DATA_DIR: `${folder.path}/data`, PORT: String(port) })).toBe(
      `PORT ${port} is in use on 127.0.0.1. Stop the program that uses it, or set another PORT.\n`,
    );
    other.close();
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('with wrong settings tells all of them, one a line', PATIENT, async () => {
    const said = await refusal({ PROCESSES: 'many', SIGN_UP: 'never', PORT: '70000' });
    expect(said.trimEnd().split('\n')).toEqual([
      expect.stringContaining('PORT is "70000"'),
      expect.stringContaining('PROCESSES is "many"'),
      expect.stringContaining('SIGN_UP is "never"'),
    ]);
  });

  test('with a store of files that nobody answers for names the setting', PATIENT, async () => {
    await using folder = await temporaryFolder();
    const S3_URL = 'http://key:hush@127.0.0.1:1/bucket';
    expect(await refusal({ DATA_DIR: folder.path, PORT: '0', S3_URL })).toBe(
      'S3_URL: the store cannot be reached (ECONNREFUSED), at http://127.0.0.1:1/bucket\n',
    );
  });
});
