/**
 * Stores signals from channels: the receiving side of connections. A batch is one transaction with the fence, the dedup
 * keys, the messages, their events and the position, so each signal is stored once, and acknowledged to the channel
 * only afterwards.
 *
 * A receipt may overtake the response to its send. Signals about unknown messages are kept in memory for a minute and
 * retried after each completion; then they are dropped.
 */
import { isRowError } from '../../../platform/db/database.ts';
import type { Units } from '../../../core/unit/unit-of-work.ts';
import type { SendResult, ReceivedFile } from '../../../channels/contract/connection.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Edited, Signal } from '../../../channels/contract/signal.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { lockHeldAt } from '../connections/fence.ts';
import { type ConnectionReceiver, type Holding, HoldingLost } from '../connections/connection-lease.ts';
import { lockHeldQueues } from '../queue/complete.system-store.ts';
import { lockQueue } from '../records/queue-row.store.ts';
import { fromUnstorable, toOwner } from '../unprocessed-updates/keep-updates.ts';
import { startSpan, startTrace, traced } from '../../../platform/tracing/tracing.ts';
import { applySignals } from './apply.ts';
import type { About, StoredSignal } from './inbound-batch.ts';
import type { ApplyDeps } from './new-message.ts';

/** Span of a batch of signals. */
const RECEIVE = ['message.receive', 'consumer'] as const;
const KEPT_MS = 60_000;
/** Maximum signals kept per instance: a further one replaces the oldest of the chat that has most. */
const MAX_KEPT = 1_000;

export interface InboundDeps extends ApplyDeps {
  units: Units;
  /** @throws Problem storage_full while nothing new is accepted */
  assertDiskSpace: () => void;
  log: Pick<Log, 'debug' | 'error'>;
  /** Forwards signals that are not stored (typing, presence) to the stream. */
  tellLive: (holding: Holding, signal: Extract<Signal, { kind: 'typing' | 'presence' }>) => void;
}

export interface Inbound extends ConnectionReceiver {
  /** Called when sends of these instances have completed: signals that arrived before that are retried. */
  settled(instanceIds: readonly string[]): void;
  /** Handles the response to a send that arrives after its time-out. */
  late(holding: Holding, message: LateMessage, result: SendResult): void;
  /** Starts nothing more; resolves once all running work has ended. */
  stop(): Promise<void>;
}

/** A message whose response arrived late, and its chat. */
interface LateMessage {
  id: string;
  chat: { kind: 'direct' | 'group'; address: string } | null;
}

interface Kept {
  signal: About;
  until: number;
}

/**
 * Whether the signal itself caused the error, so that a retry is pointless: the database can't store it, or it does not
 * have the shape that drivers declare.
 */
const isOfSignal = (error: unknown): boolean =>
  isRowError(error) ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;

const isLive = (signal: Signal): signal is Extract<Signal, { kind: 'typing' | 'presence' }> =>
  signal.kind === 'typing' || signal.kind === 'presence';

/**
 * Limits kept signals so that signals of strangers about nonexistent messages don't displace real ones.
 * @param all oldest first
 */
function withinBounds(all: readonly Kept[]): Kept[] {
  if (all.length <= MAX_KEPT) return [...all];
  const byChat = Map.groupBy(all, ({ signal }) => signal.heardIn ?? null);
  // Each chat has an equal share; the unused part of a share is available to the other chats.
  let [capacity, chats] = [MAX_KEPT, byChat.size];
  const share = new Map<string | null, number>();
  for (const [chat, { length }] of [...byChat].toSorted(([, a], [, b]) => a.length - b.length)) {
    const own = Math.min(length, Math.ceil(capacity / chats));
    share.set(chat, own);
    [capacity, chats] = [capacity - own, chats - 1];
  }
  const isKept = new Set([...byChat].flatMap(([chat, told]) => told.slice(told.length - share.get(chat)!)));
  return all.filter((one) => isKept.has(one));
}

/** Files received with a signal. */
function getFiles(signal: StoredSignal): ReceivedFile[] {
  const files =
    signal.kind === 'message'
      ? [signal.file, signal.source]
      : signal.kind === 'group'
        ? [signal.about?.picture]
        : signal.kind === 'edited'
          ? [signal.file]
          : [];
  return files.flatMap((file) => (file && 'received' in file ? [file.received] : []));
}

const withoutFile = ({ file: _file, ...signal }: Edited): Edited => signal;

