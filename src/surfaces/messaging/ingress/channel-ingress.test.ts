import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { createWorld, type World } from '../../../../test/support/messaging/queue.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createScriptedChannel } from '../../../../test/support/messaging/connections/scripted-channel.ts';
import type { Connection } from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { createDrivers } from '../../../channels/contract/driver-registry.ts';
import type { ChannelIngress, IngressPart } from '../../../channels/contract/ingress.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { sealCredentials } from '../instances/instance-secrets.ts';
import { Registry } from 'prom-client';
import { createKeepUpdates } from '../unprocessed-updates/keep-updates.ts';
import { createChannelIngress, type IngressCall } from './channel-ingress.ts';
import { createIngressReader, type IngressReader, MAX_ATTEMPTS } from './ingress-reader.ts';
import { expireParts } from './ingress-retention.ts';

const secrets = createSecretBox('a secret for tests, 32 characters long');
const sign = (secret: string, body: string): string =>
  createHash('sha256').update(`${secret} ${body}`).digest('hex');

/** Bodies are JSON lists of `{id, account?}`, signed with the account's secret over URL and body. */
const ingress: ChannelIngress = {
  maxBytes: 10_000,
  shared: {
    accountKey: (settings) => (settings as { number: string }).number,
    senderSecret: (credentials) => (credentials as { secret: string }).secret,
  },
  receive({ method, url, query, headers, body }, { credentials }) {
    const { secret } = credentials as { secret: string };
    if (method === 'GET')
      return {
        kind: 'answered',
        answer: { status: 200, contentType: 'text/plain', body: query.get('challenge') ?? '' },
      };
    if (headers['x-signature'] !== sign(secret, url + body.toString()))
      return { kind: 'refused', code: 'signature_invalid', detail: 'The signature is wrong.' };
    const entries = JSON.parse(body.toString()) as { id: string; account?: string }[];
    return {
      kind: 'accepted',
      parts: entries.map((entry) => ({ accountKey: entry.account ?? null, id: entry.id, body: entry })),
    };
  },
};
const scripted = createScriptedChannel(() => null).driver;
const drivers = createDrivers([{ ...scripted, ingress }], 'http://localhost:3000');

let database: TestDatabase;
let world: World;
let reader: IngressReader;
const logged: string[] = [];
const log = {
  debug: () => {},
  warn: (_: object, message: string) => void logged.push(message),
  error: (_: object, message: string) => void logged.push(message),
};
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await reader.stop();
  await database.drop();
});
beforeEach(async () => {
  await reader?.stop();
  logged.length = 0;
  world = await createWorld(database.db);
  await query(`insert into workspaces (id, name, slug) values ($1, 'Test', $2)`, [
    world.workspaceId,
    newUuid(),
  ]);
  reader = createIngressReader({
    db: database.db,
    units: world.units,
    keepUpdates: createKeepUpdates(new Registry()),
    log,
  });
  reader.start();
});

async function addInstance(number: string, secret: string): Promise<{ id: string; token: string }> {
  const id = await world.addInstance();
  const token = `token-of-${id}`;
  const sealed = sealCredentials(secrets, { workspace_id: world.workspaceId, id }, { secret });
  await query(
    `update instances set settings = $1, credentials_sealed = $2, ingress_token = $3 where id = $4`,
    [{ number }, sealed, token, id],
  );
  await query(
    `insert into channel_tokens (token, workspace_id, instance_id, account_key) values ($1, $2, $3, $4)`,
    [token, world.workspaceId, id, number],
  );
  return { id, token };
}

const start = () =>
  createChannelIngress({
    db: database.db,
    drivers,
    secrets,
    clock: () => new Date(),
    getPerson: async (workspaceId) => workspaceId,
    assertDiskSpace() {},
    stored: () => reader.wake(),
    log,
  });

const call = (
  token: string,
  secret: string,
  entries: unknown,
  changes: Partial<IngressCall> = {},
): IngressCall => {
  const body = typeof entries === 'string' ? entries : JSON.stringify(entries);
  return {
    token,
    method: 'POST',
    search: '',
    headers: { 'x-signature': sign(secret, `http://localhost:3000/channels/${token}${body}`) },
    address: '192.0.2.1',
    readBody: async () => Buffer.from(body),
    ...changes,
  };
};
const stored = async () =>
  (await query(`select instance_id, part_id from ingress_parts where workspace_id = $1 order by n`, [
    world.workspaceId,
  ])) as { instance_id: string; part_id: string }[];

