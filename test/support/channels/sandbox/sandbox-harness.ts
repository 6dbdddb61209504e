/** The sandbox for the conformance suite: its server is a database, reached through a proxy that can be cut. */
import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase, openPool } from '../../../../src/platform/db/database.ts';
import { createTestDatabase } from '../../db.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { startDatabaseProxy } from '../../database-proxy.ts';
import type { Harness, Peer, TestAccount } from '../../../conformance/suite/harness.ts';
import { outbound, textMessage } from '../../../conformance/suite/samples.ts';
import type { ChatRef, Connection } from '../../../../src/channels/contract/connection.ts';
import type { Driver } from '../../../../src/channels/contract/driver.ts';
import type { Json } from '../../../../src/channels/contract/json.ts';
import { createSandbox } from '../../../../src/channels/sandbox/sandbox.ts';
import { insertAccount, makeSandboxPeer } from './sandbox-peer.ts';

export async function startSandboxHarness(): Promise<Harness & { stop(): Promise<void> }> {
  const database = await createTestDatabase();
  const proxy = await startDatabaseProxy(database.connection);
  const pool = openPool({ ...proxy.connection, max: 4 }, () => undefined);
  const sandbox = createSandbox({
    db: openDatabase(pool),
    log: { warn: () => undefined },
    notifyOtherNodes: () => undefined,
  });
  const egress = createEgress({ allow: [] });
  const workspaceId = randomUUID();
  const makeAccount = async (settings: Json = {}): Promise<TestAccount> => {
    const name = `account-${randomBytes(5).toString('hex')}`;
    const { instanceId, address } = await insertAccount(database.pool, workspaceId, name);
    return { workspaceId, instanceId, name, settings, credentials: {}, address };
  };
  /** The connections as the suite opens them, to ask for faults on them. */
  const open = new Map<string, Connection>();
  const driver: Driver = {
    ...sandbox.driver,
    async open(context) {
      const connection = await sandbox.driver.open(context);
      open.set(context.instanceId, connection);
      return connection;
    },
  };
  const askFor = async (account: TestAccount, address: string): Promise<void> => {
    const chat = { kind: 'direct' as const, key: address, address };
    const message = outbound({ chat } as Peer);
    // Some faults refuse what asks for them.
    await open
      .get(account.instanceId)!
      .send(message, new AbortController().signal)
      .catch(() => undefined);
  };
  const writeIn = async (account: TestAccount, chat: ChatRef, text: string): Promise<void> => {
    const signal = {
      ...textMessage(text),
      kind: 'message',
      externalId: `phone-${randomUUID()}`,
      chat,
      from: account.address,
      fromMe: true,
      to: chat.address,
      mentions: [],
      at: new Date(),
    };
    await database.pool.query(
      'insert into sandbox_inbox (workspace_id, instance_id, signals) values ($1, $2, $3)',
      [workspaceId, account.instanceId, JSON.stringify([signal])],
    );
  };
  const harness: Harness = {
    driver,
    egress,
    makeAccount: () => makeAccount(),
    makePeer: () => makeSandboxPeer(database.pool, workspaceId),
    refused: (account) => ({ ...account, credentials: { password: 'wrong' } }),
    makeSlowAccount: () => makeAccount({ pairing: 'qr', pairing_seconds: 0 }),
    makePairingAccount: () => makeAccount({ pairing: 'code', pairing_seconds: 1 }),
    unknownAddress: 'fail@nobody',
    unknownMember: 'fail@nobody',
    unknownGroup: `group:${'0'.repeat(20)}`,
    keptConnection: {
      cut: (account) => askFor(account, 'drop@network'),
      deafen: (account) => askFor(account, 'deaf@network'),
    },
    writeElsewhere: (account, peer, text) => writeIn(account, peer.chat, text),
    writeToGroupElsewhere: writeIn,
    server: { stop: proxy.cut, start: proxy.mend },
    invitesIntoClosed: true,
    sameAddresses: [
      ['Alice', ' alice '],
      ['Ann Miller', 'ann-miller'],
      ['café', 'CAFE\u0301'],
      ['Fail@X', 'fail@x'],
      [`Group:${'AB'.repeat(10)}`, `group:${'ab'.repeat(10)}`],
    ],
    badAddresses: [
      'a'.repeat(101),
      'a/b',
      '@',
      'fail@',
      '@x',
      'a@b@c',
      'a\0b',
      'a\u202Eb',
      'ü:x',
      'group:x',
      'group:',
    ],
    patience: 15_000,
  };
  return {
    ...harness,
    async stop() {
      await sandbox.stop();
      await egress.close();
      await pool.end();
      await proxy.stop();
      await database.drop();
    },
  };
}
