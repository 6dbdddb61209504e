/** Tests an instance's connection under all behaviors of its channel, its user and its node. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { deleteConnection } from '../instances/desired-state.store.ts';
import { deleteInstance } from '../instances/instance.store.ts';
import { aborted } from './aborted.ts';
import {
  instancesOn,
  startNode,
  type TestNode,
} from '../../../../test/support/messaging/connections/nodes.ts';
import {
  createScriptedChannel,
  type ScriptedChannel,
  type Session,
} from '../../../../test/support/messaging/connections/scripted-channel.ts';

const workspaceId = newUuid();
let database: TestDatabase;
let channel: ScriptedChannel;
let users: ReturnType<typeof instancesOn>;
const nodes: TestNode[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  channel = createScriptedChannel((id) => `${id}@example`);
  users = instancesOn(database.db, channel);
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  const { sessions, max } = channel;
  if (sessions.size || max > 1) throw new Error(`left open: ${sessions.size}, at once: ${max}`);
  for (const table of ['connections', 'instance_queues', 'instances', 'connection_nodes', 'outbox'])
    await database.pool.query(`delete from ${table}`);
});

const start = (options?: Parameters<typeof startNode>[2]): TestNode => {
  const node = startNode(channel, database.connection, options);
  nodes.push(node);
  return node;
};
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const instance = async (id: string) =>
  (await query('select * from instances where id = $1', [id]))[0] as Record<string, unknown>;
const connection = async (id: string) =>
  (await query('select * from connections where instance_id = $1', [id]))[0] as Record<string, unknown>;
const reaches = (id: string, state: string) =>
  vi.waitFor(async () => expect((await instance(id))?.['state']).toBe(state), PATIENCE);
/** Returns the states that the event log will report, in order. */
const told = async (id: string): Promise<string[]> => {
  const rows = await query(
    `select data::jsonb -> 'object' ->> 'state' as state from outbox
     where type = 'instance.state_changed' and resource_id = $1 order by n`,
    [publicId('instance', id)],
  );
  return rows.map(({ state }) => state);
};
const onlySession = (): Session => {
  expect(channel.sessions.size).toBe(1);
  return [...channel.sessions][0]!;
};

async function connected(): Promise<string> {
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  return id;
}

test('connects, reports it, and stores the name that the channel gives the account', async () => {
  const node = start();
  const id = await connected();
  expect(await instance(id)).toMatchObject({ address: `${id}@example`, state_reason: null });
  expect((await instance(id))['connected_at']).toBeInstanceOf(Date);
  await vi.waitFor(() => expect(node.attached.has(id)).toBe(true), PATIENCE);
  expect(await told(id)).toEqual(['connecting', 'connected']);
});

test('disconnecting closes it, and logging out also ends the session', async () => {
  start();
  const id = await connected();
  await users.disconnect(workspaceId, id);
  await vi.waitFor(() => expect(channel.sessions.size).toBe(0), PATIENCE);
  expect(channel.loggedOut).toEqual([]);
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  await users.logout(workspaceId, id);
  await vi.waitFor(async () => expect((await connection(id))['node_id']).toBeNull(), PATIENCE);
  expect(channel.loggedOut).toEqual([id]);
  expect(await told(id)).toEqual([
    'connecting',
    'connected',
    'disconnected',
    'connecting',
    'connected',
    'disconnected',
  ]);
});

test('disconnecting while it opens aborts the opening', async () => {
  channel.onOpen = ({ signal }) => aborted(signal);
  start();
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await vi.waitFor(() => expect(channel.opens).toHaveLength(1), PATIENCE);
  await users.disconnect(workspaceId, id);
  await vi.waitFor(async () => expect((await connection(id))['node_id']).toBeNull(), PATIENCE);
  expect(channel.sessions.size).toBe(0);
  expect(await told(id)).toEqual(['connecting', 'disconnected']);
});

test('a connection that opens despite being aborted is closed', async () => {
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  channel.onOpen = () => goesOn;
  start();
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await vi.waitFor(() => expect(channel.opens).toHaveLength(1), PATIENCE);
  await users.disconnect(workspaceId, id);
  await vi.waitFor(async () => expect((await connection(id))['node_id']).toBeNull(), PATIENCE);
  goOn();
  await vi.waitFor(() => expect(channel.sessions.size).toBe(0), PATIENCE);
});

test('deleting a connected instance closes it and leaves nothing', async () => {
  const node = start();
  const id = await connected();
  await database.db.transaction().execute(async (tx) => {
    await deleteConnection(tx, workspaceId, id);
    await deleteInstance(tx, workspaceId, id);
  });
  await vi.waitFor(() => expect(channel.sessions.size).toBe(0), PATIENCE);
  await vi.waitFor(() => expect(node.counts()).toEqual({ up: 0, opening: 0 }), PATIENCE);
  expect(node.logged).toEqual([]);
});

