/** Two servers on one DATABASE_URL go over to another root secret, one after the other. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { said } from '../support/admin.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { createTestDatabase, testServerUrl } from '../support/db.ts';
import { SEALED_COLUMNS } from '../../src/app/surfaces.ts';
import { runRotateSecret } from '../../src/ops/secret-rotation/run.ts';
import { NEW, OLD, tablesWithKey } from '../support/secret-rotation.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openAccount, signIn } from '../support/account.ts';
import { type Product, startProduct } from '../support/product.ts';
import { fill, PATIENT, refusal, rotate } from '../support/rotating.ts';

describe('two servers on one DATABASE_URL', () => {
  const clean: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const step of clean.toReversed()) await step();
  });

  test('go over to another secret one after the other, and no call fails meanwhile', PATIENT, async () => {
    const database = await createTestDatabase();
    clean.push(() => database.drop());
    await using folder = await temporaryFolder();
    const DATABASE_URL = testServerUrl(database.name);
    const secrets = (secret: string, also?: string) => ({
      DATABASE_URL,
      FAIRLEAD_SECRET: secret,
      ...(also ? { FAIRLEAD_SECRET_ALSO: also } : {}),
    });
    const start = (name: string, env: Record<string, string>): Promise<Product> =>
      startProduct({ dataDir: `${folder.path}/${name}`, env: { LOG_LEVEL: 'warn', ...env } });
    const names = ['first', 'second'];
    const nodes: Product[] = [];
    clean.push(() => Promise.all(nodes.filter((node) => node.isRunning()).map((node) => node.kill())));
    for (const name of names) nodes.push(await start(name, secrets(OLD)));

    expect(await refusal(secrets(NEW))).toContain(
      'FAIRLEAD_SECRET is not the secret that this database was set up with.',
    );
    const account = await openAccount(nodes[0]!.base);
    const { secret: key } = await account.createKey();
    const { inspector } = await fill(nodes[0]!.base, account);
    const cookie = await signIn(nodes[1]!.base);

    const faults: string[] = [];
    const replays: string[] = [];
    let calls = 0;
    let isOver = false;
    /** Which are up: a balancer sends nothing to one that stops. */
    const up = new Set(nodes);
    const call = async (node: Product, path: string, init: RequestInit & { json?: unknown } = {}) => {
      const { json, ...rest } = init;
      const answer = await fetch(node.base + path, {
        ...rest,
        headers: {
          authorization: `Bearer ${key}`,
          ...(json ? { 'content-type': 'application/json' } : {}),
          ...(rest.headers as Record<string, string>),
        },
        ...(json ? { method: 'POST', body: JSON.stringify(json) } : {}),
      });
      calls += 1;
      const text = await answer.text();
      if (!answer.ok) faults.push(`${path}: ${answer.status} ${text}`);
      return { answer, body: JSON.parse(text) as { id: string; data?: { id: string }[]; user?: unknown } };
    };
    /** What is sealed by one is opened by another; a session and an Idempotency-Key hold good at all. */
    const round = async (at: number): Promise<void> => {
      const [one, other] = [[...up][at % up.size]!, [...up][(at + 1) % up.size]!];
      const made = await call(one, '/api/v1/inspectors', {
        json: { name: `I ${at}` },
        headers: { 'idempotency-key': `round ${at}` },
      });
      const again = await call(other, '/api/v1/inspectors', {
        json: { name: `I ${at}` },
        headers: { 'idempotency-key': `round ${at}` },
      });
      if (again.body.id !== made.body.id || !again.answer.headers.has('idempotency-replayed'))
        replays.push(`round ${at}`);
      await call(other, `/api/v1/inspectors/${made.body.id}`);
      await call(one, `/api/v1/inspectors/${made.body.id}`, { method: 'GET' });
      const requests = await call(other, `/api/v1/inspectors/${inspector.id}/requests`);
      await call(one, `/api/v1/inspectors/${inspector.id}/requests/${requests.body.data![0]!.id}`);
      const session = await call(other, '/api/auth/get-session', { headers: { cookie } });
      if (!session.body.user) faults.push(`round ${at}: signed out`);
      await fetch(`${one.base}/api/v1/inspectors/${made.body.id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}` },
      });
    };
    const calling = (async () => {
      for (let at = 0; !isOver; at += 1)
        await round(at).catch((error: unknown) => faults.push(String(error)));
    })();
    clean.push(async () => {
      isOver = true;
      await calling;
    });
    const idle = async (): Promise<void> => {
      // A round that began before may still call it.
      const since = calls;
      await vi.waitFor(() => expect(calls).toBeGreaterThanOrEqual(since + 16), { timeout: 240_000 });
    };
    const restartAll = async (env: Record<string, string>): Promise<void> => {
      for (const [at, name] of names.entries()) {
        up.delete(nodes[at]!);
        await idle();
        expect((await nodes[at]!.stop()).code).toBe(0);
        nodes[at] = await start(name, env);
        up.add(nodes[at]);
      }
    };
    await restartAll(secrets(OLD, NEW));
    const early = await rotate(secrets(NEW, OLD));
    expect([early.code, early.stderr]).toEqual([
      1,
      expect.stringMatching(/^Servers at .* still encrypt with a secret other than FAIRLEAD_SECRET\./),
    ]);
    await restartAll(secrets(NEW, OLD));
    const done = await rotate(secrets(NEW, OLD));
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(done.stdout).toContain('You can remove FAIRLEAD_SECRET_ALSO.');
    expect((await rotate(secrets(NEW), '--check')).code).toBe(0);
    isOver = true;
    await calling;
    expect(faults).toEqual([]);
    expect(replays).toEqual([]);
    expect(calls).toBeGreaterThan(50);

    await Promise.all(nodes.map((node) => node.stop()));
    nodes.splice(0, nodes.length, await start('first', secrets(NEW)));
    await call(nodes[0]!, `/api/v1/inspectors/${inspector.id}`);
    expect(faults).toEqual([]);
    expect(await tablesWithKey(database.db, createSecretBox(OLD).keyIds[0])).toEqual([]);
    await nodes[0]!.stop();
  });

  test('what a rotation is not given is told in one line', async () => {
    const database = await createTestDatabase();
    clean.push(() => database.drop());
    const DATABASE_URL = testServerUrl(database.name);
    const told = (env: Record<string, string>, ...args: string[]) =>
      said((terminal) => runRotateSecret(args, SEALED_COLUMNS, { DATABASE_URL, ...env }, terminal));
    expect(await told({ FAIRLEAD_SECRET: NEW })).toMatchObject({
      code: 1,
      error: expect.stringContaining('FAIRLEAD_SECRET_ALSO to the previous one'),
    });
    expect(await told({ FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: NEW })).toMatchObject({
      code: 1,
      error: 'FAIRLEAD_SECRET and FAIRLEAD_SECRET_ALSO are the same.',
    });
    expect(await told({ FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: 'short' })).toMatchObject({
      code: 1,
      error: 'FAIRLEAD_SECRET_ALSO must have 32 characters or more',
    });
    expect(await told({ FAIRLEAD_SECRET: NEW }, '--chekc')).toMatchObject({
      code: 1,
      error: "Unknown option '--chekc'. See fairlead rotate-secret --help",
    });
    // A mistyped --check must not rotate.
    expect(await told({ FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: OLD }, 'check')).toMatchObject({
      code: 1,
      error: 'Too much: check. See fairlead rotate-secret --help',
    });
    expect(await told({}, '--help')).toMatchObject({ code: 0, out: expect.stringContaining('--check') });

    // A column that this version does not know is not passed over in silence.
    await database.pool.query('alter table tags add column note_sealed text');
    expect(await told({ FAIRLEAD_SECRET: NEW, FAIRLEAD_SECRET_ALSO: OLD })).toMatchObject({
      code: 1,
      error: 'This version does not know tags.note_sealed.',
    });
  });
});
