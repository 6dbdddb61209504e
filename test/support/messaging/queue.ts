/** Instances, chats and messages on a test's database, and a connection that does what the test says. */
import { completeGroup } from '../../../src/surfaces/messaging/groups/group-completion.ts';
import { CompiledQuery } from 'kysely';
import Type from 'typebox';
import type { Database } from '../../../src/platform/db/database.ts';
import { createUnits, type Units } from '../../../src/core/unit/unit-of-work.ts';
import { createEventWriter } from '../../../src/core/unit/event-writer.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import type { Capabilities, Resend } from '../../../src/channels/contract/capabilities.ts';
import type { Connection, OutboundMessage, SendResult } from '../../../src/channels/contract/connection.ts';
import type { DriverError } from '../../../src/channels/contract/driver-error.ts';
import { insertChats } from '../../../src/surfaces/messaging/records/chat.store.ts';
import type { ConnectionLease } from '../../../src/surfaces/messaging/connections/connection-lease.ts';
import { insertConnection } from '../../../src/surfaces/messaging/instances/desired-state.store.ts';
import { insertInstance } from '../../../src/surfaces/messaging/instances/instance.store.ts';
import { insertMessages, MESSAGE_DEFAULTS } from '../../../src/surfaces/messaging/records/message.store.ts';
import {
  insertRows,
  insertScheduled,
  reserve,
} from '../../../src/surfaces/messaging/records/queue-row.store.ts';
import { createSender, type Sender, type SenderDeps } from '../../../src/surfaces/messaging/queue/sender.ts';

export interface World {
  db: Database;
  units: Units;
  workspaceId: string;
  nodeId: string;
  addNode(): Promise<string>;
  endNode(id: string): Promise<void>;
  addInstance(options?: { ttlSeconds?: number; resendUnknown?: boolean }): Promise<string>;
  /** Direct chats with addresses of these names. @returns their IDs */
  addChats(instanceId: string, addresses: readonly string[]): Promise<string[]>;
  /** Queues texts, each to a chat, in one transaction. @returns their IDs */
  queue(
    instanceId: string,
    texts: readonly { chatId: string; text: string; mediaId?: string; type?: string; replyTo?: string }[],
    options?: { ttlSeconds?: number; scheduledAt?: Date },
  ): Promise<string[]>;
  /** Gives the connection to a node under a new epoch. */
  take(instanceId: string, nodeId?: string): Promise<number>;
  message(
    id: string,
  ): Promise<{ status: string; history: string[]; error: string | null; [column: string]: unknown }>;
  statuses(instanceId: string): Promise<Record<string, number>>;
  events(type?: string): Promise<{ type: string; id: string; object: Record<string, never> }[]>;
  rows(
    instanceId: string,
  ): Promise<
    { id: string; due: string; claimed_epoch: number | null; uncertain: boolean; attempts: number }[]
  >;
}

type Enqueue = Parameters<typeof createUnits>[0]['jobs']['enqueue'];

