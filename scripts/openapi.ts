/**
 * `npm run openapi`: prints the OpenAPI document, made from the declarations alone, without a database or a server.
 */
import { EVENT_KINDS, SURFACES } from '../src/app/surfaces.ts';
import { describeEvents } from '../src/core/events/event-document.ts';
import { createEventTypes } from '../src/core/events/event-type.service.ts';
import { openApiDocument } from '../src/core/api/openapi.ts';
import { allOperations, type OperationDeps } from '../src/app/operations.ts';

/** Where there is no server the document names none that exists. */
const BASE_URL = 'https://fairlead.example';

/** Operations are declared here, never run: using one of these is a mistake. */
const unused = (what: string): never =>
  new Proxy({} as never, {
    get(_target, name) {
      throw new Error(`The ${what} was used (${String(name)}) while operations were only declared`);
    },
  });

/** Dependencies of all operations. Those that aren't given are unused while operations are declared. */
const declaring = <T extends object>(given: Partial<T>): T =>
  new Proxy(given, {
    get: (target, name) => (name in target ? target[name as keyof T] : unused(String(name))),
  }) as T;

/** The document of all operations. @param baseUrl origin that it names. */
export function printableDocument(baseUrl = BASE_URL): Record<string, unknown> {
  const eventTypes = createEventTypes(EVENT_KINDS);
  const deps = {
    baseUrl,
    eventTypes,
    messages: { types: [] },
    media: declaring({}),
    ownHost: new URL(baseUrl).hostname,
    clicksKeptDays: 90,
  };
  const operations = allOperations(
    declaring<OperationDeps>({
      baseUrl,
      eventTypes,
      createdKinds: [],
      ofSurfaces: SURFACES.flatMap((surface) => surface.operations(declaring(deps))),
    }),
  );
  return openApiDocument(operations, baseUrl, describeEvents(EVENT_KINDS));
}

if (import.meta.main) console.log(JSON.stringify(printableDocument(), null, 2));
