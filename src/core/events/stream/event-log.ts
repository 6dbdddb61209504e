/**
 * Assembles the event log of one process: the event writer, the sequencer, the partition manager, and the live streams.
 */
import type { Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import type { Listener } from '../../../platform/db/listener.ts';
import { createPartitionManager, type PartitionManager } from '../../../platform/db/partition-manager.ts';
import type { PartitionedTable } from '../../../platform/db/partitions.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { eventPartitions } from '../event-retention.ts';
import { createEventWriter, type EventWriter } from '../../unit/event-writer.ts';
import { createSequencer } from '../sequencer.ts';
import type { FanOut } from '../sequencer.system-store.ts';
import { createLiveEvents, type LiveEvents } from './live-events.ts';
import { createLiveTail, type LiveTail } from './live-tail.ts';
import { createEventInterest, type Subscribed, type EventInterest } from '../wants.ts';

const AFTER_START_MS = 5_000;

export interface EventLogDeps {
  db: Database;
  /** Connections that don't wait behind requests: for the sequencer and the live tail. */
  control: Database;
  log: Log;
  registry: Registry;
  /** Not started yet. */
  listener: Listener;
  /** Whether this process runs the sequencer; otherwise it notifies the processes that do. */
  sequences: boolean;
  fanOut?: FanOut;
  /** Finds workspaces whose webhooks or rules subscribe to a type; default: none. */
  subscribed?: Subscribed;
  /** After each commit of events with their fan-out. */
  onSequenced?: () => void;
  /** Further partitioned tables to maintain along with events. */
  partitioned?: PartitionedTable[];
}

export interface EventLog {
  writer: EventWriter;
  partitions: PartitionManager;
  liveTail: LiveTail;
  /** Events that are sent only to open streams and never stored. */
  liveEvents: LiveEvents;
  /** Interest in on-demand event types. */
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
      // Creates the remaining partitions and drops expired ones after the start; then hourly by a job.
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
