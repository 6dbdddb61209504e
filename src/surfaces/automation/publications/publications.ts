/** Composes publications: the receiver, the publisher, and scheduled jobs. */
import type { Registry } from 'prom-client';
import type { Database } from '../../../platform/db/database.ts';
import { type AppUnits, createUnits, type Unit } from '../../../core/unit/unit-of-work.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import type { FanOut } from '../../../core/events/sequencer.system-store.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Log } from '../../../platform/logging/log.ts';
import type { MessagesPort, ModelsPort } from '../ports/ports.ts';
import type { Templates } from '../../../platform/templates/templates.ts';
import { createPublicationFanOut } from './engine/publication-fan-out.ts';
import { createPublisher } from './engine/publisher.ts';
import { cancelWaiting } from './endpoint-deleted.ts';
import { askForPublication, giveUpQuestion } from './ask.ts';
import { createReceiver, type Receiver } from './receive.ts';
import { deleteOldKeys, deleteOldPublications, scheduleScan } from './publication-retention.ts';
import { removeQueuedOfWorkspace } from './retention.system-store.ts';
import { currentTime } from '../../../platform/time/clock.ts';

export interface PublicationsDeps {
  db: Database;
  /** Pool that does not queue behind requests. */
  control: Database;
  units: AppUnits;
  templates: Templates;
  messages: MessagesPort;
  getPerson: GetPerson;
  models: Pick<ModelsPort, 'ask'>;
  registry: Registry;
  log: Pick<Log, 'info' | 'error'>;
  inBackground: boolean;
}

export interface PublicationsPart {
  receiver: Receiver;
  fanOut: FanOut;
  /** Cancels pending publications of an endpoint; enqueued in the transaction that deletes it. */
  endpointDeleted(unit: Unit, workspaceId: string, endpointId: string): Promise<void>;
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  /** Called after events were appended to the log; a wake-up hint. */
  onSequenced(): void;
  registerJobs(jobs: Jobs): void;
  start(): void;
  stop(): Promise<void>;
}

export function createPublications(deps: PublicationsDeps): PublicationsPart {
  const { db, control, units, templates, messages, getPerson, models, registry, log, inBackground } = deps;
  const { events, jobs, clock } = units.read;
  const publisher = createPublisher({
    db: control,
    units: createUnits({ db: control, events, jobs, clock }),
    messages,
    getPerson,
    log,
    registry,
  });
  let isTold = false;
  return {
    receiver: createReceiver({
      units: units.forRequests,
      control,
      templates,
      messages,
      wake: publisher.wake,
    }),
    fanOut: createPublicationFanOut(() => (isTold = true)),
    async endpointDeleted(unit, workspaceId, endpointId) {
      await unit.jobs.enqueue(unit.db, 'publications.cancel', { workspaceId, endpointId });
    },
    workspaceDeleted: (unit, workspaceId) => removeQueuedOfWorkspace(unit.db, workspaceId),
    onSequenced() {
      if (!isTold) return;
      isTold = false;
      publisher.wake();
    },
    registerJobs(jobs_) {
      jobs_.work('publications.cancel', (payload, turn) => cancelWaiting(units, payload, turn));
      const asking = { units, templates, messages, models, wake: publisher.wake };
      jobs_.work(
        'publications.ask',
        (payload, { signal }) => askForPublication(asking, payload, signal),
        (payload) => giveUpQuestion(asking, payload),
      );
      jobs_.schedule('publications.delete-old', '9 * * * *', (signal) =>
        deleteOldPublications(db, currentTime(), signal),
      );
      jobs_.schedule('publication-keys.delete-old', '19 * * * *', (signal) =>
        deleteOldKeys(db, currentTime(), signal),
      );
      jobs_.schedule('publications.look-again', '29 * * * *', (signal) =>
        scheduleScan(db, currentTime(), signal),
      );
    },
    start() {
      if (inBackground) publisher.start();
    },
    stop: () => publisher.stop(),
  };
}
