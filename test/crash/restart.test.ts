/** What `npm start` does when its server dies: it starts it again, on the data that was there. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openAccount } from '../support/account.ts';
import { createTestDatabase, testServerUrl } from '../support/db.ts';
import { leftOver } from '../support/embedded-postgres/harness.ts';
import { needs } from '../support/needs.ts';
import { PATIENCE } from '../support/patience.ts';
import { getCommand, getTree } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const PATIENT = { timeout: 300_000, ...LINUX };
const NPM_START: [string, ...string[]] = ['npm', 'start'];
const SECRET = 'a secret for tests, of 32 characters and more';

/** Lets a signal do to the server what a fault of it would. */
const FAULTS = `
process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a fault of the server'); }));
process.on('SIGPWR', () => { const kept = []; for (;;) kept.push(new Array(1e5).fill(kept.length)); });
`;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(`${folder.path}/faults.mjs`, FAULTS);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** The first process of the server, or undefined while none runs. */
const findServer = ({ pid }: Product): number | undefined =>
  getTree(pid).find((one) => /^\S*node .*launch\.js/.test(getCommand(one)));

const findSupervisor = ({ pid }: Product): number =>
  getTree(pid).find((one) => /sh \S*bin\/fairlead --restart$/.test(getCommand(one)))!;

/** Ends the server, and waits until another one serves. @returns what was said about it */
async function crash(product: Product, key: string, signal: NodeJS.Signals): Promise<string[]> {
  const dead = findServer(product)!;
  const before = product.output().length;
  process.kill(dead, signal);
  await vi.waitFor(async () => {
    expect([undefined, dead]).not.toContain(findServer(product));
    const { status } = await fetch(`${product.base}/api/v1/me`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(status).toBe(200);
  }, PATIENCE);
  return (
    product
      .output()
      .slice(before)
      .match(/^Fairlead was ended .*$/gm) ?? []
  );
}

describe('a server that dies is started again', () => {
  test('on the embedded database, whatever ended it, ever later', PATIENT, async () => {
    const dataDir = `${folder.path}/embedded`;
    const env = { NODE_OPTIONS: `--import=${folder.path}/faults.mjs --max-old-space-size=200` };
    const product = await startProduct({ dataDir, env, command: NPM_START });
    const { secret } = await (await openAccount(product.base)).createKey();
    expect(await crash(product, secret, 'SIGKILL')).toEqual([
      'Fairlead was ended by SIGKILL. Starting it again in 1 s.',
    ]);
    expect(await crash(product, secret, 'SIGUSR2')).toEqual([
      'Fairlead was ended with status 70. Starting it again in 2 s.',
    ]);
    expect(product.output()).toContain('Error: a fault of the server');
    expect(await crash(product, secret, 'SIGPWR')).toEqual([
      'Fairlead was ended by SIGABRT, which often means that it ran out of memory. Starting it again in 4 s.',
    ]);
    expect((await product.stop()).code).toBe(0);
    expect(await leftOver(dataDir, 0)).toEqual([]);
  });

  test('on a database of its own, with workers that still hold the port', PATIENT, async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.drop());
    const product = await startProduct({
      dataDir: `${folder.path}/own`,
      env: { DATABASE_URL: testServerUrl(database.name), FAIRLEAD_SECRET: SECRET, PROCESSES: '2' },
      command: NPM_START,
    });
    const { secret } = await (await openAccount(product.base)).createKey();
    expect(await crash(product, secret, 'SIGKILL')).toContain(
      'Fairlead was ended by SIGKILL. Starting it again in 1 s.',
    );
    expect((await product.stop()).code).toBe(0);
  });
});

test('a server whose supervisor is killed stops too', PATIENT, async () => {
  const dataDir = `${folder.path}/orphan`;
  const product = await startProduct({ dataDir, command: NPM_START });
  process.kill(findSupervisor(product), 'SIGKILL');
  expect(await leftOver(dataDir, PATIENCE.timeout)).toEqual([]);
  await vi.waitFor(() => expect(product.isRunning()).toBe(false), PATIENCE);
});

test('a stop while it waits to start again ends it', PATIENT, async () => {
  const product = await startProduct({ dataDir: `${folder.path}/waits`, command: NPM_START });
  process.kill(findServer(product)!, 'SIGKILL');
  await vi.waitFor(() => expect(product.output()).toContain('Starting it again'), PATIENCE);
  expect((await product.stop()).code).toBe(0);
  expect(product.output().match(/Fairlead is ready/g)).toHaveLength(1);
});

test('a start that is refused is not tried again', PATIENT, async () => {
  await expect(
    startProduct({ dataDir: `${folder.path}/refused`, env: { PROCESSES: 'many' }, command: NPM_START }),
  ).rejects.toThrow(/^the server ended at its start:[^]*PROCESSES(?![^]*Starting it again)/);
});
