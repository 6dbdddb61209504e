/** Connections of the sandbox as tests use them: over recorded contexts, on a database of their own. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../db.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { newUuid } from '../../../../src/platform/http/ids.ts';
import { publicId } from '../../../../src/core/vocabulary/ids.ts';
import type {
  Connection,
  OutboundMessage,
  SendResult,
} from '../../../../src/channels/contract/connection.ts';
import type { Json } from '../../../../src/channels/contract/json.ts';
import type { Signal } from '../../../../src/channels/contract/signal.ts';
import {
  newStore,
  type RecordedContext,
  recordedContext,
  type Store,
} from '../../../conformance/suite/recorded-context.ts';
import type { TestAccount } from '../../../conformance/suite/harness.ts';
import { createSandbox, type Sandbox } from '../../../../src/channels/sandbox/sandbox.ts';
import { insertAccount } from './sandbox-peer.ts';

export interface TestConnection {
  account: TestAccount;
  context: RecordedContext;
  connection: Connection;
  /** Sends a text, or what is given. */
  send(to: string, what?: string | Partial<OutboundMessage>): Promise<SendResult>;
  heard<K extends Signal['kind']>(kind: K): Extract<Signal, { kind: K }>[];
}

export interface SandboxWorld {
  database: TestDatabase;
  sandbox: Sandbox;
  workspaceId: string;
  /** Times that another process was hinted. */
  hints(): number;
  /** A process of its own on the same database. */
  startOther(): Sandbox;
  connect(
    settings?: Json,
    on?: { sandbox?: Sandbox; account?: TestAccount; store?: Store },
  ): Promise<TestConnection>;
  stop(): Promise<void>;
}

export const directChat = (address: string) => ({ kind: 'direct' as const, key: address, address });

export function messageTo(
  address: string,
  what: string | Partial<OutboundMessage> = 'Hello there',
): OutboundMessage {
  const id = publicId('message', newUuid());
  const message: OutboundMessage = {
    id,
    clientId: id,
    chat: directChat(address),
    type: 'text',
    content: { text: typeof what === 'string' ? what : 'Hello there', file: null, data: null },
    subject: null,
    threadId: null,
    replyTo: null,
    references: [],
    mentions: [],
    automatic: false,
    attempt: 0,
  };
  return typeof what === 'string' ? message : { ...message, ...what };
}

export async function startSandboxWorld(): Promise<SandboxWorld> {
  const database = await createTestDatabase();
  const egress = createEgress({ allow: [] });
  const workspaceId = randomUUID();
  const started: Sandbox[] = [];
  let hints = 0;
  const startOther = (): Sandbox => {
    const sandbox = createSandbox({
      db: database.db,
      log: { warn: () => undefined },
      notifyOtherNodes: () => void hints++,
    });
    started.push(sandbox);
    return sandbox;
  };
  const sandbox = startOther();
  return {
    database,
    sandbox,
    workspaceId,
    hints: () => hints,
    startOther,
    async connect(settings = {}, on = {}) {
      const name = `account-${randomBytes(5).toString('hex')}`;
      const account = on.account ?? {
        ...(await insertAccount(database.pool, workspaceId, name)),
        workspaceId,
        name,
        settings,
        credentials: {},
      };
      const context = recordedContext({ egress }, account, on.store ?? newStore(account));
      const connection = await (on.sandbox ?? sandbox).driver.open(context);
      const never = new AbortController().signal;
      return {
        account,
        context,
        connection,
        send: (to, what) => connection.send(messageTo(to, what), never),
        heard: (kind) => context.store.signals.filter((signal) => signal.kind === kind) as never,
      };
    },
    async stop() {
      await Promise.all(started.map((one) => one.stop()));
      await egress.close();
      await database.drop();
    },
  };
}
