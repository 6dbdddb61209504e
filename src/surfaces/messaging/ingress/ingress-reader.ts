/**
 * Gives stored parts of requests to the connections that this node holds. The parts of one instance are read in order,
 * one batch at a time; they are deleted after their signals are stored, so a crash repeats them and loses none. Parts that
 * cannot be read are kept as unprocessed updates.
 */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { Connection } from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Signal } from '../../../channels/contract/signal.ts';
import { reviveSignal } from '../../../channels/contract/revive-signal.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { type Database, retryOnConflict } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { createPoller } from '../../../platform/queue/poller.ts';
import type { KeepUpdates } from '../unprocessed-updates/keep-updates.ts';
import { countAttempt, deleteParts, readParts, type StoredPart } from './ingress.system-store.ts';

const BATCH = 100;
const GATHER_MS = 5;
/** Of parts that are parsed together, if there is more than one: each batch is parsed without a pause. */
const BATCH_BYTES = 256 * 1024;
/** A part that fails alone so often is kept as unprocessed: it would block all that follow. */
export const MAX_ATTEMPTS = 5;

export interface AttachedConnection {
  readonly instanceId: string;
  readonly workspaceId: string;
  readonly channel: string;
  readonly connection: Connection;
  /** Stores signals. @throws DriverError */
  readonly emit: (signals: Signal[]) => Promise<void>;
  /** Aborts when the connection must close. */
  readonly signal: AbortSignal;
  /** Ends the connection. */
  readonly fail: (error: unknown) => void;
}

export interface IngressReader {
  attach(attached: AttachedConnection): void;
  /** Starts nothing more for the instance. Resolves after its running batch. Never rejects. */
  detach(instanceId: string): Promise<void>;
  /** Parts may have been stored. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Splits parts, in order, into batches that are short to parse. */
function splitBySize(parts: readonly StoredPart[]): StoredPart[][] {
  const batches: StoredPart[][] = [];
  let bytes = Infinity;
  for (const part of parts) {
    bytes += part.body.length;
    if (bytes > BATCH_BYTES) {
      batches.push([]);
      bytes = part.body.length;
    }
    batches.at(-1)!.push(part);
  }
  return batches;
}

export function createIngressReader(deps: {
  db: Database;
  units: Units;
  keepUpdates: KeepUpdates;
  log: Pick<Log, 'warn' | 'error'>;
}): IngressReader {
  const { db, units, keepUpdates, log } = deps;
  const attached = new Map<string, AttachedConnection>();
  const running = new Map<string, Promise<void>>();

  const give = (one: AttachedConnection, parts: readonly StoredPart[]): Promise<void> =>
    one.connection.receive(
      parts.map(({ part_id: id, body }) => ({ accountKey: null, id, body: parseOwnJson<Json>(body) })),
      one.signal,
    );
  const remove = (parts: readonly StoredPart[]): Promise<void> =>
    retryOnConflict(() => deleteParts(db, parts));

  const keep = async (one: AttachedConnection, part: StoredPart, error?: unknown): Promise<void> => {
    log.error(
      { err: error, instance: one.instanceId, part: part.part_id },
      'ingress: part cannot be read, kept as unprocessed',
    );
    await units.write(async (unit) => {
      const { body: raw, is_signal: isSignal } = part;
      await keepUpdates(unit, one, [{ reason: 'driver_error', type: null, raw, isSignal }]);
      await deleteParts(unit.db, [part]);
    });
  };

  /** Its attempt is counted before: a signal that cannot be stored ends the connection. */
  async function emitSignal(one: AttachedConnection, part: StoredPart): Promise<void> {
    if ((await countAttempt(db, part)) > MAX_ATTEMPTS) return keep(one, part);
    await one.emit([reviveSignal(parseOwnJson<Json>(part.body))]);
    await remove([part]);
  }

  /** After a batch failed in the driver's code: finds the part that fails. */
  async function giveEach(one: AttachedConnection, parts: readonly StoredPart[]): Promise<void> {
    for (const part of parts) {
      try {
        await give(one, [part]);
      } catch (error) {
        if (error instanceof DriverError) throw error;
        if ((await countAttempt(db, part)) < MAX_ATTEMPTS) throw error;
        await keep(one, part, error);
        continue;
      }
      await remove([part]);
    }
  }

  async function readBatch(one: AttachedConnection, batch: readonly StoredPart[]): Promise<void> {
    const parts = batch.filter(({ is_signal: isSignal }) => !isSignal);
    try {
      if (parts.length) await give(one, parts);
    } catch (error) {
      if (error instanceof DriverError || one.signal.aborted) throw error;
      log.warn({ err: error, instance: one.instanceId }, 'ingress: batch failed, reading each part');
      await giveEach(one, parts);
      parts.length = 0;
    }
    if (parts.length) await remove(parts);
    for (const part of batch) if (part.is_signal) await emitSignal(one, part);
  }

  async function read(one: AttachedConnection, parts: readonly StoredPart[]): Promise<void> {
    try {
      for (const batch of splitBySize(parts)) await readBatch(one, batch);
    } catch (error) {
      if (!one.signal.aborted) one.fail(error);
    }
  }

  async function cycle(): Promise<'idle' | 'busy' | 'more'> {
    const free = [...attached.values()].filter(
      ({ instanceId, signal }) => !running.has(instanceId) && !signal.aborted,
    );
    if (!free.length) return 'idle';
    const parts = Map.groupBy(await readParts(db, free, BATCH), ({ instance_id: id }) => id);
    for (const one of free) {
      const found = parts.get(one.instanceId);
      // It may have been detached while the parts were read.
      if (!found || attached.get(one.instanceId) !== one) continue;
      const run = read(one, found).finally(() => {
        running.delete(one.instanceId);
        poller.wake();
      });
      running.set(one.instanceId, run);
    }
    return running.size ? 'busy' : 'idle';
  }

  const poller = createPoller({
    cycle,
    gatherMs: GATHER_MS,
    onError: (error, failures) => log.error({ err: error, failures }, 'ingress: cycle failed, retrying'),
  });

  return {
    attach(one) {
      attached.set(one.instanceId, one);
      poller.wake();
    },
    async detach(instanceId) {
      attached.delete(instanceId);
      await running.get(instanceId);
    },
    wake: poller.wake,
    start: poller.start,
    async stop() {
      await poller.stop();
      await Promise.all(running.values());
    },
  };
}
