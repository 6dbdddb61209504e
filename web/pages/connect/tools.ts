/** The tools that can be connected: what is done in each, in words to follow. */
import type { ScopeName } from '../../api/types.ts';
import type { NewWebhook } from '../../api/webhooks.ts';

export const TOOL_IDS = ['zapier', 'make', 'n8n', 'node_red', 'postman'] as const;
export type ToolId = (typeof TOOL_IDS)[number];

/** A line of a step; what is to be copied stands by itself. */
export interface Instruction {
  text: string;
  copy?: string;
  label?: string;
}

export interface Tool {
  id: ToolId;
  name: string;
  /** The file that the API has for it. */
  file?: 'n8n' | 'node_red' | 'postman';
  /** What is done there to call the API. */
  calls: (origin: string) => Instruction[];
  /** Where it shows the address that events are posted to; null for tools that only call. */
  hook: {
    kind: NonNullable<NewWebhook['kind']>;
    where: string;
    placeholder: string;
    keepsSecret: string | null;
  } | null;
  /** For whoever builds an app on its platform: each call by its name there. */
  platform?: { title: string; calls: (origin: string) => [name: string, call: string][] };
}

const SENDS = '{"instance_id": "ins_…", "to": "alice", "type": "text", "text": {"body": "Hello"}}';

/** A request as a module of the tool asks for it. */
const request = (origin: string): Instruction[] => [
  { text: 'Address, with the method POST:', copy: `${origin}/api/v1/messages`, label: 'Copy address' },
  { text: 'Header Authorization, with your key:', copy: 'Bearer fl_…', label: 'Copy header' },
  { text: 'Body, of the type application/json:', copy: SENDS, label: 'Copy body' },
];

const lifecycle = (origin: string): [string, string][] => [
  ['whoami', `GET ${origin}/api/v1/me`],
  ['subscribe', `POST ${origin}/api/v1/webhooks {"target_url": "…", "events": ["message.received"]}`],
  ['unsubscribe', `DELETE ${origin}/api/v1/webhooks/{id}`],
  ['exists', `GET ${origin}/api/v1/webhooks?target_url=…`],
  ['samples', `GET ${origin}/api/v1/events?type=message.received&limit=3`],
  ['sample of a type without events', `GET ${origin}/api/v1/event-types/message.received`],
];

export const TOOLS: Record<ToolId, Tool> = {
  zapier: {
    id: 'zapier',
    name: 'Zapier',
    calls: (origin) => [
      { text: 'In your Zap add the action "Webhooks by Zapier" and choose Custom Request.' },
      ...request(origin),
    ],
    hook: {
      kind: 'zapier',
      where: 'Begin a Zap with "Webhooks by Zapier" and Catch Hook; Zapier shows an address.',
      placeholder: 'https://hooks.zapier.com/hooks/catch/…',
      keepsSecret: null,
    },
    platform: { title: 'An app of your own on Zapier’s platform', calls: lifecycle },
  },
  make: {
    id: 'make',
    name: 'Make',
    calls: (origin) => [
      { text: 'In your scenario add the module "HTTP" and choose Make a request.' },
      ...request(origin),
    ],
    hook: {
      kind: 'make',
      where: 'Begin a scenario with "Webhooks" and Custom webhook; Make shows an address.',
      placeholder: 'https://hook.eu1.make.com/…',
      keepsSecret: null,
    },
    platform: { title: 'A custom app on Make, with attach and detach', calls: lifecycle },
  },
  n8n: {
    id: 'n8n',
    name: 'n8n',
    file: 'n8n',
    calls: () => [],
    hook: {
      kind: 'n8n',
      where: 'Open the node "Fairlead events" of the imported workflow and copy its production URL.',
      placeholder: 'https://n8n.example.com/webhook/fairlead',
      keepsSecret:
        'Paste the secret into the node "Verify", in the place of whsec_, and activate the workflow.',
    },
    platform: { title: 'A trigger node of your own', calls: lifecycle },
  },
  node_red: {
    id: 'node_red',
    name: 'Node-RED',
    file: 'node_red',
    calls: () => [],
    hook: {
      kind: 'custom',
      where: 'The imported flow listens below the address of your Node-RED, at /fairlead.',
      placeholder: 'https://node-red.example.com/fairlead',
      keepsSecret: 'Fill in the secret as FAIRLEAD_WEBHOOK_SECRET in the settings of the flow, and deploy.',
    },
  },
  postman: {
    id: 'postman',
    name: 'Postman, Bruno',
    file: 'postman',
    calls: () => [],
    hook: null,
  },
};

/** What a tool reads besides: the preset is for sending and publishing, a flow also looks at what it handles. */
const ALSO_READS: readonly ScopeName[] = [
  'instances:read',
  'messages:read',
  'chats:read',
  'contacts:read',
  'links:read',
];

/** Scopes of a tool's key: the preset for automation and reading, as far as one has them oneself. */
export const scopesFor = (preset: readonly ScopeName[], mine: readonly string[]): ScopeName[] =>
  [...new Set([...preset, ...ALSO_READS])].filter((scope) => mine.includes(scope));
