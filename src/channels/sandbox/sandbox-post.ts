/**
 * Brings what is due to the accounts whose connections this process holds: one look at the database for all of them. A row
 * goes only once `emit` has resolved, so what was not stored is told again, here or by whoever holds the account next.
 * Each account is told one thing after the other; one whose product side is slow or fails keeps nobody else waiting.
 */
import type { Readable } from 'node:stream';
import { backoff } from '../../platform/queue/retry.ts';
import type { Database } from '../../platform/db/database.ts';
import { createPoller } from '../../platform/queue/poller.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { ReceivedFile } from '../contract/connection.ts';
import { type Signal } from '../contract/signal.ts';
import { endTold, type InboxRow, isAnythingDue, readDue, type Told } from './sandbox-inbox.system-store.ts';
import { openSignal, getReceipt } from './sandbox-delivery.ts';
import { readSignals } from './sandbox-signal.ts';

/** Rows of one account, and accounts, in one look. */
const MAX_ROWS = 100;
const MAX_ACCOUNTS = 200;
const GATHER_MS = 3;
const BACKOFF = { firstMs: 100, maxMs: 5_000 };

/** A connection's side: what hears. */
export interface Mailbox {
  readonly workspaceId: string;
  readonly instanceId: string;
  /** False once it hears nothing any more. */
  hears(): boolean;
  emit(signals: Signal[]): Promise<void>;
  receiveFile(
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** It is another's by now. */
  lost(error: DriverError): void;
  log: { warn(details: object, message: string): void };
}

interface Held {
  mailbox: Mailbox;
  isBusy: boolean;
  failures: number;
  retryAt: number;
}

export interface SandboxPost {
  hold(mailbox: Mailbox): void;
  release(mailbox: Mailbox): void;
  holds(instanceId: string): boolean;
  /** There may be something for somebody. */
  wake(): void;
  /** Resolves once a look that began after the call has succeeded. @throws what the database throws */
  ready(): Promise<void>;
  /** Milliseconds since the last look that succeeded. */
  silentForMs(): number;
  stop(): Promise<void>;
}

export function createSandboxPost(deps: {
  db: Database;
  log: { warn(details: object, message: string): void };
  /** Something was put into the inbox of an account that this process doesn't hold. */
  tellOthers: () => void;
}): SandboxPost {
  const { db, log, tellOthers } = deps;
  const held = new Map<string, Held>();
  let told: (Told & { instanceId: string })[] = [];
  /** Accounts with anything in `told`: what they were told still lies in their inboxes. */
  const untidy = new Set<string>();
  let waiters: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  let lastLook = Number.NEGATIVE_INFINITY;

  const forget = async (): Promise<boolean> => {
    if (told.length === 0) return false;
    const ending = told;
    told = [];
    try {
      const senders = await endTold(db, ending);
      for (const { instanceId } of ending) untidy.delete(instanceId);
      if (senders.some(({ sender_id: id }) => !held.has(id))) tellOthers();
      return senders.length > 0;
    } catch (error) {
      told = [...ending, ...told];
      throw error;
    }
  };

  const deliver = async (entry: Held, rows: InboxRow[]): Promise<void> => {
    const { mailbox } = entry;
    try {
      const stored = rows.map((row) => ({ row, signals: readSignals(row.signals) }));
      const signals: Signal[] = [];
      for (const signal of stored.flatMap((one) => one.signals))
        signals.push(await openSignal(db, mailbox, signal));
      if (!mailbox.hears()) return;
      await mailbox.emit(signals);
      entry.failures = 0;
      const { instanceId } = mailbox;
      for (const one of stored)
        told.push({ instanceId, n: one.row.n, receipt: getReceipt(one.row, one.signals) });
      untidy.add(instanceId);
    } catch (error) {
      entry.retryAt = performance.now() + backoff(++entry.failures, BACKOFF);
      if (error instanceof DriverError && error.kind === 'lost') mailbox.lost(error);
      else mailbox.log.warn({ err: error }, 'what the sandbox told was not taken; it is told again');
    } finally {
      entry.isBusy = false;
      poller.wake();
    }
  };

  const look = async (): Promise<'idle' | 'busy' | 'more'> => {
    const hasReceipts = await forget();
    if (held.size === 0 && waiters.length === 0) return 'idle';
    if (!(await isAnythingDue(db))) return hasReceipts ? 'busy' : 'idle';
    const now = performance.now();
    const free = [...held.values()].filter(
      ({ isBusy, retryAt, mailbox }) =>
        !isBusy && retryAt <= now && mailbox.hears() && !untidy.has(mailbox.instanceId),
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
      const entry = held.get(instanceId);
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
      if (asking.length > 0 && held.size === 0) await isAnythingDue(db);
      const found = await look();
      lastLook = began;
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
    onError: (err) => log.warn({ err }, 'the sandbox could not be looked at; it is tried again'),
  });

  return {
    hold(mailbox) {
      held.set(mailbox.instanceId, { mailbox, isBusy: false, failures: 0, retryAt: 0 });
      poller.start();
      poller.wake();
    },
    release(mailbox) {
      if (held.get(mailbox.instanceId)?.mailbox === mailbox) held.delete(mailbox.instanceId);
    },
    holds: (instanceId) => held.has(instanceId),
    wake: () => poller.wake(),
    ready: () =>
      new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        poller.start();
        poller.wake();
      }),
    silentForMs: () => performance.now() - lastLook,
    async stop() {
      await poller.stop();
      for (const { reject } of waiters) reject(new Error('the sandbox was stopped'));
      waiters = [];
      // Else it is told again, under the same ids.
      await forget().catch((err: unknown) => log.warn({ err }, 'what the sandbox told could not be ended'));
    },
  };
}
