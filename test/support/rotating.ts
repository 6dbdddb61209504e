/** What tests of the root secret start from: commands as processes, and an account that has something sealed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type openAccount, succeeded } from './account.ts';
import { FAIRLEAD } from './product.ts';

/** Several starts of a whole server. */
export const PATIENT = { timeout: 400_000 };

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

const run = (args: string[], env: Record<string, string>): Promise<Run> =>
  promisify(execFile)(FAIRLEAD, args, {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 240_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Run) => ({ code, stdout, stderr }),
  );
export const rotate = (env: Record<string, string>, ...args: string[]) =>
  run(['rotate-secret', ...args], env);
/** What a start that must be refused says. */
export async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stderr } = await run([], { PORT: '0', ...env });
  expect(code).toBe(1);
  return stderr;
}

/** A webhook with a secret header, and requests at an inspector: sealed in the database from then on. */
export async function fill(base: string, account: Awaited<ReturnType<typeof openAccount>>) {
  const made = await succeeded(
    await account.call('POST', '/webhooks', {
      url: 'https://example.com/',
      events: ['invitation.revoked'],
      headers: { 'x-key': 'a secret header' },
    }),
  );
  const inspector = (await (
    await succeeded(await account.call('POST', '/inspectors', { name: 'I' }))
  ).json()) as {
    id: string;
    url: string;
  };
  await succeeded(await fetch(base + new URL(inspector.url).pathname, { method: 'POST', body: 'hello' }));
  return { webhook: (await made.json()) as { id: string }, inspector };
}
