/**
 * Poller that delivers due inbox rows to the accounts that are connected in this process, with one query for all of them.
 *
 * A row is deleted only after `emit` has resolved, so signals that were not stored are delivered again, here or by the
 * next process that connects the account. Each account receives in sequence; a slow or failing one does not block others.
 */
import type { Readable } from 'node:stream';
import type { Log } from '../../../platform/logging/log.ts';
import { backoff } from '../../../platform/time/retry.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createPoller } from '../../../platform/queue/poller.ts';
import { DriverError } from '../../contract/driver-error.ts';
import type { ReceivedFile } from '../../contract/connection.ts';
import { type Signal } from '../../contract/signal.ts';
import {
  completeDelivered,
  type InboxRow,
  hasDueRows,
  readDue,
  type Delivered,
} from './sandbox-inbox.system-store.ts';
import { openSignal, getReceipt } from './sandbox-delivery.ts';
import { readSignals } from './sandbox-signal.ts';

/** Per cycle. MAX_ROWS is per account. */
const MAX_ROWS = 100;
const MAX_ACCOUNTS = 200;
const GATHER_MS = 3;
const BACKOFF = { firstMs: 100, maxMs: 5_000 };

/** The receiving side of a connection. */
export interface Mailbox {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** False once the connection no longer receives anything. */
  isReceiving(): boolean;
  emit(signals: Signal[]): Promise<void>;
  receiveFile(
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** Called when another process has taken over the account. */
  lost(error: DriverError): void;
  log: Pick<Log, 'warn'>;
}

interface MailboxEntry {
  mailbox: Mailbox;
  isBusy: boolean;
  failures: number;
  retryAt: number;
}

export interface InboxPoller {
  add(mailbox: Mailbox): void;
  release(mailbox: Mailbox): void;
  holds(instanceId: string): boolean;
  /** Starts a cycle soon. */
  wake(): void;
  /** Resolves after a cycle that began after the call has succeeded. @throws database errors */
  ready(): Promise<void>;
  /** Milliseconds since the last successful cycle. */
  silentForMs(): number;
  stop(): Promise<void>;
}

export function createInboxPoller(deps: {
  db: Database;
  log: Pick<Log, 'warn'>;
  /** Called after a write to the inbox of an account that is connected elsewhere. */
  notifyOtherNodes: () => void;
}): InboxPoller {
  const { db, log, notifyOtherNodes } = deps;
  const mailboxes = new Map<string, MailboxEntry>();
  let delivered: (Delivered & { instanceId: string })[] = [];
  /** Accounts with rows in `delivered`, which are still in the inbox table. */
  const uncompleted = new Set<string>();
  let waiters: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  let lastSuccess = Number.NEGATIVE_INFINITY;

  const completeRows = async (): Promise<boolean> => {
    if (delivered.length === 0) return false;
    const ending = delivered;
    delivered = [];
    try {
      const senders = await completeDelivered(db, ending);
      for (const { instanceId } of ending) uncompleted.delete(instanceId);
      if (senders.some(({ sender_id: id }) => !mailboxes.has(id))) notifyOtherNodes();
      return senders.length > 0;
    } catch (error) {
      delivered = [...ending, ...delivered];
      throw error;
    }
  };

  const deliver = async (entry: MailboxEntry, rows: InboxRow[]): Promise<void> => {
    const { mailbox } = entry;
    try {
      const stored = rows.map((row) => ({ row, signals: readSignals(row.signals) }));
      const signals: Signal[] = [];
      for (const signal of stored.flatMap((one) => one.signals))
        signals.push(await openSignal(db, mailbox, signal));
      if (!mailbox.isReceiving()) return;
      await mailbox.emit(signals);
      entry.failures = 0;
      const { instanceId } = mailbox;
      for (const one of stored)
        delivered.push({ instanceId, n: one.row.n, receipt: getReceipt(one.row, one.signals) });
      uncompleted.add(instanceId);
    } catch (error) {
      entry.retryAt = performance.now() + backoff(++entry.failures, BACKOFF);
      if (error instanceof DriverError && error.kind === 'lost') mailbox.lost(error);
      else mailbox.log.warn({ err: error }, 'sandbox: could not store inbound signals, retrying');
    } finally {
      entry.isBusy = false;
      poller.wake();
    }
  };

  const deliverDue = async (): Promise<'idle' | 'busy' | 'more'> => {
    const hasReceipts = await completeRows();
    if (mailboxes.size === 0 && waiters.length === 0) return 'idle';
    if (!(await hasDueRows(db))) return hasReceipts ? 'busy' : 'idle';
    const now = performance.now();
    const free = [...mailboxes.values()].filter(
      ({ isBusy, retryAt, mailbox }) =>
        !isBusy && retryAt <= now && mailbox.isReceiving() && !uncompleted.has(mailbox.instanceId),
    );
    if (free.length === 0) return 'busy';
    const rows = await readDue(
      db,
      free.map(({ mailbox }) => mailbox.instanceId),
      MAX_ROWS,
      MAX_ACCOUNTS,
    );
    const byAccount = Map.groupBy(rows, (row) => row.instance_id);
    for (const [instanceId, own] of byAccount) {
      const entry = mailboxes.get(instanceId);
      if (!entry || entry.isBusy) continue;
      entry.isBusy = true;
      void deliver(entry, own);
    }
    return byAccount.size === 0 ? 'idle' : byAccount.size >= MAX_ACCOUNTS ? 'more' : 'busy';
  };

  const cycle = async (): Promise<'idle' | 'busy' | 'more'> => {
    const asking = waiters;
    waiters = [];
    const began = performance.now();
    try {
      if (asking.length > 0 && mailboxes.size === 0) await hasDueRows(db);
      const found = await deliverDue();
      lastSuccess = began;
      for (const { resolve } of asking) resolve();
      return found;
    } catch (error) {
      for (const { reject } of asking) reject(error);
      throw error;
    }
  };

  const poller = createPoller({
    cycle,
    gatherMs: GATHER_MS,
    onError: (err) => log.warn({ err }, 'sandbox: could not poll inboxes, retrying'),
  });

  return {
    add(mailbox) {
      mailboxes.set(mailbox.instanceId, { mailbox, isBusy: false, failures: 0, retryAt: 0 });
      poller.start();
      poller.wake();
    },
    release(mailbox) {
      if (mailboxes.get(mailbox.instanceId)?.mailbox === mailbox) mailboxes.delete(mailbox.instanceId);
    },
    holds: (instanceId) => mailboxes.has(instanceId),
    wake: () => poller.wake(),
    ready: () =>
      new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        poller.start();
        poller.wake();
      }),
    silentForMs: () => performance.now() - lastSuccess,
    async stop() {
      await poller.stop();
      for (const { reject } of waiters) reject(new Error('the sandbox has stopped'));
      waiters = [];
      // If this fails, the rows are delivered again under the same IDs.
      await completeRows().catch((err: unknown) =>
        log.warn({ err }, 'sandbox: could not complete inbox rows'),
      );
    },
  };
}
