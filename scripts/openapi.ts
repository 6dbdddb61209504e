/**
 * `npm run openapi`: prints the OpenAPI document, made from the declarations alone, without a database or a server.
 */
import { EVENT_KINDS } from '../src/app/event-kinds.ts';
import { describeEvents } from '../src/core/events/event-document.ts';
import { createEventTypes } from '../src/core/events/event-type.service.ts';
import { openApiDocument } from '../src/core/api/openapi.ts';
import { allOperations } from '../src/app/operations.ts';
import { createQuotas } from '../src/core/workspaces/quota.ts';

/** Where there is no server the document names none that exists. */
const BASE_URL = 'https://fairlead.example';

/** Operations are declared here, never run: whatever uses one of these is a mistake. */
const unused = (what: string): never =>
  new Proxy({} as never, {
    get(_target, name) {
      throw new Error(`The ${what} was used (${String(name)}) while operations were only declared`);
    },
  });

/** The document of all operations. @param baseUrl origin that it names. */
export function printableDocument(baseUrl = BASE_URL): Record<string, unknown> {
  const eventTypes = createEventTypes(EVENT_KINDS);
  const operations = allOperations({
    baseUrl,
    eventTypes,
    sendLater: null,
    quotas: createQuotas({}),
    guard: unused('guard'),
    db: unused('database'),
    liveTail: unused('live tail'),
    liveEvents: unused('live events'),
    interest: unused('wants'),
    models: {
      guard: unused('guard'),
      quotas: createQuotas({}),
      calls: unused('calls'),
      memory: unused('memory of calls'),
      ledger: unused('ledger'),
      catalogChanged: unused('catalog'),
      catalog: unused('catalog'),
      secrets: unused('secret box'),
      egress: unused('egress guard'),
      assertUrlAllowed: unused('egress guard'),
      targetOf: unused('catalog'),
      testCall: unused('calls'),
    },
    secrets: unused('secret box'),
    assertUrlAllowed: unused('egress guard'),
    wakeDeliveries: unused('delivery engine'),
    automation: {
      eventTypes,
      baseUrl,
      units: unused('units'),
      secrets: unused('secret box'),
      quotas: createQuotas({}),
      messages: { types: [] } as never,
      links: unused('links'),
      models: unused('models'),
      templates: unused('templates'),
      receiver: unused('receiver'),
      limiter: unused('rate limits'),
      assertUrlAllowed: unused('egress'),
      wakeRules: unused('rules'),
      endpointDeleted: unused('publications'),
    },
    media: {
      files: unused('files'),
      urls: unused('signed addresses'),
      secrets: unused('secret box'),
      quotas: createQuotas({}),
      assertUrlAllowed: unused('egress guard'),
    },
    messaging: {
      drivers: unused('drivers'),
      secrets: unused('secret box'),
      connectionsChanged: unused('connections'),
      queueCleared: unused('queue'),
      replayQueued: unused('queue'),
      checkChannel: unused('drivers'),
      assertEndpointsAllowed: unused('egress guard'),
      units: unused('database'),
      media: {
        urls: unused('signed addresses'),
        secrets: unused('secret box'),
      },
      assertUrlAllowed: unused('egress guard'),
      wakeSender: unused('connections'),
      importFiles: unused('media files'),
      shortener: unused('short links'),
      tellTyping: unused('connections'),
    },
    links: {
      units: unused('database'),
      quotas: createQuotas({}),
      baseUrl,
      urlRules: unused('rules for URLs'),
      hasher: unused('password hasher'),
      ownHost: new URL(baseUrl).hostname,
      resolveTxt: unused('name servers'),
      importFiles: unused('media files'),
      linksDeleted: unused('clicks'),
      listed: unused('lists'),
      clicksKeptDays: 90,
    },
    workspaceDeleted: unused('connections'),
    clickAddressesChanged: unused('addresses of links'),
    workspacesPerUser: 0,
    storage: unused('disks'),
    locates: { clicks: true, cities: false },
  });
  return openApiDocument(operations, baseUrl, describeEvents(EVENT_KINDS));
}

if (import.meta.main) console.log(JSON.stringify(printableDocument(), null, 2));