/** Attaches a connection that handles its parts with the test's callback. */
function attach(instanceId: string, receive: (parts: readonly IngressPart[]) => Promise<void>) {
  const failures: unknown[] = [];
  const controller = new AbortController();
  const one = {
    instanceId,
    workspaceId: world.workspaceId,
    channel: 'scripted',
    emit: async () => {},
    connection: { receive } as unknown as Connection,
    signal: controller.signal,
    fail(error: unknown) {
      failures.push(error);
      controller.abort();
    },
  };
  reader.attach(one);
  return { failures };
}

describe('a request of a channel', () => {
  test('is stored in order, once however often it is repeated, and then answered', async () => {
    const { id, token } = await addInstance('1', 's1');
    const { receive } = start();
    const request = call(token, 's1', [{ id: 'b' }, { id: 'a' }]);
    expect(await receive(request)).toMatchObject({ status: 200 });
    await receive(request);
    await receive(call(token, 's1', [{ id: 'a' }, { id: 'c' }]));
    expect(await stored()).toEqual(['b', 'a', 'c'].map((part) => ({ instance_id: id, part_id: part })));
  });

  test('stores nothing if it is forged, and does not say who is there', async () => {
    const { token } = await addInstance('1', 's1');
    const { receive } = start();
    await expect(receive(call(token, 'wrong', [{ id: 'a' }]))).rejects.toMatchObject({
      code: 'signature_invalid',
    });
    await expect(
      receive(call(token, 's1', [{ id: 'a' }], { readBody: async () => Buffer.from('[{"id":"b"}]') })),
    ).rejects.toMatchObject({ code: 'signature_invalid' });
    await expect(receive(call('unknown', 's1', []))).rejects.toMatchObject({ code: 'not_found' });
    expect(await stored()).toEqual([]);
  });

  test('is answered with its challenge when a channel verifies the URL', async () => {
    const { token } = await addInstance('1', 's1');
    const answer = await start().receive(call(token, 's1', '', { method: 'GET', search: '?challenge=42' }));
    expect(answer).toEqual({ status: 200, contentType: 'text/plain', body: '42' });
  });

  test('reaches every account that it names and that has its credentials, of this workspace alone', async () => {
    const first = await addInstance('1', 'shared');
    const second = await addInstance('2', 'shared');
    const other = await addInstance('3', 'another secret');
    const entries = ['1', '2', '3', '4'].map((account) => ({ id: `to ${account}`, account }));
    // The sender of the first does not have the secret of the third.
    await expect(start().receive(call(first.token, 'shared', entries))).resolves.toMatchObject({
      status: 200,
    });
    expect(await stored()).toEqual([
      { instance_id: first.id, part_id: 'to 1' },
      { instance_id: second.id, part_id: 'to 2' },
    ]);
    expect((await stored()).some((part) => part.instance_id === other.id)).toBe(false);
  });

  test('is verified and parsed once, however many accounts it reaches', async () => {
    const instances = [];
    for (let nth = 0; nth < 40; nth++) instances.push(await addInstance(String(nth), 'shared'));
    const verified = vi.spyOn(ingress, 'receive');
    onTestFinished(() => verified.mockRestore());
    const entries = instances.map((_, nth) => ({ id: `to ${nth}`, account: String(nth) }));
    await start().receive(call(instances[0]!.token, 'shared', entries));
    expect(verified).toHaveBeenCalledTimes(1);
    expect((await stored()).toSorted((a, b) => a.part_id.localeCompare(b.part_id))).toEqual(
      instances
        .map(({ id }, nth) => ({ instance_id: id, part_id: `to ${nth}` }))
        .toSorted((a, b) => a.part_id.localeCompare(b.part_id)),
    );
  });

  test('of a deleted workspace reaches nothing', async () => {
    const { token } = await addInstance('1', 's1');
    await query('update workspaces set deleted_at = now() where id = $1', [world.workspaceId]);
    await expect(start().receive(call(token, 's1', []))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('stored parts', () => {
  test('are given to the connection in order, and deleted afterwards', async () => {
    const { id, token } = await addInstance('1', 's1');
    const { receive } = start();
    const given: string[] = [];
    await receive(call(token, 's1', [{ id: '1' }, { id: '2' }]));
    attach(id, async (parts) => void given.push(...parts.map((part) => part.id)));
    await vi.waitFor(async () => expect(await stored()).toEqual([]), PATIENCE);
    await receive(call(token, 's1', [{ id: '3' }]));
    await vi.waitFor(async () => expect(await stored()).toEqual([]), PATIENCE);
    expect(given).toEqual(['1', '2', '3']);
  });

  test('are given in order in several batches where they are large', async () => {
    const { id } = await addInstance('1', 's1');
    const ids = Array.from({ length: 10 }, (_, nth) => String(nth));
    for (const part of ids) {
      const body = JSON.stringify({ id: part, text: 'x'.repeat(part === '5' ? 300_000 : 100_000) });
      await query(
        'insert into ingress_parts (workspace_id, instance_id, part_id, body) values ($1, $2, $3, $4)',
        [world.workspaceId, id, part, body],
      );
    }
    const given: string[][] = [];
    attach(id, async (parts) => void given.push(parts.map((part) => part.id)));
    await vi.waitFor(async () => expect(await stored()).toEqual([]), PATIENCE);
    expect(given).toEqual([['0', '1'], ['2', '3'], ['4'], ['5'], ['6', '7'], ['8', '9']]);
  });

  test('are kept when the connection ends, and given to the next one', async () => {
    const { id, token } = await addInstance('1', 's1');
    await start().receive(call(token, 's1', [{ id: '1' }]));
    const { failures } = attach(id, () => Promise.reject(new DriverError('lost', 'gone', 'Gone.')));
    await vi.waitFor(() => expect(failures).toHaveLength(1), PATIENCE);
    await reader.detach(id);
    expect(await stored()).toHaveLength(1);
    const given: string[] = [];
    attach(id, async (parts) => void given.push(...parts.map((part) => part.id)));
    await vi.waitFor(() => expect(given).toEqual(['1']), PATIENCE);
  });

  test('that a driver cannot read are skipped after several attempts, with an error', async () => {
    const { id, token } = await addInstance('1', 's1');
    await start().receive(call(token, 's1', [{ id: 'good' }, { id: 'bad' }, { id: 'next' }]));
    const given: string[] = [];
    const receive = async (parts: readonly IngressPart[]): Promise<void> => {
      if (parts.some((part) => part.id === 'bad')) throw new TypeError('unexpected');
      given.push(...parts.map((part) => part.id));
    };
    // The connection is opened again after each failure.
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      const { failures } = attach(id, receive);
      await vi.waitFor(() => expect(failures).toHaveLength(1), PATIENCE);
      await reader.detach(id);
    }
    expect(given).toEqual(['good']);
    attach(id, receive);
    await vi.waitFor(() => expect(given).toEqual(['good', 'next']), PATIENCE);
    expect(logged).toContain('ingress: part cannot be read, kept as unprocessed');
    await vi.waitFor(async () => expect(await stored()).toEqual([]), PATIENCE);
    expect(await query('select reason, raw from unprocessed_updates where instance_id = $1', [id])).toEqual([
      { reason: 'driver_error', raw: '{"id":"bad"}' },
    ]);
  });

  test('that nobody reads are kept as unprocessed after a week', async () => {
    const { id, token } = await addInstance('1', 's1');
    await start().receive(call(token, 's1', [{ id: 'old' }, { id: 'new' }]));
    await query(`update ingress_parts set received_at = now() - interval '8 days' where part_id = 'old'`);
    await expireParts({ units: world.units, keepUpdates: createKeepUpdates(new Registry()) }, new Date());
    expect((await stored()).map((part) => part.part_id)).toEqual(['new']);
    expect(await query('select reason, raw from unprocessed_updates where instance_id = $1', [id])).toEqual([
      { reason: 'expired', raw: '{"id":"old"}' },
    ]);
  });
});
