/** Wires up short links: the dependencies of their operations, their jobs, routes and hooks. Holds no logic. */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { createPasswordHasher, type PasswordCost } from '../../core/auth/identity/password-hash.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Listener } from '../../platform/db/listener.ts';
import type { AppUnits, Unit } from '../../core/unit-of-work.ts';
import type { ErasedPerson } from '../../core/events/erasure/person.ts';
import type { InterestedWorkspaces } from '../../core/events/wants.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { ImportFiles } from '../../core/transfer/import-files.ts';
import { giveUpImport, executeImport } from '../../core/transfer/import-job.ts';
import { deleteEndedJournals } from '../../platform/journal/journals.system-store.ts';
import { eraseClicks, linksDeleted } from './clicks/click-erasure.ts';
import { deleteOldSalts } from './clicks/salt.ts';
import { freeHosts } from './domains/domain.store.ts';
import { checkDueDomains } from './domains/domain-check.ts';
import { createTlsAllowed } from './domains/tls-allowed.ts';
import { registerTlsAllowed } from './domains/tls-allowed.routes.ts';
import { createResolveTxt } from './domains/txt-record.ts';
import { eraseLinksFor, giveLinksOfContacts } from './link-contacts.ts';
import { createLinkListed } from './link-listed.ts';
import { createLinkPort } from './link-port.ts';
import { createLinkShortener } from './link-shortener.ts';
import { comparableHost, createUrlRules } from './link-url.ts';
import type { LinksOperationDeps } from './links-operations.ts';
import { propagateTagChange } from './tags/tag-spread.ts';
import { linkImport } from './transfer/link-import.ts';
import { appendRouteChanges } from './redirect/route-change.store.ts';
import { deleteOldRouteChanges } from './redirect/route.system-store.ts';
import { currentTime } from '../../platform/time/clock.ts';
import type { Quotas } from '../../core/workspaces/quota.ts';

export interface LinksDeps {
  config: Config;
  db: Database;
  /** A separate connection pool, so that control queries don't queue behind requests. */
  control: Database;
  units: AppUnits;
  secrets: SecretBox;
  egress: Egress;
  listener: Listener;
  quotas: Quotas;
  /** Storage of files that are being imported. */
  importFiles: ImportFiles;
  /** Looks up the workspaces that are subscribed to events that are only written on demand. */
  interestedWorkspaces: InterestedWorkspaces;
  registry: Registry;
  log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** Whether this process runs background work. */
  inBackground: boolean;
  /** For tests: the cost of new password hashes. */
  passwordCost?: PasswordCost;
}

export interface Links {
  /** Dependencies of the API operations. */
  forOperations: LinksOperationDeps;
  /** Creates links for messages. */
  shortener: ReturnType<typeof createLinkShortener>;
  /** Creates links on behalf of other features. */
  port: ReturnType<typeof createLinkPort>;
  /** Registers the HTTP routes that are not operations of the API. */
  registerRoutes(server: FastifyInstance): void;
  /** Registers job handlers and schedules. Call before `jobs.start`. */
  registerJobs(jobs: Jobs): void;
  /** Removes an erased contact from the links that were created for messages to that contact. */
  forgetContact(person: ErasedPerson, signal?: AbortSignal): Promise<void>;
  /** Cleans up after a deleted workspace, in the transaction that deletes it. */
  workspaceDeleted(unit: Unit, workspaceId: string): Promise<void>;
  /** Invalidates cached routes when a workspace changes whether clicks keep IP addresses, in the same transaction. */
  clickAddressesChanged(unit: Unit, workspaceId: string): Promise<void>;
  stop(): Promise<void>;
}

/** Invalidates all cached routes of a workspace. */
const invalidateRoutes = (unit: Unit, workspaceId: string): Promise<void> =>
  appendRouteChanges(unit.db, workspaceId, [{ domain: null, slug: null }]);

export function createLinks(deps: LinksDeps): Links {
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
    hasher: createPasswordHasher({ atOnce: 1, waitingPerPath: Infinity, cost: deps.passwordCost }),
    linksDeleted,
    listed: listed.record,
    clicksKeptDays: config.CLICKS_KEPT_DAYS,
  };
  return {
    forOperations,
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
    forgetContact: (person, signal) => eraseLinksFor(units, forOperations, person, signal),
    async workspaceDeleted(unit, workspaceId) {
      await freeHosts(unit.db, workspaceId);
      await invalidateRoutes(unit, workspaceId);
    },
    clickAddressesChanged: invalidateRoutes,
    stop: listed.stop,
  };
}