export function createInbound(deps: InboundDeps): Inbound {
  const { units, log, files, tellLive } = deps;
  const waiting = new Map<string, { holding: Holding; kept: Kept[] }>();
  const running = new Set<Promise<void>>();
  let stopped = false;

  const keep = (holding: Holding, unknown: readonly About[], untils?: ReadonlyMap<About, number>): void => {
    if (!unknown.length) return;
    const now = performance.now();
    const known = waiting.get(holding.instanceId);
    const before = known?.holding === holding ? known.kept : [];
    const kept = unknown.map((signal) => ({
      // Its file is discarded with the others.
      signal: signal.kind === 'edited' ? withoutFile(signal) : signal,
      until: untils?.get(signal) ?? now + KEPT_MS,
    }));
    const all = [...before, ...kept].filter(({ until }) => until > now);
    const max = withinBounds(all);
    const dropped = before.length + kept.length - max.length;
    if (dropped)
      log.debug({ instance: holding.instanceId, dropped }, 'inbound: dropped signals about unknown messages');
    if (max.length) waiting.set(holding.instanceId, { holding, kept: max });
  };

  /** Applies signals in one transaction. @throws HoldingLost */
  const write = (
    holding: Holding,
    signals: readonly StoredSignal[],
    position: Json | undefined,
  ): Promise<About[]> =>
    units.write(async (unit) => {
      const tx = unit.db;
      if (position === undefined) {
        const epoch = { instance_id: holding.instanceId, node_id: holding.nodeId, epoch: holding.epoch };
        if (!(await lockHeldQueues(tx, [epoch])).size) throw new HoldingLost();
      } else {
        if (!(await lockHeldAt(tx, holding, position))) throw new HoldingLost();
        if (signals.length && !(await lockQueue(tx, holding.workspaceId, holding.instanceId)))
          throw new HoldingLost();
      }
      return signals.length ? applySignals(unit, deps, holding, signals) : [];
    });

  const passOver = (holding: Holding, signal: Signal, error: unknown): void => {
    const { externalId: id } = signal as { externalId?: unknown };
    const externalId = typeof id === 'string' ? id.slice(0, 200) : null;
    log.error(
      { err: error, instance: holding.instanceId, kind: signal.kind, externalId },
      'inbound: could not store an item, skipped',
    );
  };

  /** @throws HoldingLost */
  const keepUnstorable = (holding: Holding, signal: StoredSignal): Promise<void> =>
    units.write(async (unit) => {
      const epoch = { instance_id: holding.instanceId, node_id: holding.nodeId, epoch: holding.epoch };
      if (!(await lockHeldQueues(unit.db, [epoch])).size) throw new HoldingLost();
      await deps.keepUpdates(unit, toOwner(holding), [fromUnstorable(signal)]);
    });

  /** Signals that can't be stored are kept as unprocessed; otherwise they would block the connection forever. */
  const writeEach = async (
    holding: Holding,
    signals: readonly StoredSignal[],
    position: Json | undefined,
  ): Promise<About[]> => {
    const unknown: About[] = [];
    for (const signal of signals)
      try {
        unknown.push(...(await write(holding, [signal], undefined)));
      } catch (error) {
        if (!isOfSignal(error)) throw error;
        passOver(holding, signal, error);
        await keepUnstorable(holding, signal);
      }
    if (position !== undefined) await write(holding, [], position);
    return unknown;
  };

  const take = async (
    holding: Holding,
    signals: readonly StoredSignal[],
    position: Json | undefined,
  ): Promise<About[]> => {
    try {
      return await write(holding, signals, position);
    } catch (error) {
      if (!isOfSignal(error) || !signals.length) throw error;
      return writeEach(holding, signals, position);
    }
  };

  /** Runs work in the background. */
  const inBackground = (holding: Holding, work: () => Promise<void>): void => {
    if (stopped) return;
    const run = work()
      .catch((error: unknown) => {
        if (error instanceof HoldingLost) holding.lost();
        else
          log.error(
            { err: error, instance: holding.instanceId },
            'inbound: could not store early or late signals',
          );
      })
      .finally(() => running.delete(run));
    running.add(run);
  };

  return {
    assertDiskSpace: deps.assertDiskSpace,
    async apply(holding, signals, position) {
      const stored = signals.filter((one): one is StoredSignal => !isLive(one) && one.kind !== 'limit');
      if (stored.length || position !== undefined) {
        const span = stored.length > 0 ? (startSpan(...RECEIVE) ?? startTrace(...RECEIVE)) : null;
        span?.set({
          'fairlead.workspace.id': publicId('workspace', holding.workspaceId),
          'fairlead.instance.id': publicId('instance', holding.instanceId),
          'messaging.batch.message_count': stored.length,
        });
        keep(holding, await traced(span, () => take(holding, stored, position)));
      }
      for (const signal of signals)
        try {
          if (isLive(signal)) tellLive(holding, signal);
        } catch (error) {
          if (!isOfSignal(error)) throw error;
          passOver(holding, signal, error);
        }
      for (const signal of stored) for (const file of getFiles(signal)) await files.discard(file);
    },
    receiveFile: (holding, source, about) => files.receive(holding.workspaceId, source, about),
    settled(instanceIds) {
      for (const id of instanceIds) {
        const found = waiting.get(id);
        if (!found) continue;
        waiting.delete(id);
        const { holding, kept } = found;
        const untils = new Map(kept.map(({ signal, until }) => [signal, until]));
        if (holding.signal.aborted) continue;
        inBackground(holding, async () => {
          try {
            keep(holding, await take(holding, [...untils.keys()], undefined), untils);
          } catch (error) {
            if (!(error instanceof HoldingLost)) keep(holding, [...untils.keys()], untils);
            throw error;
          }
        });
      }
    },
    late(holding, { id, chat }, { externalId, status, at, address, reassignable }) {
      const clientId = publicId('message', id);
      const receipt: About = { kind: 'receipt', externalId, clientId, status, error: null, at };
      const told: StoredSignal[] =
        address !== undefined && chat?.kind === 'direct'
          ? [{ kind: 'same_person', addresses: [chat.address, address], reassignable }, receipt]
          : [receipt];
      inBackground(holding, async () => void (await take(holding, told, undefined)));
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}
