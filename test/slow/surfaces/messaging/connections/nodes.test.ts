/** Several nodes: each connection is held by one at a time, whatever becomes of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../support/patience.ts';
import { statementsSent } from '../../../../../src/platform/db/database.ts';
import { getBegin, idSpace } from '../../../../../src/platform/embedded-postgres/processes.ts';
import { createTestDatabase, type TestDatabase } from '../../../../support/db.ts';
import { newUuid } from '../../../../../src/platform/http/ids.ts';
import { startDatabaseProxy } from '../../../../support/database-proxy.ts';
import { DriverError } from '../../../../../src/channels/contract/driver-error.ts';
import { takeOver } from '../../../../../src/surfaces/messaging/connections/node.system-store.ts';
import { instancesOn, startNode, type TestNode } from '../../../../support/messaging/connections/nodes.ts';
import {
  createScriptedChannel,
  type ScriptedChannel,
} from '../../../../support/messaging/connections/scripted-channel.ts';

const SHORT_LEASE_MS = 3_000;
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
  channel = createScriptedChannel(() => null);
  users = instancesOn(database.db, channel);
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  for (const table of ['connections', 'instance_queues', 'instances', 'connection_nodes', 'outbox'])
    await database.pool.query(`delete from ${table}`);
});

const start = (options?: Parameters<typeof startNode>[2], connection = database.connection): TestNode => {
  const node = startNode(channel, connection, options);
  nodes.push(node);
  return node;
};
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const connectMany = async (count: number): Promise<string[]> => {
  const ids = await Promise.all(Array.from({ length: count }, () => users.create(workspaceId)));
  await Promise.all(ids.map((id) => users.connect(workspaceId, id)));
  return ids;
};
const allConnected = (count: number, patience = PATIENCE) =>
  vi.waitFor(async () => {
    expect(await query(`select count(*)::int from instances where state = 'connected'`)).toEqual([{ count }]);
    expect(channel.sessions.size).toBe(count);
  }, patience);

test('a node that stops lets go at once, and another goes on', async () => {
  const first = start();
  const ids = await connectMany(30);
  await allConnected(30);
  nodes.splice(nodes.indexOf(first), 1);
  await first.stop();
  // Another one need not wait until a lease is over.
  expect(await query('select from connection_nodes')).toEqual([]);
  start();
  await allConnected(30);
  expect(channel.max).toBe(1);
  expect(channel.opens).toHaveLength(60);
  expect(await query('select distinct epoch from connections')).toEqual([{ epoch: 2 }]);
  expect(new Set(channel.opens.map(({ instanceId }) => instanceId))).toEqual(new Set(ids));
});

test('nodes that lose their database by turns: never two at once, nothing written late, all comes back', async () => {
  const proxies = await Promise.all([
    startDatabaseProxy(database.connection),
    startDatabaseProxy(database.connection),
  ]);
  for (const proxy of proxies) start({ leaseMs: SHORT_LEASE_MS }, proxy.connection);
  await connectMany(20);
  await allConnected(20);
  /** All sessions go on hearing, those that are to be closed too. */
  const epochs = new Map<string, number>();
  const late: string[] = [];
  let talking = true;
  const talk = async (): Promise<void> => {
    while (talking) {
      await Promise.allSettled(
        [...channel.sessions].map(({ context }) =>
          context.emit([{ kind: 'profile', address: 'a', name: null }]),
        ),
      );
      for (const { instance_id: id, position } of await query(
        'select instance_id, position from connections',
      )) {
        const epoch = position?.epoch ?? 0;
        if (epoch < (epochs.get(id) ?? 0)) late.push(id);
        epochs.set(id, epoch);
      }
      await delay(20);
    }
  };
  const talks = talk();
  for (let round = 0; round < 3; round++) {
    const proxy = proxies[round % 2]!;
    await proxy.cut();
    // Sometimes it comes back in time, sometimes another has taken over meanwhile.
    await delay(round < 2 ? SHORT_LEASE_MS * 1.3 : Math.random() * SHORT_LEASE_MS);
    await proxy.mend();
    await allConnected(20);
  }
  talking = false;
  await talks;
  expect(channel.max).toBe(1);
  expect(late).toEqual([]);
  const heard = new Map<string, number[]>();
  for (const { received } of nodes)
    for (const { instanceId, epoch } of received)
      heard.set(instanceId, [...(heard.get(instanceId) ?? []), epoch]);
  expect(heard.size).toBe(20);
  expect(Math.max(...epochs.values())).toBeGreaterThan(1);
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
});

test('a database that is away for a moment costs no connection, and nothing that was told', async () => {
  const proxy = await startDatabaseProxy(database.connection);
  const node = start({}, proxy.connection);
  await connectMany(1);
  await allConnected(1);
  const { context } = [...channel.sessions][0]!;
  await proxy.cut();
  const told = context.emit([{ kind: 'profile', address: 'a', name: null }]);
  await delay(700);
  await proxy.mend();
  await told;
  expect(node.received).toHaveLength(1);
  expect(channel.opens).toHaveLength(1);
  expect(channel.sessions.size).toBe(1);
  await Promise.all(nodes.splice(0).map((one) => one.stop()));
  await proxy.stop();
});

