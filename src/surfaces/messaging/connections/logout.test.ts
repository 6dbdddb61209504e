/** Tests that the session at the channel ends when the user logs out, whichever node holds the connection. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { aborted } from './aborted.ts';
import {
  instancesOn,
  startNode,
  type TestNode,
} from '../../../../test/support/messaging/connections/nodes.ts';
import {
  createScriptedChannel,
  type ScriptedChannel,
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
const stop = async (node: TestNode): Promise<void> => {
  nodes.splice(nodes.indexOf(node), 1);
  await node.stop();
};
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const instance = async (id: string) =>
  (await query('select * from instances where id = $1', [id]))[0] as Record<string, unknown>;
const connection = async (id: string) =>
  (await query('select * from connections where instance_id = $1', [id]))[0] as Record<string, unknown>;
const reaches = (id: string, state: string) =>
  vi.waitFor(async () => expect((await instance(id))?.['state']).toBe(state), PATIENCE);
async function connected(): Promise<string> {
  const id = await users.create(workspaceId);
  await users.connect(workspaceId, id);
  await reaches(id, 'connected');
  return id;
}

describe('the session at the channel is ended', () => {
  const isOver = (id: string) =>
    vi.waitFor(
      async () =>
        expect(await connection(id)).toMatchObject({
          node_id: null,
          logs_out: false,
          logout_credentials_sealed: null,
        }),
      PATIENCE,
    );

  test('if nobody holds it', async () => {
    const node = start();
    const id = await connected();
    await stop(node);
    await users.logout(workspaceId, id);
    expect(channel.loggedOut).toEqual([]);
    start();
    await isOver(id);
    expect(channel.loggedOut).toEqual([id]);
    expect(channel.sessions.size).toBe(0);
    expect(await instance(id)).toMatchObject({ state: 'disconnected', state_reason: 'logged_out' });
    // It is only ended once.
    const before = channel.opens.length;
    await users.logout(workspaceId, id);
    expect(await connection(id)).toMatchObject({ logs_out: false });
    expect(channel.opens).toHaveLength(before);
  });

  test('while it is still being opened, and before it is reopened', async () => {
    start();
    const id = await connected();
    await users.disconnect(workspaceId, id);
    await vi.waitFor(() => expect(channel.sessions.size).toBe(0), PATIENCE);
    const order: string[] = [];
    channel.onOpen = async ({ signal }) => {
      order.push(`open ${channel.loggedOut.length}`);
      if (order.length === 1) await aborted(signal);
    };
    await users.connect(workspaceId, id);
    await vi.waitFor(() => expect(order).toHaveLength(1), PATIENCE);
    await users.logout(workspaceId, id);
    await users.connect(workspaceId, id);
    await reaches(id, 'connected');
    expect(order).toEqual(['open 0', 'open 0', 'open 1']);
    expect(channel.loggedOut).toEqual([id]);
  });

  test('also if the user connects right afterwards', async () => {
    start();
    const id = await connected();
    await users.logout(workspaceId, id);
    await users.connect(workspaceId, id);
    await vi.waitFor(() => expect(channel.loggedOut).toEqual([id]), PATIENCE);
    await reaches(id, 'connected');
    await vi.waitFor(() => expect(channel.sessions.size).toBe(1), PATIENCE);
    expect(channel.max).toBe(1);
  });

  test('is retried, and given up if the user wants to connect', async () => {
    const node = start();
    const id = await connected();
    await stop(node);
    const away = () => Promise.reject(new DriverError('lost', 'unreachable', 'The server is away.'));
    channel.onOpen = away;
    const tried = channel.opens.length;
    await users.logout(workspaceId, id);
    const second = start();
    await vi.waitFor(() => expect(channel.opens.length).toBeGreaterThan(tried + 1), PATIENCE);
    await stop(second);
    expect(await connection(id)).toMatchObject({ logs_out: true, wanted: false });
    await users.connect(workspaceId, id);
    let opens = 0;
    channel.onOpen = () => (opens++ === 0 ? away() : undefined);
    start();
    await reaches(id, 'connected');
    expect(opens).toBe(2);
    expect(await instance(id)).toMatchObject({ last_error_code: 'logout_failed' });
    expect(channel.loggedOut).toEqual([]);
  });

  test('without a retry if the channel has no session any more', async () => {
    const node = start();
    const id = await connected();
    await stop(node);
    channel.onOpen = async ({ pairing, signal }) => {
      pairing({ kind: 'qr', data: 'x', expiresAt: new Date(Date.now() + 60_000) });
      await aborted(signal);
    };
    await users.logout(workspaceId, id);
    start();
    await isOver(id);
    expect(await instance(id)).toMatchObject({
      state: 'disconnected',
      pairing_sealed: null,
      last_error_code: null,
    });
  });
});
