/** What the operations of one connection share. */
import { type Database, isConnectionError } from '../../platform/db/database.ts';
import { type DriverContext } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { SandboxBatch } from './sandbox-batch.ts';
import type { Telling } from './sandbox-inbox.system-store.ts';
import type { SandboxPost } from './sandbox-post.ts';
import type { Settings } from './sandbox-settings.ts';

export interface SandboxServer {
  db: Database;
  post: SandboxPost;
  batch: SandboxBatch;
  /** Tells other processes that there may be something for the accounts that they hold. */
  tellOthers: () => void;
}

export interface Session {
  server: SandboxServer;
  context: DriverContext;
  settings: Settings;
  /** Its own address. */
  self: string;
  /** Who tells, for the stores. */
  teller: Telling;
  /** Hears nothing any more, though it is up. */
  isDeaf: boolean;
  isOpen: boolean;
  /** It is over: told once, unless it was closed before. */
  end(reason: DriverError): void;
}

const unreachable = (cause: unknown): DriverError =>
  new DriverError('unknown', 'server_unreachable', "The sandbox's server can't be reached.", { cause });

/**
 * Does something at the server, as long as the connection is up and the caller waits.
 * @throws DriverError lost where it is closed; unknown where it is given up, or the database went away meanwhile
 */
export async function atServer<T>(session: Session, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (!session.isOpen) throw new DriverError('lost', 'closed', 'The connection is closed.');
  if (signal.aborted) throw new DriverError('lost', 'aborted', 'It was given up before it began.');
  try {
    return await orGivenUp(work(), signal);
  } catch (error) {
    throw isConnectionError(error) ? unreachable(error) : error;
  }
}

/** @throws DriverError unknown, once the caller gives up */
export function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = (): void =>
      reject(new DriverError('unknown', 'no_acknowledgement', 'It was not acknowledged in time.'));
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

/** After something was put into inboxes of others. */
export function wakeAll({ post, tellOthers }: SandboxServer): void {
  post.wake();
  tellOthers();
}

/** The same, where it is known in whose. */
export function wakeSome({ post, tellOthers }: SandboxServer, instanceIds: Iterable<string>): void {
  post.wake();
  for (const id of instanceIds)
    if (!post.holds(id)) {
      tellOthers();
      return;
    }
}
