/**
 * A surface of the product, such as short links, as seen by the rest of the product. `app/surfaces.ts` names each
 * surface once, and composes the product from these values.
 */
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import type { SecretBox } from '../platform/crypto/secret-box.ts';
import type { Database } from '../platform/db/database.ts';
import type { Listener } from '../platform/db/listener.ts';
import type { PartitionedTable } from '../platform/db/partitions.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { Check } from '../platform/http/health-check.ts';
import type { Before } from '../platform/http/server.ts';
import type { JobTurn, Step } from '../platform/jobs/turn.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { QueueTable } from '../platform/jobs/queue-rules.ts';
import type { DiskWatch } from '../platform/storage/disk-watch.ts';
import type { Templates } from '../platform/templates/templates.ts';
import type { Operation } from './api/operation.ts';
import type { Guard } from './auth/guard.ts';
import type { PasswordCost } from './auth/identity/password-hash.ts';
import type { CreatedKind } from './created-objects/created-kind.ts';
import type { ErasedPerson } from './events/erasure/person.ts';
import type { EventKinds, EventTypes } from './events/event-type.service.ts';
import type { FanOut } from './events/sequencer.system-store.ts';
import type { LiveEvents } from './events/stream/live-events.ts';
import type { InterestedWorkspaces, Subscribed } from './events/wants.ts';
import type { SealedColumn } from './sealed-column.ts';
import type { AppUnits, Unit } from './unit/unit-of-work.ts';
import type { Exchange } from './webhooks/delivery/sender.ts';
import type { FindFilterTargets } from './webhooks/webhook-filters.ts';
import type { GetPerson } from './auth/person-lookup.ts';
import type { CountResource, QuotaResource, Quotas } from './workspaces/quota.ts';

/** The declarations of a surface, without a server or a database. */
export interface Surface {
  /** Payloads of its event types. */
  events?: Partial<EventKinds>;
  /** Counts the resources that WORKSPACE_LIMITS can limit. */
  counters?: Partial<Record<QuotaResource, CountResource>>;
  /** Tables that are partitioned by day. */
  partitions?(config: Pick<Config, 'CLICKS_KEPT_DAYS'>): PartitionedTable[];
  /** How the queues of its jobs are worked. Their payloads are declared beside (`<surface>-jobs.ts`). */
  queues?: Partial<QueueTable>;
  /** Columns with values that are sealed with the root secret. */
  sealedColumns?: readonly SealedColumn[];
  /** Look-ups of the values of webhook filters. */
  filterTargets?: Partial<FindFilterTargets>;
  /** Returns the workspaces in which it subscribes to an event type. */
  subscribed?: Subscribed;
  /** Declares its operations, in the order of the API reference. No dependency is called before one of them runs. */
  operations(deps: object): Operation[];
}

/** Dependencies of every surface. Ports to other surfaces are passed beside them. */
export interface SurfaceDeps {
  config: Config;
  db: Database;
  /** A separate connection pool, so that control queries don't queue behind requests. */
  control: Database;
  /** The pool of `control`, for queries on the path of redirects. */
  controlPool: pg.Pool;
  units: AppUnits;
  guard: Guard;
  secrets: SecretBox;
  egress: Egress;
  listener: Listener;
  quotas: Quotas;
  getPerson: GetPerson;
  eventTypes: EventTypes;
  /** Looks up the workspaces that are subscribed to events that are only written on demand. */
  interestedWorkspaces: InterestedWorkspaces;
  /** Receives typing and presence. */
  liveEvents: LiveEvents;
  /** Transport for outgoing calls, including those to a local inspector. */
  exchange: Exchange;
  templates: Templates;
  storage: DiskWatch;
  registry: Registry;
  log: FastifyBaseLogger;
  /** Whether this process runs background work. */
  inBackground: boolean;
  /** For tests: the cost of new password hashes. */
  passwordCost?: PasswordCost | undefined;
}

/** A surface in a process. */
export interface RunningSurface {
  /** In the order of the API reference. */
  operations: Operation[];
  /** Its objects that receive or call on their own, in the order in which they are disabled. */
  createdKinds?: CreatedKind[];
  /** Runs in the transaction that appends events to the log. */
  fanOut?: FanOut;
  /** Handles requests before all routes. @returns whether it did */
  before?: Before;
  /** Registers HTTP routes outside the API. */
  registerRoutes?(server: FastifyInstance): void;
  /** Registers job handlers and schedules. Called before `jobs.start`. */
  registerJobs?(jobs: Jobs): void;
  /**
   * Erases a contact from its rows: `eraseContact` before the event log is redacted, as it may still write events, and
   * `eraseContactLast` after it, for rows that depend on events. Steps of one turn, each may be performed again.
   */
  eraseContact?(person: ErasedPerson, turn: JobTurn): Step[];
  eraseContactLast?(person: ErasedPerson, turn: JobTurn): Step[];
  /** Waits for work in progress that may still write for a workspace or contact that it saw before an erasure. */
  flush?(db: Database): Promise<void>;
  /** Stops all work of a workspace, in the transaction that deletes it. */
  workspaceDeleted?(unit: Unit, workspaceId: string): Promise<void>;
  /** Deletes data of a deleted workspace outside the database. May run again. */
  eraseFiles?(workspaceId: string): Promise<void>;
  /** Called when a workspace changes whether clicks keep IP addresses, in the same transaction. */
  clickAddressesChanged?(unit: Unit, workspaceId: string): Promise<void>;
  /** Health checks: this process is not ready while one fails. */
  checks?: Record<string, Check>;
  /** Health checks of work that all processes share: a failure degrades this process. */
  sharedChecks?: Record<string, Check>;
  /** Whether the process does other work that must go on if a check fails. */
  isUseful?(): boolean;
  start?(): void;
  /** Completes work in progress. Called after the last response. */
  stop?(): Promise<void>;
  /** Releases resources that other surfaces use until they have stopped. */
  close?(): Promise<void>;
}