test('restarting closes and reopens it', async () => {
  start();
  const id = await connected();
  const [before] = channel.sessions;
  await users.restart(workspaceId, id);
  await vi.waitFor(() => {
    const [now] = channel.sessions;
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  }, PATIENCE);
  await reaches(id, 'connected');
  expect(await told(id)).toEqual(['connecting', 'connected', 'connecting', 'connected']);
});

test('a refused connection fails and is not retried until requested', async () => {
  channel.onOpen = () => {
    throw new DriverError('refused', 'authentication_failed', 'The password is wrong.');
  };
  start();
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await reaches(id, 'failed');
  expect(await instance(id)).toMatchObject({
    state_reason: 'refused',
    last_error_code: 'authentication_failed',
    last_error_detail: 'The password is wrong.',
  });
  expect(await connection(id)).toMatchObject({ wanted: false, node_id: null });
  channel.onOpen = () => {};
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  expect(channel.opens).toHaveLength(2);
});

test('fails if it is logged out at the channel', async () => {
  start();
  const id = await connected();
  onlySession().drop(new DriverError('refused', 'logged_out', 'Logged out elsewhere.'));
  await reaches(id, 'failed');
  expect(await instance(id)).toMatchObject({ state_reason: 'refused', last_error_code: 'logged_out' });
});

test('a lost connection reconnects by itself, with growing delays while it fails', async () => {
  start();
  const id = await connected();
  channel.onOpen = () => {
    if (channel.opens.length < 4) throw new DriverError('lost', 'unreachable', 'Nobody there.');
  };
  onlySession().drop(new DriverError('lost', 'reset', 'The server went away.'));
  await reaches(id, 'reconnecting');
  await reaches(id, 'connected');
  expect(channel.opens).toHaveLength(4);
  expect(await connection(id)).toMatchObject({ failures: 3, failing_since: null });
  expect(await told(id)).toEqual(['connecting', 'connected', 'reconnecting', 'connected']);
});

test('a programming error in the driver is logged, and the connection is retried', async () => {
  const node = start();
  channel.onOpen = () => {
    if (channel.opens.length === 1) throw new TypeError('no such thing');
  };
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  expect(node.logged).toEqual([expect.stringContaining('no such thing')]);
  expect(await instance(id)).toMatchObject({ last_error_code: 'internal' });
});

test('gives up after 24 h of continuous failures', async () => {
  channel.onOpen = () => {
    throw new DriverError('lost', 'unreachable', 'Nobody there.');
  };
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await query(`update connections set failures = 300, failing_since = now() - interval '24 hours 1 second'`);
  start();
  await reaches(id, 'failed');
  expect(await instance(id)).toMatchObject({ state_reason: 'gave_up', last_error_code: 'unreachable' });
  expect(await connection(id)).toMatchObject({ wanted: false });
});

test('an opening that never finishes is aborted and retried', async () => {
  channel.onOpen = ({ signal }) => (channel.opens.length === 1 ? aborted(signal) : undefined);
  start({ times: { openMs: 100 } });
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  expect(await instance(id)).toMatchObject({ last_error_code: 'timeout' });
});

test('a connection that is up but receives nothing is detected by the probe and reopened', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const deafOnes = new Set<object>();
  channel.onProbe = (session) => (deafOnes.has(session) ? never : undefined);
  start({ times: { probeEveryMs: 50, probeMs: 50 } });
  const id = await connected();
  const [deaf] = channel.sessions;
  deafOnes.add(deaf!);
  await vi.waitFor(
    () => expect([...channel.sessions].filter((one) => one !== deaf)).toHaveLength(1),
    PATIENCE,
  );
  await reaches(id, 'connected');
  expect(await instance(id)).toMatchObject({ last_error_code: 'deaf' });
});

describe('pairing', () => {
  test('shows each step, stores its credentials, and connects', async () => {
    const { promise: scanned, resolve: scan } = Promise.withResolvers<void>();
    channel.onOpen = async (context) => {
      if (channel.opens.length > 1) return;
      const expiresAt = new Date(Date.now() + 60_000);
      context.pairing({ kind: 'qr', data: 'step-one', expiresAt });
      context.pairing({ kind: 'qr', data: 'step-two', expiresAt });
      await scanned;
      await context.saveCredentials({ token: 'given by pairing' });
      context.pairing(null);
    };
    start();
    const id = await users.create(workspaceId);
    await users.connect(workspaceId, id);
    await reaches(id, 'action_required');
    expect((await instance(id))['pairing_sealed']).toMatch(/^v1\./);
    scan();
    await reaches(id, 'connected');
    expect(await instance(id)).toMatchObject({ pairing_sealed: null, pairing_expires_at: null });
    expect(await told(id)).toEqual(['connecting', 'action_required', 'connecting', 'connected']);
    await users.restart(workspaceId, id);
    await vi.waitFor(() => expect(channel.opens).toHaveLength(2), PATIENCE);
    await vi.waitFor(
      () => expect([...channel.sessions][0]?.context.credentials).toEqual({ token: 'given by pairing' }),
      PATIENCE,
    );
    expect(JSON.stringify(await query('select * from outbox'))).not.toMatch(/step-one|step-two|given by/);
  });

  test('fails if nobody pairs, and takes up no capacity meanwhile', async () => {
    channel.onOpen = async (context) => {
      context.pairing({ kind: 'code', data: '1234', expiresAt: new Date(Date.now() + 100) });
      await aborted(context.signal);
    };
    const node = start({ times: { openMs: 50, pairingGraceMs: 0 } });
    const id = await users.create(workspaceId);
    await users.connect(workspaceId, id);
    await reaches(id, 'action_required');
    expect(node.counts()).toEqual({ up: 0, opening: 0 });
    await reaches(id, 'failed');
    expect(await instance(id)).toMatchObject({ last_error_code: 'pairing_expired', pairing_sealed: null });
  });
});

