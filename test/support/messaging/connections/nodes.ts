/** Nodes that hold connections on a test's database, and what users do with their instances. */
import { createSecretBox } from '../../../../src/platform/crypto/secret-box.ts';
import {
  type Database,
  openDatabase,
  openPool,
  type PoolOptions,
} from '../../../../src/platform/db/database.ts';
import { unitsFor } from '../../events/outbox.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { newUuid } from '../../../../src/platform/http/ids.ts';
import type { Signal } from '../../../../src/channels/contract/signal.ts';
import { createDrivers } from '../../../../src/channels/contract/driver-registry.ts';
import { insertConnection } from '../../../../src/surfaces/messaging/instances/desired-state.store.ts';
import { insertInstance, lockInstance } from '../../../../src/surfaces/messaging/instances/instance.store.ts';
import { sealCredentials } from '../../../../src/surfaces/messaging/instances/instance-secrets.ts';
import * as desiredStates from '../../../../src/surfaces/messaging/instances/desired-state.service.ts';
import { lockHeldAt } from '../../../../src/surfaces/messaging/connections/fence.ts';
import {
  type ConnectionLease,
  HoldingLost,
} from '../../../../src/surfaces/messaging/connections/connection-lease.ts';
import { createConnectionManager } from '../../../../src/surfaces/messaging/connections/manager.ts';
import { createStateWriter } from '../../../../src/surfaces/messaging/connections/state-writer.ts';
import { type Times, TIMES } from '../../../../src/surfaces/messaging/connections/times.ts';
import type { ScriptedChannel } from './scripted-channel.ts';

const secrets = createSecretBox('a secret for tests, 32 characters long');

export interface TestNode {
  /** What the queue's sender has by now. */
  attached: Map<string, ConnectionLease>;
  /** What came in, with the epoch that it was written under, which is kept as the position too. */
  received: { instanceId: string; epoch: number; signals: Signal[] }[];
  opened: (string | null)[];
  logged: string[];
  wake(): void;
  counts(): { up: number; opening: number };
  stop(): Promise<void>;
}

/** @param connection a way to the database of its own, which may be cut */
export function startNode(
  channel: ScriptedChannel,
  connection: PoolOptions,
  options: { leaseMs?: number; times?: Partial<Times> } = {},
): TestNode {
  const [pool, controlPool] = [6, 3].map((max) => openPool({ ...connection, max }, () => {}));
  const db = openDatabase(pool!);
  const drivers = createDrivers([channel.driver], 'http://localhost');
  const units = unitsFor(db);
  const logged: string[] = [];
  const report = (details: object, message: string): void => {
    const { err } = details as { err?: Error };
    logged.push(`${message} ${err?.message ?? ''}`);
  };
  let taken = 0;
  const egress = createEgress({ allow: [] });
  const node: Pick<TestNode, 'attached' | 'received' | 'opened'> = {
    attached: new Map(),
    received: [],
    opened: [],
  };
  const manager = createConnectionManager({
    control: openDatabase(controlPool!),
    drivers,
    secrets,
    egress,
    writer: createStateWriter({ units, drivers }),
    times: { ...TIMES, closeMs: 500, drainMs: 500, ...options.times },
    leaseMs: options.leaseMs,
    log: { debug: () => {}, warn: report, error: report },
    onOpened: (_channel, error) => node.opened.push(error && error.code),
    onLost: () => {},
    sender: {
      attach(held) {
        if (node.attached.has(held.instanceId)) throw new Error('attached twice');
        node.attached.set(held.instanceId, held);
      },
      async detach(instanceId) {
        node.attached.delete(instanceId);
      },
    },
    ingress: { attach() {}, detach: async () => {} },
    receiver: {
      async apply(holding, signals) {
        await units.write(async (unit) => {
          const { instanceId, epoch } = holding;
          if (!(await lockHeldAt(unit.db, holding, { epoch, n: ++taken }))) throw new HoldingLost();
          node.received.push({ instanceId, epoch, signals });
        });
      },
      receiveFile: () => Promise.reject(new Error('no files here')),
    },
  });
  manager.start();
  return {
    ...node,
    logged,
    wake: manager.wake,
    counts: manager.counts,
    async stop() {
      await manager.stop();
      await egress.close();
      await Promise.all([pool!.end(), controlPool!.end()]);
    },
  };
}

/** What users do with instances of a scripted channel. */
export function instancesOn(db: Database, channel: ScriptedChannel) {
  const drivers = createDrivers([channel.driver], 'http://localhost');
  const units = unitsFor(db);
  const deps = { drivers, secrets, connectionsChanged: () => {} };
  const desiredState =
    (
      apply: (
        ...args: Parameters<desiredStates.SetDesiredState>
      ) => ReturnType<desiredStates.SetDesiredState>,
    ) =>
    (workspaceId: string, id: string): Promise<unknown> =>
      units.write(async (unit) => apply(unit, deps, (await lockInstance(unit.db, workspaceId, id))!));
  return {
    /** @returns its ID */
    create: (workspaceId: string, credentials = {}): Promise<string> =>
      units.write(async (unit) => {
        const id = newUuid();
        await insertInstance(unit.db, workspaceId, {
          id,
          name: 'test',
          channel: 'scripted',
          address: null,
          settings: {},
          credentials_sealed: sealCredentials(secrets, { workspace_id: workspaceId, id }, credentials),
          ingress_token: null,
          queue_ttl_seconds: 3_600,
          resend_unknown: false,
          metadata: {},
          created_by: 'key_test',
          created_at: new Date(),
        });
        await insertConnection(unit.db, workspaceId, id);
        return id;
      }),
    connect: desiredState(desiredStates.connect),
    restart: desiredState((unit, wishDeps, row) => desiredStates.reopen(unit, wishDeps, row, 'restarted')),
    disconnect: desiredState(desiredStates.disconnect),
    logout: desiredState((unit, wishDeps, row) => desiredStates.disconnect(unit, wishDeps, row, true)),
  };
}