/** @param enqueue what becomes of jobs */
export async function createWorld(
  db: Database,
  enqueue: Enqueue = () => Promise.reject(new Error('no jobs here')),
): Promise<World> {
  const units = createUnits({
    db,
    events: createEventWriter(() => {}),
    jobs: { enqueue },
  });
  const workspaceId = newUuid();
  const query = async <R>(text: string, values: unknown[]): Promise<R[]> =>
    (await db.executeQuery(CompiledQuery.raw(text, values))).rows as R[];
  const addNode = async (): Promise<string> => {
    const id = newUuid();
    const future = `now() + interval '1 hour'`;
    await query(`insert into connection_nodes (id, lease_until) values ($1, ${future})`, [id]);
    return id;
  };
  const nodeId = await addNode();
  const world: World = {
    db,
    units,
    workspaceId,
    nodeId,
    addNode,
    async endNode(id) {
      const past = `now() - interval '1 second'`;
      await query(`update connection_nodes set lease_until = ${past} where id = $1`, [id]);
    },
    addInstance: ({ ttlSeconds = 3_600, resendUnknown = false } = {}) =>
      units.write(async (unit) => {
        const id = newUuid();
        await insertInstance(unit.db, workspaceId, {
          id,
          name: 'test',
          channel: 'scripted',
          address: null,
          settings: {},
          credentials_sealed: null,
          ingress_token: null,
          queue_ttl_seconds: ttlSeconds,
          resend_unknown: resendUnknown,
          metadata: {},
          created_by: 'key_test',
          created_at: new Date(),
        });
        await insertConnection(unit.db, workspaceId, id);
        return id;
      }),
    async addChats(instanceId, addresses) {
      const chats = addresses.map((address) => ({
        id: newUuid(),
        instance_id: instanceId,
        kind: 'direct' as const,
        key: address,
        address,
        title: null,
        contact_id: null,
        created_at: new Date(),
      }));
      await insertChats(db, workspaceId, chats);
      return chats.map(({ id }) => id);
    },
    queue: (instanceId, texts, { ttlSeconds = 3_600, scheduledAt } = {}) =>
      units.write(async (unit) => {
        const now = new Date();
        const sends = scheduledAt ? 0 : texts.length;
        const count = { messages: texts.length, rows: sends, sends };
        const { sequence, position } = (await reserve(unit.db, workspaceId, instanceId, count))!;
        const ids = texts.map(() => newUuid());
        const status = scheduledAt ? 'scheduled' : 'queued';
        await insertMessages(
          workspaceId,
          texts.map(({ chatId, text, mediaId, type = 'text', replyTo }, nth) => ({
            ...MESSAGE_DEFAULTS,
            workspace_id: workspaceId,
            id: ids[nth]!,
            instance_id: instanceId,
            chat_id: chatId,
            sequence: sequence + nth,
            direction: 'outbound',
            source: 'api',
            type,
            content: type === 'text' ? { body: text } : { media_id: null, caption: text, file_name: null },
            search_text: text,
            media_id: mediaId ?? null,
            reply_to: replyTo ?? null,
            status,
            status_history: [{ status, at: now.toISOString() }],
            scheduled_at: scheduledAt ?? null,
            created_at: now,
            updated_at: now,
          })),
        ).execute(unit.db);
        if (scheduledAt) {
          const scheduled = ids.map((id) => ({ id, instanceId, dueAt: scheduledAt }));
          await insertScheduled(workspaceId, scheduled).execute(unit.db);
        } else {
          const rows = texts.map(({ chatId }, nth) => ({
            id: ids[nth]!,
            action: 'send' as const,
            chatId,
            messageId: ids[nth]!,
          }));
          await insertRows(workspaceId, [{ instanceId, rows, position, ttlSeconds }]).execute(unit.db);
        }
        return ids;
      }),
    async take(instanceId, node = nodeId) {
      const [row] = await query<{ epoch: number }>(
        'update connections set epoch = epoch + 1, node_id = $2 where instance_id = $1 returning epoch',
        [instanceId, node],
      );
      return row!.epoch;
    },
    async message(id) {
      const [row] = await query<{
        status: string;
        status_history: { status: string }[];
        error_code: string | null;
      }>('select * from messages where id = $1', [id]);
      return { ...row!, history: row!.status_history.map(({ status }) => status), error: row!.error_code };
    },
    async statuses(instanceId) {
      const rows = await query<{ status: string; count: number }>(
        'select status, count(*)::int as count from messages where instance_id = $1 group by status',
        [instanceId],
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    async events(type) {
      const rows = await query<{
        type: string;
        resource_id: string;
        data: { object: Record<string, never> };
      }>(
        'select type, resource_id, data from outbox where workspace_id = $1 and ($2::text is null or type = $2) order by n',
        [workspaceId, type ?? null],
      );
      return rows.map((row) => ({ type: row.type, id: row.resource_id, object: row.data.object }));
    },
    rows: (instanceId) =>
      query(
        'select id, due_at::text as due, claimed_epoch, uncertain, attempts from send_queue where instance_id = $1 order by position',
        [instanceId],
      ),
  };
  return world;
}

const PACING = { perSecond: null, perChat: null, concurrency: 32 };

export interface Script {
  resend?: Resend;
  /** `resend` of the capabilities, which replaces the driver's. */
  declared?: Resend;
  ackTimeoutMs?: number;
  pacing?: Capabilities['pacing'];
  send: (message: OutboundMessage, signal: AbortSignal) => Promise<SendResult> | SendResult;
  connection?: Partial<Connection>;
}

export interface ScriptedHolding extends ConnectionLease {
  /** The node loses it, as far as this process knows. */
  abort(): void;
  isLost: boolean;
  reported: DriverError[];
}

/** A connection that the world's node (or another) has taken under an epoch. */
export function getHolding(
  world: World,
  instanceId: string,
  epoch: number,
  script: Script,
  nodeId = world.nodeId,
): ScriptedHolding {
  const ending = new AbortController();
  const { resend = 'deduplicated', declared, ackTimeoutMs = 2_000, pacing = PACING } = script;
  const capabilities: Capabilities = {
    ...(declared && { resend: declared }),
    types: { text: { text: 1_000 } },
    operations: [],
    pacing,
    limits: { editWithin: null, revokeWithin: null, groupMembers: null },
  };
  const holding: ScriptedHolding = {
    instanceId,
    workspaceId: world.workspaceId,
    nodeId,
    epoch,
    settings: {},
    capabilities,
    driver: {
      channel: 'scripted',
      title: 'Scripted',
      description: 'For tests.',
      credentials: Type.Object({}),
      settings: Type.Object({}),
      hostSettings: [],
      resend,
      ackTimeoutMs,
      pairs: false,
      capabilities: () => capabilities,
      ownAddress: () => null,
      normalizeAddress: (given) => given,
      endpoints: () => [],
      open: () => Promise.reject(new Error('it is open')),
    },
    connection: {
      address: 'me',
      send: async (message, signal) => script.send(message, signal),
      receive: async () => {},
      probe: async () => {},
      close: async () => {},
      ...script.connection,
    },
    isHeld: () => !ending.signal.aborted,
    signal: ending.signal,
    isLost: false,
    lost() {
      holding.isLost = true;
      ending.abort();
    },
    abort: () => ending.abort(),
    reported: [],
    report: (error) => void holding.reported.push(error),
  };
  return holding;
}

export const sent = (externalId: string | null = null): SendResult => ({
  externalId,
  status: 'sent',
  at: new Date(),
});

const NO_FILES = {
  keep: () => Promise.reject(new Error('no files are kept here')),
  discard: () => Promise.resolve(),
};

export function startSender(world: World, more: Partial<SenderDeps> = {}): Sender & { logged: string[] } {
  const logged: string[] = [];
  const report = (details: object, message: string): void => {
    logged.push(`${message} ${(details as { err?: Error }).err?.stack ?? ''}`);
  };
  const sender = createSender({
    db: world.db,
    units: world.units,
    log: { info() {}, warn: report, error: report },
    files: { read: async () => null } as unknown as SenderDeps['files'],
    urls: { sign: () => ({ url: 'http://localhost/media/x', expiresAt: new Date() }) },
    completeGroup: (unit, done) =>
      completeGroup(unit, { inboundFiles: NO_FILES, log: { warn: report } }, done),
    getPerson: async (workspaceId) => workspaceId,
    onLate: () => {},
    onCompleted: () => {},
    ...more,
  });
  sender.start();
  return Object.assign(sender, { logged });
}
