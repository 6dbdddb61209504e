/** The driver as the product has it, and what it tells: kept in memory, each thing once, the position beside it. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { PATIENCE } from '../../patience.ts';
import type { Egress } from '../../../../src/platform/egress/egress.ts';
import { expect, vi } from 'vitest';
import type {
  Connection,
  OutboundMessage,
  ReceivedFile,
} from '../../../../src/channels/contract/connection.ts';
import type { DriverContext } from '../../../../src/channels/contract/driver.ts';
import type { DriverError } from '../../../../src/channels/contract/driver-error.ts';
import type { Json } from '../../../../src/channels/contract/json.ts';
import type { InboundMessage, Signal } from '../../../../src/channels/contract/signal.ts';
import { emailDriver } from '../../../../src/channels/email/email.driver.ts';
import { accountAt, type MailServers, type MailUser } from './mail-servers.ts';

export interface Account {
  connection: Connection;
  signals: Signal[];
  /** What was received, by hash. */
  files: Map<string, { content: Buffer; fileName: string | null; mimeType: string | null }>;
  position(): Json;
  ended(): DriverError | null;
  /** The first signal that matches, once it is there. */
  hears<T extends Signal>(matches: (signal: Signal) => signal is T): Promise<T>;
  hearsMessage(matches: (message: InboundMessage) => boolean): Promise<InboundMessage>;
}

export interface AccountOptions {
  egress: Egress;
  servers: MailServers;
  user: MailUser;
  settings?: Record<string, Json>;
  credentials?: Record<string, Json>;
  position?: Json;
  context?: Partial<DriverContext>;
}

export async function openAccount(options: AccountOptions): Promise<Account> {
  const { egress, servers, user } = options;
  const given = accountAt(servers, user);
  const signals: Signal[] = [];
  const files: Account['files'] = new Map();
  const seen = new Set<string>();
  let position = options.position ?? null;
  let end: DriverError | null = null;
  const context: DriverContext = {
    workspaceId: 'ws_test',
    instanceId: 'ins_test',
    name: 'Test',
    settings: { ...given.settings, ...options.settings },
    credentials: { ...given.credentials, ...options.credentials },
    ingressUrl: null,
    egress,
    position,
    log: { debug() {}, warn() {} },
    signal: new AbortController().signal,
    async emit(told, next) {
      for (const signal of told) {
        if (signal.kind === 'message' && seen.has(signal.externalId)) continue;
        if (signal.kind === 'message') seen.add(signal.externalId);
        signals.push(signal);
      }
      if (next !== undefined) position = next;
    },
    async receiveFile(source, about): Promise<ReceivedFile> {
      const content = await buffer(source);
      const sha256 = createHash('sha256').update(content).digest('hex');
      files.set(sha256, { content, ...about });
      return { size: content.length, sha256 };
    },
    pairing() {},
    async saveCredentials() {},
    ended: (reason) => (end = reason),
    ...options.context,
  };
  const connection = await emailDriver.open(context);
  const hears: Account['hears'] = (matches) =>
    vi.waitFor(() => {
      const found = signals.find(matches);
      expect(found, JSON.stringify(signals)).toBeDefined();
      return found!;
    }, PATIENCE);
  return {
    connection,
    signals,
    files,
    position: () => position,
    ended: () => end,
    hears,
    hearsMessage: (matches) =>
      hears((signal): signal is InboundMessage => signal.kind === 'message' && matches(signal)),
  };
}

let made = 0;

/** A text to one address, in a chat of its own. */
export const outbound = (
  to: string,
  message: Partial<OutboundMessage> & { text?: string } = {},
): OutboundMessage => {
  const { text = 'Hello', ...rest } = message;
  const clientId = `msg_${String((made += 1)).padStart(26, '0')}`;
  return {
    id: clientId,
    clientId,
    chat: { kind: 'direct', key: to, address: to },
    type: 'text',
    content: { text, file: null, data: null },
    subject: null,
    threadId: null,
    replyTo: null,
    references: [],
    mentions: [],
    automatic: false,
    attempt: 0,
    ...rest,
  };
};
