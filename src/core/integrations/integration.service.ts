/** The files for other tools: which there are, and how each is made. */
import { type EventType, typesMatching } from '../vocabulary/event-catalog.ts';
import { toUnknownTypeError } from '../events/event.service.ts';
import { type FieldError, invalid, notFound } from '../../platform/http/problem.ts';
import { INTEGRATION_IDS, type IntegrationId, type IntegrationObject } from './integration.schema.ts';
import { n8nWorkflow } from './n8n-workflow.ts';
import { nodeRedFlow } from './node-red-flow.ts';
import { postmanCollection, type ReadDocument } from './postman-collection.ts';

const COMMON_TYPES: readonly EventType[] = [
  'message.received',
  'message.failed',
  'link.clicked',
  'publication.published',
  'publication.failed',
];
/** A flow with more branches would be unreadable. */
const MAX_TYPES = 50;

const ABOUT: Record<IntegrationId, Omit<IntegrationObject, 'id' | 'object'>> = {
  node_red: {
    name: 'Node-RED flow',
    tools: ['Node-RED'],
    description:
      'A webhook that is verified and goes on by event type, a message that is sent, something that is published.',
    file_name: 'fairlead-node-red.json',
    steps: [
      'In Node-RED 4 or later choose Import in the menu, then the file.',
      'Double-click the tab "Fairlead" and fill in FAIRLEAD_KEY, an API key.',
      'Create a webhook whose address is that of your Node-RED and /fairlead, and fill in its secret as FAIRLEAD_WEBHOOK_SECRET.',
      'To send and publish from the flow, fill in an instance, a recipient, and the address of a publishing endpoint.',
      'Deploy.',
      'To publish every message that you receive, enable the node "not a loop". It stops automatic replies, and a chat with more than five publications a minute.',
    ],
  },
  n8n: {
    name: 'n8n workflow',
    tools: ['n8n'],
    description:
      'A webhook that is verified and goes on by event type, a message that is sent, something that is published.',
    file_name: 'fairlead-n8n.json',
    steps: [
      'In a new workflow choose Import from file in its menu, or run n8n import:workflow --input=fairlead-n8n.json (before n8n 1.85 with --separate, and the folder of the file as input). The command replaces a workflow that was imported from the same server.',
      'Create a credential of the type Header Auth, with the name Authorization and as value Bearer, a blank, and an API key; choose it in the HTTP Request nodes.',
      'Copy the production URL of the node "Fairlead events", create a webhook with it, and paste its secret into the node "Verify".',
      'Activate the workflow.',
      'To publish every message that you receive, enable the node "Publish the message". The node "Not a loop" before it stops automatic replies, and a chat with more than five publications a minute.',
    ],
  },
  postman: {
    name: 'Collection of requests',
    tools: ['Postman', 'Bruno', 'Insomnia', 'Hoppscotch'],
    description: 'Every operation of the API with its example, in folders.',
    file_name: 'fairlead-postman.json',
    steps: [
      'Import the file: in Postman by Import, in Bruno by Import collection and Postman, in Insomnia by Import.',
      "Fill in the collection's variable apiKey, an API key.",
    ],
  },
};

export const listIntegrations = (): IntegrationObject[] =>
  INTEGRATION_IDS.map((id) => ({ id, object: 'integration', ...ABOUT[id] }));

const isIntegration = (id: string): id is IntegrationId => Object.hasOwn(ABOUT, id);

/** @throws Problem invalid_request */
function readTypes(given: string | undefined): readonly EventType[] {
  if (given === undefined) return COMMON_TYPES;
  const faults: FieldError[] = [];
  const types = given.split(',').flatMap((pattern) => {
    const found = typesMatching(pattern.trim());
    if (!found) faults.push(toUnknownTypeError(pattern.trim(), '?events'));
    return found ?? [];
  });
  const chosen = [...new Set(types)];
  if (chosen.length > MAX_TYPES)
    faults.push({ pointer: '?events', code: 'too_many', detail: `at most ${MAX_TYPES} event types` });
  if (faults.length) throw invalid(faults);
  return chosen;
}

export interface IntegrationFile {
  fileName: string;
  /** As JSON. */
  content: unknown;
}

/** Base URLs with a cached collection, which is expensive to build. */
const MAX_KEPT = 4;

/**
 * @param documentFor creates the OpenAPI document for an origin
 * @returns what makes a file: `events` as the query has them, `origin` the address that is written into it. It throws
 * Problem not_found, invalid_request.
 */
export function createIntegrationFiles(documentFor: (origin: string) => unknown) {
  const collections = new Map<string, unknown>();
  const collection = (origin: string): unknown => {
    const kept = collections.get(origin);
    if (kept !== undefined) return kept;
    const made = postmanCollection(documentFor(origin) as ReadDocument);
    collections.set(origin, made);
    const [oldest] = collections.keys();
    if (collections.size > MAX_KEPT) collections.delete(oldest!);
    return made;
  };
  return (id: string, events: string | undefined, origin: string): IntegrationFile => {
    if (!isIntegration(id)) throw notFound('integration');
    const input = { origin, types: readTypes(events) };
    const makers: Record<IntegrationId, () => unknown> = {
      node_red: () => nodeRedFlow(input),
      n8n: () => n8nWorkflow(input),
      postman: () => collection(origin),
    };
    return { fileName: ABOUT[id].file_name, content: makers[id]() };
  };
}