describe('a limit of the channel', () => {
  test('stops sending but not receiving, and ends by itself', async () => {
    const node = start();
    const id = await connected();
    const { context } = onlySession();
    const until = new Date(Date.now() + 700);
    await context.emit([{ kind: 'limit', restriction: { kind: 'rate_limited', until } }]);
    expect(await instance(id)).toMatchObject({
      state: 'restricted',
      restriction_kind: 'rate_limited',
      restriction_until: until,
    });
    expect(node.attached.has(id)).toBe(false);
    await context.emit([{ kind: 'profile', address: 'a', name: 'A' }]);
    expect(node.received).toHaveLength(1);
    await reaches(id, 'connected');
    await vi.waitFor(() => expect(node.attached.has(id)).toBe(true), PATIENCE);
    expect(await instance(id)).toMatchObject({ restriction_kind: null, restriction_until: null });
    expect(channel.opens).toHaveLength(1);
  });

  test('can be discovered by a send and lifted by the channel', async () => {
    const node = start();
    const id = await connected();
    await vi.waitFor(() => expect(node.attached.has(id)).toBe(true), PATIENCE);
    node.attached.get(id)!.report(new DriverError('restricted', 'too_many', 'Slow down.'));
    await reaches(id, 'restricted');
    await onlySession().context.emit([{ kind: 'limit', restriction: null }]);
    await vi.waitFor(() => expect(node.attached.has(id)).toBe(true), PATIENCE);
    await reaches(id, 'connected');
  });

  test('delays opening for as long as the channel says', async () => {
    const until = new Date(Date.now() + 600);
    channel.onOpen = () => {
      if (channel.opens.length === 1) throw new DriverError('restricted', 'flood', 'Wait.', { until });
    };
    start();
    const id = await users.create(workspaceId);
    await users.connect(workspaceId, id);
    await reaches(id, 'restricted');
    expect(await instance(id)).toMatchObject({ restriction_kind: 'flood' });
    await reaches(id, 'connected');
    expect(Date.now()).toBeGreaterThanOrEqual(until.getTime());
    expect(await instance(id)).toMatchObject({ restriction_kind: null });
  });
});

test('of several instances of one account, one connects; the others fail, take no messages and block nobody', async () => {
  const others = new Set<string>();
  channel = createScriptedChannel((id) => (others.has(id) ? `${id}@example` : 'same@example'));
  users = instancesOn(database.db, channel);
  const ids = await Promise.all(Array.from({ length: 6 }, () => users.create(workspaceId)));
  for (const id of ids.slice(0, 3)) others.add(id);
  await Promise.all(ids.map((id) => users.connect(workspaceId, id)));
  start();
  await vi.waitFor(async () => {
    const states = await query(
      'select state, last_error_code as code, count(*)::int from instances group by 1, 2 order by 1, 2',
    );
    expect(states).toEqual([
      { state: 'connected', code: null, count: 4 },
      { state: 'failed', code: 'address_in_use', count: 2 },
    ]);
  }, PATIENCE);
  for (const id of others) expect((await instance(id))['state']).toBe('connected');
});

test('a workspace whose servers never respond does not delay others', async () => {
  const slow = newUuid();
  const hanging = new Set<string>();
  channel.onOpen = ({ instanceId, signal }) => (hanging.has(instanceId) ? aborted(signal) : undefined);
  const ids = await Promise.all(Array.from({ length: 60 }, () => users.create(slow)));
  for (const id of ids) hanging.add(id);
  await Promise.all(ids.map((id) => users.connect(slow, id)));
  const node = start();
  await vi.waitFor(() => expect(node.counts().opening).toBe(25), PATIENCE);
  await connected();
  expect(channel.opens.filter(({ instanceId }) => hanging.has(instanceId))).toHaveLength(25);
});
