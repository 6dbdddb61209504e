/**
 * The sandbox: a channel without a provider, for trying out and for tests. Its server is a set of tables, which all
 * nodes share and which survive the death of any node. docs/sandbox.md describes its behavior.
 */
import type { Database } from '../../platform/db/database.ts';
import type { Log } from '../../platform/logging/log.ts';
import { unprocessed } from '../contract/signal.ts';
import { type Connection } from '../contract/connection.ts';
import { type Driver, type DriverContext } from '../contract/driver.ts';
import { InvalidAddressError, DriverError } from '../contract/driver-error.ts';
import { deleteSession } from './account/sandbox-account.system-store.ts';
import { toAddress, normalizeSandboxAddress } from './account/sandbox-address.ts';
import { createSandboxBatch } from './account/sandbox-batch.ts';
import { SANDBOX_CAPABILITIES } from './account/sandbox-capabilities.ts';
import { syncOwnGroups } from './groups/group-sync.ts';
import { createOperations } from './sandbox-operations.ts';
import { pair } from './sandbox-pairing.ts';
import { createInboxPoller, type Mailbox } from './account/inbox-poller.ts';
import { sendToServer } from './sandbox-send.ts';
import type { SandboxServer, Session } from './account/sandbox-session.ts';
import {
  readCredentials,
  readSettings,
  SandboxCredentials,
  SandboxSettings,
} from './account/sandbox-settings.ts';

const ACK_TIMEOUT_MS = 10_000;
/** A connection counts as lost when no inbox cycle has succeeded for this time. */
const SILENCE_MS = 5_000;

export interface Sandbox {
  driver: Driver;
  /** Checks the inboxes immediately. Call when another process may have written to one. */
  wake(): void;
  /** Call after the last connection is closed. */
  stop(): Promise<void>;
}

export interface SandboxDeps {
  db: Database;
  log: Pick<Log, 'warn'>;
  /** Notifies the other processes, which call `wake`. A hint: nothing depends on it. */
  notifyOtherNodes: () => void;
}

const lost = (detail: string, cause?: unknown): DriverError =>
  new DriverError('lost', 'server_unreachable', detail, { cause });

/** @throws DriverError refused */
function assertCredentials({ credentials }: DriverContext): void {
  if (readCredentials(credentials).password === 'wrong')
    throw new DriverError('refused', 'authentication_failed', 'The sandbox refused the password.');
}

function getOwnAddress(name: string): string {
  const address = toAddress(name);
  if (address === null)
    throw new InvalidAddressError(
      'The name must contain a letter or a digit, because the address is derived from it.',
      '/name',
    );
  return address;
}

function startSession(server: SandboxServer, context: DriverContext): { session: Session; mailbox: Mailbox } {
  const self = getOwnAddress(context.name);
  const { workspaceId, instanceId, log } = context;
  const session: Session = {
    server,
    context,
    settings: readSettings(context.settings),
    self,
    sender: { workspaceId, instanceId, from: self },
    isDeaf: false,
    isOpen: true,
    end(reason) {
      if (!session.isOpen) return;
      session.isOpen = false;
      server.inbox.release(mailbox);
      context.ended(reason);
    },
  };
  const mailbox: Mailbox = {
    workspaceId,
    instanceId,
    log,
    isReceiving: () => session.isOpen && !session.isDeaf,
    emit: (signals) => context.emit(signals),
    receiveFile: (source, about) => context.receiveFile(source, about),
    lost: session.end,
  };
  return { session, mailbox };
}

function getConnection(session: Session, mailbox: Mailbox): Connection {
  const { server, context, sender } = session;
  return {
    address: session.self,
    profileName: context.name,
    send: (message, signal) => sendToServer(session, message, signal),
    ...createOperations(session),
    // Nothing here is unknown: both ends are this program.
    receive: (parts) => context.emit(parts.map(({ body }) => unprocessed('unknown_kind', null, body))),
    async probe() {
      if (!session.isOpen) throw lost('The connection is closed.');
      if (session.isDeaf)
        throw new DriverError('lost', 'deaf', 'The connection no longer receives anything.');
      if (server.inbox.silentForMs() > SILENCE_MS) throw lost('The sandbox server is not responding.');
    },
    logout: () => deleteSession(server.db, sender),
    async close() {
      session.isOpen = false;
      server.inbox.release(mailbox);
    },
  };
}

export function createSandbox({ db, log, notifyOtherNodes }: SandboxDeps): Sandbox {
  const inbox = createInboxPoller({ db, log, notifyOtherNodes });
  const server: SandboxServer = { db, inbox, batch: createSandboxBatch(db), notifyOtherNodes };
  const driver: Driver = {
    channel: 'sandbox',
    title: 'Sandbox',
    description:
      'A test channel whose contacts reply automatically, and fail on request. It needs no account.',
    credentials: SandboxCredentials,
    settings: SandboxSettings,
    hostSettings: [],
    resend: 'deduplicated',
    ackTimeoutMs: ACK_TIMEOUT_MS,
    pairs: true,
    capabilities: () => SANDBOX_CAPABILITIES,
    ownAddress: ({ name }) => getOwnAddress(name),
    normalizeAddress: (address) => normalizeSandboxAddress(address),
    endpoints: () => [],
    async open(context) {
      assertCredentials(context);
      const { session, mailbox } = startSession(server, context);
      await pair(context, session.settings, db);
      const ready = inbox.ready().then(() => syncOwnGroups(session));
      await ready.catch((error: unknown) => {
        throw lost('The sandbox server is unreachable.', error);
      });
      if (context.signal.aborted) throw new DriverError('lost', 'aborted', 'Connecting was canceled.');
      inbox.add(mailbox);
      return getConnection(session, mailbox);
    },
  };
  return { driver, wake: inbox.wake, stop: inbox.stop };
}
