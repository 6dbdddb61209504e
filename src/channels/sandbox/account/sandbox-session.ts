/** State shared by the operations of one connection. */
import { type Database, isConnectionError } from '../../../platform/db/database.ts';
import { type DriverContext } from '../../contract/driver.ts';
import { DriverError } from '../../contract/driver-error.ts';
import type { SandboxBatch } from './sandbox-batch.ts';
import type { Sender } from './sandbox-inbox.system-store.ts';
import type { InboxPoller } from './inbox-poller.ts';
import type { Settings } from './sandbox-settings.ts';

export interface SandboxServer {
  db: Database;
  inbox: InboxPoller;
  batch: SandboxBatch;
  /** Notifies other processes that their accounts may have new inbox rows. */
  notifyOtherNodes: () => void;
}

export interface Session {
  server: SandboxServer;
  context: DriverContext;
  settings: Settings;
  /** The account's own address. */
  self: string;
  /** The account, as the stores identify senders. */
  sender: Sender;
  /** Whether the connection is up but no longer receives anything. */
  isDeaf: boolean;
  isOpen: boolean;
  /** Ends the connection. Reported once, and not after `close`. */
  end(reason: DriverError): void;
}

const unreachable = (cause: unknown): DriverError =>
  new DriverError('unknown', 'server_unreachable', 'The sandbox server is unreachable.', { cause });

/**
 * Runs an operation on the server while the connection is open.
 * @throws DriverError lost if the connection is closed; unknown if the signal aborts or the database becomes unreachable
 */
export async function atServer<T>(session: Session, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (!session.isOpen) throw new DriverError('lost', 'closed', 'The connection is closed.');
  if (signal.aborted)
    throw new DriverError('lost', 'aborted', 'The operation was aborted before it started.');
  try {
    return await orAborted(work(), signal);
  } catch (error) {
    throw isConnectionError(error) ? unreachable(error) : error;
  }
}

/** @throws DriverError unknown when the signal aborts */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void =>
      reject(new DriverError('unknown', 'no_acknowledgement', 'The operation was not acknowledged in time.'));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Call after writing to inboxes of other accounts. */
export function wakeAll({ inbox, notifyOtherNodes }: SandboxServer): void {
  inbox.wake();
  notifyOtherNodes();
}

/** Like `wakeAll`, when the accounts are known. */
export function wakeSome({ inbox, notifyOtherNodes }: SandboxServer, instanceIds: Iterable<string>): void {
  inbox.wake();
  for (const id of instanceIds)
    if (!inbox.holds(id)) {
      notifyOtherNodes();
      return;
    }
}
