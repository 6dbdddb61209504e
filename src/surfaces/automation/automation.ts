/** Composes automation: publishing endpoints, publications, rules, and their background workers. */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Listener } from '../../platform/db/listener.ts';
import type { AppUnits, Unit } from '../../core/unit-of-work.ts';
import type { ErasedPerson } from '../../core/events/erasure/person.ts';
import type { EventTypes } from '../../core/events/event-type.service.ts';
import { type FanOut, joinFanOuts } from '../../core/events/sequencer.system-store.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import { createRateLimiter } from '../../core/api/rate-limit.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Exchange } from '../../core/webhooks/delivery/sender.ts';
import { exceptInspector } from '../../core/webhooks/webhook-url.ts';
import type { AutomationOperationDeps } from './automation-operations.ts';
import type { LinksPort, MessagesPort, ModelsPort } from './ports.ts';
import { erasePublicationsFor } from './publications/publication-erasure.ts';
import { createPublications } from './publications/publications.ts';
import { createIngress } from './publishing-endpoints/ingress/ingress.ts';
import { startInvalidRequests } from './publishing-endpoints/ingress/invalid-requests.ts';
import { confirmSubscription, createSns } from './publishing-endpoints/ingress/sns.ts';
import { registerIngress } from './publishing-endpoints/ingress/ingress.routes.ts';
import { deleteRotatedSecrets } from './publishing-endpoints/endpoint-cleaning.ts';
import { createRuleEngine } from './rules/rule-engine.ts';
import { eraseRunsFor } from './rules/run-erasure.ts';
import type { GetPerson } from '../../core/workspaces/person-lookup.ts';
import { createTemplatePool } from '../../platform/templates/template-pool.ts';
import { currentTime } from '../../platform/time/clock.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';

export interface AutomationDeps {
  eventTypes: EventTypes;
  baseUrl: string;
  db: Database;
  /** Database pool that does not queue behind requests. */
  control: Database;
  units: AppUnits;
  secrets: SecretBox;
  egress: Egress;
  /** Transport for outgoing calls, including those to a local inspector. */
  exchange: Exchange;
  listener: Listener;
  messages: MessagesPort;
  links: LinksPort;
  models: ModelsPort;
  quotas: Quotas;
  /** Whom a workspace counts for. */
  getPerson: GetPerson;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** Whether this process runs the publisher and the rule engine. */
  inBackground: boolean;
}

export interface Automation {
  /** Dependencies of the operations. */
  forOperations: AutomationOperationDeps;
  /** Runs in the transaction that appends events to the log. */
  fanOut: FanOut;
  /** Registers routes outside the API: `/in/`. */
  registerRoutes(server: FastifyInstance): void;
  /** Registers the job handlers. Must be called before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Erases a contact from publications and, once the event log was processed, from rule runs. */
  forgetPublications(person: ErasedPerson, signal?: AbortSignal): Promise<void>;
  forgetRuns(person: ErasedPerson, signal?: AbortSignal): Promise<void>;
  /** Stops all work of a workspace, in the transaction that deletes it. */
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export function createAutomation(deps: AutomationDeps): Automation {
  const { units, secrets, quotas, messages, links, models, baseUrl } = deps;
  const templates = createTemplatePool(deps);
  const publications = createPublications({ ...deps, templates });
  const { receiver, endpointDeleted } = publications;
  const rules = createRuleEngine({ ...deps, templates, runs: deps.inBackground });
  deps.listener.on('events', (payload) => {
    if (payload !== 'sequenced') return;
    publications.onSequenced();
    rules.onSequenced();
  });
  const limiter = createRateLimiter(deps.db);
  const invalid = startInvalidRequests(deps.db, (err) =>
    deps.log.warn({ err }, 'publishing: could not count invalid requests'),
  );
  const inDoor = createIngress({
    db: deps.db,
    secrets,
    limiter,
    receiver,
    clock: units.read.clock,
    getPerson: deps.getPerson,
    invalid,
    sns: createSns({ units: units.forRequests, egress: deps.egress, clock: units.read.clock }),
  });
  const forOperations: AutomationOperationDeps = {
    eventTypes: deps.eventTypes,
    baseUrl,
    units: units.forRequests,
    secrets,
    quotas,
    messages,
    links,
    models,
    templates,
    receiver,
    limiter,
    endpointDeleted,
    assertUrlAllowed: exceptInspector(baseUrl, deps.egress.assertUrlAllowed),
    wakeRules: rules.wake,
  };
  return {
    forOperations,
    fanOut: joinFanOuts(publications.fanOut, rules.fanOut),
    registerRoutes(server) {
      registerIngress(server, inDoor);
    },
    forgetPublications: (person, signal) => erasePublicationsFor(units, person, signal),
    forgetRuns: (person, signal) => eraseRunsFor(units, person, signal),
    registerJobs(jobs) {
      publications.registerJobs(jobs);
      rules.registerJobs(jobs);
      const confirming = { db: deps.db, egress: deps.egress, log: deps.log };
      jobs.work('publishing-endpoints.confirm', (payload, { signal }) =>
        confirmSubscription(confirming, payload, signal),
      );
      jobs.schedule('publishing-endpoints.forget-rotated', '2 * * * *', (signal) =>
        deleteRotatedSecrets(deps.db, currentTime(), signal),
      );
    },
    async workspaceDeleted(unit, workspaceId) {
      await publications.workspaceDeleted(unit, workspaceId);
      await rules.workspaceDeleted(unit, workspaceId);
    },
    start() {
      publications.start();
      rules.start();
    },
    async stop() {
      await publications.stop();
      await rules.stop();
      await templates.stop();
      await limiter.stop();
      await invalid.stop();
    },
  };
}
