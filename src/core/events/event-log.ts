/**
 * The event log of one process, put together: what writes events, what sequences them, what keeps their partitions,
 * and what tells those who follow.
 */
import type { Registry } from 'prom-client';
import type { Database } from '../../platform/db/database.ts';
import type { Listener } from '../../platform/db/listener.ts';
import { createPartitionManager, type PartitionManager } from '../../platform/db/partition-manager.ts';
import type { PartitionedTable } from '../../platform/db/partitions.ts';
import { eventPartitions } from './event-retention.ts';
import { createEventWriter, type EventWriter } from './event-writer.ts';
import { createSequencer } from './sequencer.ts';
import type { FanOut } from './sequencer.system-store.ts';
import { createLiveEvents, type LiveEvents } from './stream/live-events.ts';
import { createLiveTail, type LiveTail } from './stream/live-tail.ts';
import { createEventInterest, type Subscribed, type EventInterest } from './wants.ts';

interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

const AFTER_START_MS = 5_000;

export interface EventLogDeps {
  db: Database;
  /** Connections that don't wait behind requests: for the sequencer and the live tail. */
  control: Database;
  log: Log;
  registry: Registry;
  /** Not started yet. */
  listener: Listener;
  /** Whether this process sequences; otherwise it tells those that do. */
  sequences: boolean;
  fanOut?: FanOut;
  /** Where webhooks or rules want a type; default: nowhere. */
  subscribed?: Subscribed;
  /** After each commit of events with their fan-out. */
  onSequenced?: () => void;
  /** Whose days are kept beside those of events. */
  partitioned?: PartitionedTable[];
}

export interface EventLog {
  writer: EventWriter;
  partitions: PartitionManager;
  liveTail: LiveTail;
  /** What is told to open streams alone, and never stored. */
  liveEvents: LiveEvents;
  /** Where types are wanted that are made on demand. */
  interest: EventInterest;
  /** After the migrations, before the first write. Resolves once today's partition is there. */
  start(): Promise<void>;
  /** After the last write. */
  stop(): Promise<void>;
}

export function createEventLog(deps: EventLogDeps): EventLog {
  const { db, control, log, registry, listener, sequences, fanOut, onSequenced, partitioned = [] } = deps;
  const partitions = createPartitionManager({ db, log, tables: [eventPartitions, ...partitioned], registry });
  const liveTail = createLiveTail({ db: control, log });
  const liveEvents = createLiveEvents({ listener, log });
  const interest = createEventInterest({ db: control, log, subscribed: deps.subscribed ?? (async () => []) });
  const sequencer = sequences
    ? createSequencer({
        db: control,
        log,
        registry,
        fanOut,
        onSequenced() {
          liveTail.wake();
          onSequenced?.();
          listener.notify('events', 'sequenced');
        },
      })
    : null;

  listener.on('events', (payload) => {
    // Without payload the connection was opened: anything may have been missed.
    if (payload !== 'sequenced') sequencer?.wake();
    if (payload !== 'written') liveTail.wake();
  });

  let maintaining: NodeJS.Timeout | undefined;

  return {
    writer: createEventWriter(() => (sequencer ? sequencer.wake() : listener.notify('events', 'written'))),
    partitions,
    liveTail,
    liveEvents,
    interest,
    async start() {
      await partitions.prepare();
      sequencer?.start();
      // The rest of the days ahead, and what is over, once the start is over; then each hour by a job.
      if (sequences)
        maintaining = setTimeout(() => void partitions.maintain().catch(() => undefined), AFTER_START_MS);
    },
    async stop() {
      clearTimeout(maintaining);
      liveTail.stop();
      await liveEvents.stop();
      await interest.stop();
      await sequencer?.stop();
    },
  };
}
