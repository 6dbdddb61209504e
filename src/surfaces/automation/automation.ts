/** Composes automation: publishing endpoints, publications, rules, and their background workers. */
import { OF_WORKSPACE, ofIds } from '../../core/sealed-column.ts';
import type { RunningSurface, Surface, SurfaceDeps } from '../../core/surface.ts';
import { joinFanOuts } from '../../core/events/sequencer.system-store.ts';
import { createRateLimiter } from '../../core/api/rate-limit.ts';
import { exceptInspector } from '../../core/webhooks/webhook-url.ts';
import { automationQueues } from './automation-jobs.ts';
import { automationOperations } from './automation-operations.ts';
import { createdEndpoints, createdRules } from './created-automation.ts';
import type { LinksPort, MessagesPort, ModelsPort } from './ports/ports.ts';
import { erasePublicationsFor } from './publications/publication-erasure.ts';
import { publicationEvents } from './publications/records/publication.events.ts';
import { createPublications } from './publications/publications.ts';
import { createIngress } from './publishing-endpoints/ingress/ingress.ts';
import { startInvalidRequests } from './publishing-endpoints/ingress/invalid-requests.ts';
import { confirmSubscription, createSns } from './publishing-endpoints/ingress/sns.ts';
import { registerIngress } from './publishing-endpoints/ingress/ingress.routes.ts';
import { endpointSecretContext } from './publishing-endpoints/authentication/endpoint-secret.ts';
import { countEndpoints } from './publishing-endpoints/endpoint.store.ts';
import { publishingEndpointEvents } from './publishing-endpoints/publishing-endpoint.events.ts';
import { deleteRotatedSecrets } from './publishing-endpoints/endpoint-cleaning.ts';
import { workspacesWithRules } from './rules/rule-fan-out.system-store.ts';
import { rulePartitions } from './rules/rule-retention.ts';
import { ruleSecretsContext } from './rules/actions/rule-secrets.ts';
import { ruleEvents } from './rules/rule.events.ts';
import { countRules } from './rules/rule.store.ts';
import { createRuleEngine } from './rules/rule-engine.ts';
import { eraseRunsFor } from './rules/run-erasure.ts';
import { currentTime } from '../../platform/time/clock.ts';

/** Declares automation. */
export const automationSurface: Surface = {
  events: { ...publishingEndpointEvents, ...publicationEvents, ...ruleEvents },
  counters: { rules: countRules, publishing_endpoints: countEndpoints },
  queues: automationQueues,
  partitions: () => rulePartitions,
  sealedColumns: [
    {
      table: 'publishing_endpoints',
      key: OF_WORKSPACE,
      values: [
        { column: 'secret_sealed', context: ofIds(endpointSecretContext) },
        { column: 'previous_secret_sealed', context: ofIds(endpointSecretContext) },
      ],
    },
    {
      table: 'rules',
      key: OF_WORKSPACE,
      values: [{ column: 'secrets_sealed', context: ofIds(ruleSecretsContext) }],
    },
  ],
  subscribed: workspacesWithRules,
  operations: automationOperations,
};

export interface AutomationDeps extends SurfaceDeps {
  messages: MessagesPort;
  links: LinksPort;
  models: ModelsPort;
}

export function createAutomation(deps: AutomationDeps): RunningSurface {
  const { units, secrets, quotas, messages, links, models, templates } = deps;
  const { baseUrl } = deps.config;
  const publications = createPublications(deps);
  const { receiver, endpointDeleted } = publications;
  const rules = createRuleEngine({ ...deps, runs: deps.inBackground });
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
  const operations = automationOperations({
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
  });
  return {
    operations,
    createdKinds: [createdEndpoints(baseUrl), createdRules],
    fanOut: joinFanOuts(publications.fanOut, rules.fanOut),
    registerRoutes(server) {
      registerIngress(server, inDoor);
    },
    eraseContact: (person, turn) => [erasePublicationsFor(units, person, turn)],
    eraseContactLast: (person, turn) => [eraseRunsFor(units, person, turn)],
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
      await limiter.stop();
      await invalid.stop();
    },
  };
}
