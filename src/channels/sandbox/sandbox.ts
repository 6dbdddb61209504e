/**
 * The sandbox: a channel without a provider, for trying out and for tests. Its server lies in the database, so that all
 * nodes share it and none takes it along when it dies. docs/sandbox.md says how it behaves.
 */
import type { Database } from '../../platform/db/database.ts';
import { type Connection } from '../contract/connection.ts';
import { type Driver, type DriverContext } from '../contract/driver.ts';
import { InvalidAddressError, DriverError } from '../contract/driver-error.ts';
import { deleteSession } from './sandbox-account.system-store.ts';
import { addressOfName, normaliseSandboxAddress } from './sandbox-address.ts';
import { createSandboxBatch } from './sandbox-batch.ts';
import { SANDBOX_CAPABILITIES } from './sandbox-capabilities.ts';
import { tellOwnGroups } from './groups/group-sync.ts';
import { createOperations } from './sandbox-operations.ts';
import { pair } from './sandbox-pairing.ts';
import { createSandboxPost, type Mailbox } from './sandbox-post.ts';
import { sendToServer } from './sandbox-send.ts';
import type { SandboxServer, Session } from './sandbox-session.ts';
import { readCredentials, readSettings, SandboxCredentials, SandboxSettings } from './sandbox-settings.ts';

const ACK_TIMEOUT_MS = 10_000;
/** How long the server may not be heard of until a connection counts as lost. */
const SILENCE_MS = 5_000;

export interface Sandbox {
  driver: Driver;
  /** Another process may have put something into an inbox: looks at once, not only at the next poll. */
  wake(): void;
  /** After the last connection was closed. */
  stop(): Promise<void>;
}

export interface SandboxDeps {
  db: Database;
  log: { warn(details: object, message: string): void };
  /** Hints the other processes, which call `wake`. Nothing depends on it. */
  tellOthers: () => void;
}

const lost = (detail: string, cause?: unknown): DriverError =>
  new DriverError('lost', 'server_unreachable', detail, { cause });

/** @throws DriverError refused */
function assertCredentials({ credentials }: DriverContext): void {
  if (readCredentials(credentials).password === 'wrong')
    throw new DriverError('refused', 'authentication_failed', 'The sandbox refused the password.');
}

function getOwnAddress(name: string): string {
  const address = addressOfName(name);
  if (address === null)
    throw new InvalidAddressError(
      'Nothing in this name can be an address: it needs a letter or a digit.',
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
    teller: { workspaceId, instanceId, from: self },
    isDeaf: false,
    isOpen: true,
    end(reason) {
      if (!session.isOpen) return;
      session.isOpen = false;
      server.post.release(mailbox);
      context.ended(reason);
    },
  };
  const mailbox: Mailbox = {
    workspaceId,
    instanceId,
    log,
    hears: () => session.isOpen && !session.isDeaf,
    emit: (signals) => context.emit(signals),
    receiveFile: (source, about) => context.receiveFile(source, about),
    lost: session.end,
  };
  return { session, mailbox };
}

function getConnection(session: Session, mailbox: Mailbox): Connection {
  const { server, context, teller } = session;
  return {
    address: session.self,
    profileName: context.name,
    send: (message, signal) => sendToServer(session, message, signal),
    ...createOperations(session),
    async probe() {
      if (!session.isOpen) throw lost('The connection is closed.');
      if (session.isDeaf) throw new DriverError('lost', 'deaf', 'The connection hears nothing any more.');
      if (server.post.silentForMs() > SILENCE_MS)
        throw lost("The sandbox's server has not answered of late.");
    },
    logout: () => deleteSession(server.db, teller),
    async close() {
      session.isOpen = false;
      server.post.release(mailbox);
    },
  };
}

export function createSandbox({ db, log, tellOthers }: SandboxDeps): Sandbox {
  const post = createSandboxPost({ db, log, tellOthers });
  const server: SandboxServer = { db, post, batch: createSandboxBatch(db), tellOthers };
  const driver: Driver = {
    channel: 'sandbox',
    title: 'Sandbox',
    description:
      'No provider and no account: for trying out, with contacts that answer and faults on request.',
    credentials: SandboxCredentials,
    settings: SandboxSettings,
    hostSettings: [],
    resend: 'deduplicated',
    ackTimeoutMs: ACK_TIMEOUT_MS,
    pairs: true,
    capabilities: () => SANDBOX_CAPABILITIES,
    ownAddress: ({ name }) => getOwnAddress(name),
    normaliseAddress: (address) => normaliseSandboxAddress(address),
    endpoints: () => [],
    async open(context) {
      assertCredentials(context);
      const { session, mailbox } = startSession(server, context);
      await pair(context, session.settings, db);
      const ready = post.ready().then(() => tellOwnGroups(session));
      await ready.catch((error: unknown) => {
        throw lost("The sandbox's server can't be reached.", error);
      });
      if (context.signal.aborted) throw new DriverError('lost', 'aborted', 'Connecting was given up.');
      post.hold(mailbox);
      return getConnection(session, mailbox);
    },
  };
  return { driver, wake: post.wake, stop: post.stop };
}