test('what a node holds without knowing of it, as after a claim whose commit was never answered, is opened', async () => {
  start();
  const [node] = await vi.waitFor(async () => {
    const rows = await query('select id from connection_nodes');
    expect(rows).toHaveLength(1);
    return rows;
  }, PATIENCE);
  const id = await users.create(workspaceId);
  await query('update connections set node_id = $1, epoch = 7', [node.id]);
  await users.connect(workspaceId, id);
  await allConnected(1);
  expect(await query('select epoch from connections')).toEqual([{ epoch: 8 }]);
});

test('a node whose lease others took closes and writes nothing more', async () => {
  const node = start();
  const [id] = await connectMany(1);
  await allConnected(1);
  const { context } = [...channel.sessions][0]!;
  // Another takes it, as after a lease that ran out.
  await query('update connections set node_id = $1, epoch = epoch + 1', [newUuid()]);
  const before = await query('select * from instances');
  await expect(context.emit([{ kind: 'profile', address: 'a', name: null }])).rejects.toMatchObject({
    kind: 'lost',
    code: 'not_holder',
  });
  await vi.waitFor(() => expect(channel.sessions.size).toBe(0), PATIENCE);
  await vi.waitFor(() => expect(node.counts()).toEqual({ up: 0, opening: 0 }), PATIENCE);
  expect(node.received).toEqual([]);
  expect(await query('select * from instances where id = $1', [id])).toEqual(before);
  expect(await query('select epoch, failures from connections')).toEqual([{ epoch: 2, failures: 0 }]);
});

test('a process that is provably dead is not waited for; one that lives is', async () => {
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(holder, 'spawn');
  const [id] = await connectMany(1);
  const dead = newUuid();
  const name = `${idSpace()} ${holder.pid} ${getBegin(holder.pid!)}`;
  await query(
    `insert into connection_nodes (id, process, lease_until) values ($1, $2, now() + interval '1 hour')`,
    [dead, name],
  );
  await query('update connections set node_id = $1, epoch = 1 where instance_id = $2', [dead, id]);
  expect(await takeOver(database.db)).toBe(0);
  holder.kill('SIGSTOP');
  expect(await takeOver(database.db)).toBe(0);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  if (process.platform === 'linux') expect(await takeOver(database.db)).toBe(1);
  else await query(`update connection_nodes set lease_until = now() - interval '1 s'`);
  start();
  await allConnected(1);
  // Of another machine, or another start of this one: nothing is known of it.
  await query(
    `insert into connection_nodes (id, process, lease_until) values ($1, $2, now() + interval '1 hour')`,
    [dead, `elsewhere ${name}`],
  );
  await takeOver(database.db);
  expect(await query('select from connection_nodes where id = $1', [dead])).toHaveLength(1);
});

test(
  'a process that was frozen longer than its lease closes its sockets and writes nothing',
  { timeout: 240_000 },
  async () => {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const [id] = await connectMany(1);
    const child = spawn(
      process.execPath,
      [new URL('../../../../support/messaging/connections/frozen-node.ts', import.meta.url).pathname],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          FROZEN_NODE: JSON.stringify({
            connection: database.connection,
            port: (server.address() as net.AddressInfo).port,
            leaseMs: SHORT_LEASE_MS,
          }),
        },
      },
    );
    const lines: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(...text.trim().split('\n')));
    try {
      await vi.waitFor(() => expect(lines).toContain('heard 1'), PATIENCE);
      child.kill('SIGSTOP');
      expect(sockets.size).toBe(1);
      const [frozen] = await query('select connected_at from instances');
      start({ leaseMs: SHORT_LEASE_MS });
      // Frozen amid a transaction it holds a lock until the database ends that.
      await allConnected(1, { ...PATIENCE, timeout: 240_000 });
      // A session is open before its instance says so, which the frozen process left as connected.
      await vi.waitFor(
        async () => expect(await query('select connected_at from instances')).not.toEqual([frozen]),
        PATIENCE,
      );
      const taken = await query('select * from connections');
      const before = await query('select * from instances');
      child.kill('SIGCONT');
      await vi.waitFor(() => expect(sockets.size).toBe(0), PATIENCE);
      await vi.waitFor(() => expect(lines).toContain('closed'), PATIENCE);
      // Where its hearing goes on counts what it took in.
      expect(await query('select * from connections')).toEqual(taken);
      expect(await query('select * from instances where id = $1', [id])).toEqual(before);
    } finally {
      child.kill('SIGKILL');
      server.close();
    }
  },
);

const MANY = 300;
test(`${MANY} that open at once, and are lost at once`, async () => {
  const ids = Array.from({ length: MANY }, newUuid);
  await query(
    `with made as (
       insert into instances (workspace_id, id, name, channel, desired_state, state, state_changed_at, created_by, created_at, updated_at)
       select $1, id, 'test', 'scripted', 'connected', 'connecting', now(), 'key_test', now(), now() from unnest($2::uuid[]) id
       returning id
     ), queues as (
       insert into instance_queues (workspace_id, instance_id) select $1, id from made
     )
     insert into connections (workspace_id, instance_id, wanted) select $1, id, true from made`,
    [workspaceId, ids],
  );
  const before = statementsSent();
  start();
  await allConnected(MANY);
  expect(statementsSent() - before).toBeLessThan(8 * MANY);
  for (const session of channel.sessions) session.drop(new DriverError('lost', 'reset', 'All at once.'));
  channel.opens.length = 0;
  await vi.waitFor(() => expect(channel.opens.length).toBe(MANY), PATIENCE);
  await allConnected(MANY);
  expect(channel.max).toBe(1);
});
