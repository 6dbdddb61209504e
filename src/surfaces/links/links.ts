/** Wires up short links: the dependencies of their operations, their jobs, routes and hooks. Holds no logic. */
import { createPasswordHasher } from '../../core/auth/identity/password-hash.ts';
import type { RunningSurface, Surface, SurfaceDeps } from '../../core/surface.ts';
import type { Unit } from '../../core/unit/unit-of-work.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';
import type { ImportFiles } from '../../core/transfer/import-files.ts';
import { giveUpImport, executeImport } from '../../core/transfer/import-job.ts';
import { deleteEndedJournals } from '../../platform/journal/journals.system-store.ts';
import { eraseClicks, linksDeleted, waitForLoaders } from './clicks/click-erasure.ts';
import { createClickIngestion } from './clicks/click-ingestion.ts';
import { clickPartitions } from './clicks/click-retention.ts';
import { clickEvents } from './clicks/click.events.ts';
import { deleteOldSalts } from './clicks/salt.ts';
import { domainEvents } from './domains/domain.events.ts';
import { countDomains, freeHosts } from './domains/domain.store.ts';
import { checkDueDomains } from './domains/domain-check.ts';
import { createTlsAllowed } from './domains/tls-allowed.ts';
import { registerTlsAllowed } from './domains/tls-allowed.routes.ts';
import { createResolveTxt } from './domains/txt-record.ts';
import { eraseLinksFor, giveLinksOfContacts } from './spread/link-contacts.ts';
import { createLinkListed } from './listing/link-listed.ts';
import { createLinkPort } from './creation/link-port.ts';
import { createLinkShortener } from './creation/link-shortener.ts';
import { comparableHost, createUrlRules } from './addresses/link-url.ts';
import { linkEvents } from './records/link.events.ts';
import { countLinks, getLink } from './records/link.store.ts';
import { linksQueues } from './links-jobs.ts';
import { type LinksOperationDeps, linksOperations } from './links-operations.ts';
import { createRedirectService } from './redirect/redirect-service.ts';
import { findTagsByName } from './tags/tag.store.ts';
import { propagateTagChange } from './spread/tag-spread.ts';
import { linkImport } from './transfer/link-import.ts';
import { appendRouteChanges } from './redirect/route-change.store.ts';
import { deleteOldRouteChanges } from './redirect/route.system-store.ts';
import { currentTime } from '../../platform/time/clock.ts';

/** Declares short links. */
export const linksSurface: Surface = {
  events: { ...linkEvents, ...domainEvents, ...clickEvents },
  counters: { links: countLinks, domains: countDomains },
  queues: linksQueues,
  partitions: ({ CLICKS_KEPT_DAYS }) => clickPartitions(CLICKS_KEPT_DAYS),
  filterTargets: {
    async link_id(db, workspaceId, id) {
      const uuid = toUuid('link', id);
      return uuid !== null && (await getLink(db, workspaceId, uuid)) !== undefined;
    },
    // Filters compare names exactly, so another spelling would let nothing pass.
    tag: async (db, workspaceId, name) =>
      (await findTagsByName(db, workspaceId, [name])).get(name)?.name === name,
  },
  operations: linksOperations,
};

export interface LinksDeps extends SurfaceDeps {
  /** Storage of files that are being imported. */
  importFiles: ImportFiles;
}

export interface Links extends RunningSurface {
  /** Creates links for messages. */
  shortener: ReturnType<typeof createLinkShortener>;
  /** Creates links on behalf of other features. */
  port: ReturnType<typeof createLinkPort>;
}

/** Follows links in this process, and records and loads their clicks. */
async function createRedirection(deps: LinksDeps): Promise<RunningSurface> {
  const following = await createRedirectService({ ...deps, units: deps.units.forRequests });
  const loading = createClickIngestion({ ...deps, journal: following.journal });
  return {
    operations: [],
    before: following.before,
    isUseful: following.isUseful,
    checks: { redirects: following.check, clicks: loading.check },
    start() {
      following.start();
      loading.start();
    },
    async stop() {
      await loading.stop();
      await following.stop();
    },
  };
}

/** Invalidates all cached routes of a workspace. */
const invalidateRoutes = (unit: Unit, workspaceId: string): Promise<void> =>
  appendRouteChanges(unit.db, workspaceId, [{ domain: null, slug: null }]);

export async function createLinks(deps: LinksDeps): Promise<Links> {
  const { config, db, units, quotas } = deps;
  const { baseUrl, LINK_SCHEMES: schemes } = config;
  const ownHost = comparableHost(new URL(baseUrl).hostname);
  const resolveTxt = createResolveTxt(config.DNS_SERVERS);
  const listed = createLinkListed({ units, interestedWorkspaces: deps.interestedWorkspaces, log: deps.log });
  const { importFiles } = deps;
  const forOperations: LinksOperationDeps = {
    importFiles,
    ownHost,
    resolveTxt,
    units: units.forRequests,
    quotas,
    baseUrl,
    urlRules: createUrlRules({ baseUrl, schemes }),
    // One hash at a time: sign-in, this hasher and visitors' password attempts share libuv's four threads with file I/O
    // and the click journal.
    hasher: createPasswordHasher({
      atOnce: 1,
      personAt: 0,
      waitingPerPath: Infinity,
      cost: deps.passwordCost,
    }),
    getPerson: deps.getPerson,
    linksDeleted,
    listed: listed.record,
    clicksKeptDays: config.CLICKS_KEPT_DAYS,
  };
  const followsLinks = config.ROLE === 'all' || config.ROLE === 'redirect';
  const redirection = followsLinks ? await createRedirection(deps) : null;
  return {
    ...redirection,
    operations: linksOperations({ ...forOperations, guard: deps.guard }),
    shortener: createLinkShortener(forOperations),
    port: createLinkPort(forOperations),
    registerRoutes(server) {
      registerTlsAllowed(server, createTlsAllowed({ db, ownHost }));
    },
    registerJobs(jobs) {
      jobs.schedule('route-changes.delete-old', '52 * * * *', (signal) =>
        deleteOldRouteChanges(db, currentTime(), signal),
      );
      jobs.schedule('domains.check', '* * * * *', (signal) =>
        checkDueDomains(units, resolveTxt, currentTime, signal),
      );
      jobs.work('links.erase', (payload, turn) => eraseClicks(db, payload, turn));
      jobs.schedule('journals.delete-ended', '7 3 * * *', (signal) =>
        deleteEndedJournals(db, currentTime(), signal),
      );
      jobs.schedule('click-salts.delete-old', '2 * * * *', () => deleteOldSalts(db, currentTime()));
      jobs.work(
        'links.import',
        (payload, turn) =>
          executeImport({ units, files: importFiles }, linkImport(forOperations), payload, turn),
        (payload) => giveUpImport({ units, files: importFiles }, payload),
      );
      jobs.work('tags.spread', (payload, turn) => propagateTagChange(units, baseUrl, payload, turn));
      jobs.work('links.contacts', (payload, turn) => giveLinksOfContacts(units, baseUrl, payload, turn));
    },
    eraseContact: (person, turn) => [eraseLinksFor(units, forOperations, person, turn)],
    async workspaceDeleted(unit, workspaceId) {
      await freeHosts(unit.db, workspaceId);
      await invalidateRoutes(unit, workspaceId);
    },
    flush: waitForLoaders,
    clickAddressesChanged: invalidateRoutes,
    async stop() {
      await redirection?.stop?.();
      await listed.stop();
    },
  };
}
