/** The tools that can be connected, with instructions for each. */
import { t } from '../../copy/text.ts';
import type { ScopeName } from '../../api/types.ts';
import type { NewWebhook } from '../../api/webhooks.ts';

export const TOOL_IDS = ['zapier', 'make', 'n8n', 'node_red', 'postman'] as const;
export type ToolId = (typeof TOOL_IDS)[number];

/** One instruction, with an optional text to copy. */
export interface Instruction {
  text: string;
  copy?: string;
  label?: string;
}

export interface Tool {
  id: ToolId;
  name: string;
  /** The file that the API provides for the tool. */
  file?: 'n8n' | 'node_red' | 'postman';
  /** How to call the API from the tool. */
  calls: (origin: string) => Instruction[];
  /** How to receive events in the tool; null for tools that only call the API. */
  hook: {
    kind: NonNullable<NewWebhook['kind']>;
    where: string;
    placeholder: string;
    keepsSecret: string | null;
  } | null;
  /** The calls to build an app on the tool's platform, by their name there. */
  platform?: { title: string; calls: (origin: string) => [name: string, call: string][] };
}

const SAMPLE_BODY = '{"instance_id": "ins_…", "to": "alice", "type": "text", "text": {"body": "Hello"}}';

/** The parts of a request, as an HTTP module asks for them. */
const request = (origin: string): Instruction[] => [
  { text: t('URL, with the POST method:'), copy: `${origin}/api/v1/messages`, label: t('Copy URL') },
  { text: t('Authorization header, with your API key:'), copy: 'Bearer fl_…', label: t('Copy header') },
  { text: t('Body, as application/json:'), copy: SAMPLE_BODY, label: t('Copy body') },
];

const platformCalls = (origin: string): [string, string][] => [
  ['whoami', `GET ${origin}/api/v1/me`],
  ['subscribe', `POST ${origin}/api/v1/webhooks {"target_url": "…", "events": ["message.received"]}`],
  ['unsubscribe', `DELETE ${origin}/api/v1/webhooks/{id}`],
  ['exists', `GET ${origin}/api/v1/webhooks?target_url=…`],
  ['samples', `GET ${origin}/api/v1/events?type=message.received&limit=3`],
  [t('sample without events'), `GET ${origin}/api/v1/event-types/message.received`],
];

export const TOOLS: Record<ToolId, Tool> = {
  zapier: {
    id: 'zapier',
    name: 'Zapier',
    calls: (origin) => [
      { text: t('In your Zap, add the action “Webhooks by Zapier” and choose Custom Request.') },
      ...request(origin),
    ],
    hook: {
      kind: 'zapier',
      where: t('Start a Zap with “Webhooks by Zapier” and Catch Hook, then copy the URL that Zapier shows.'),
      placeholder: 'https://hooks.zapier.com/hooks/catch/…',
      keepsSecret: null,
    },
    platform: { title: t('Build your own Zapier app'), calls: platformCalls },
  },
  make: {
    id: 'make',
    name: 'Make',
    calls: (origin) => [
      { text: t('In your scenario, add the “HTTP” module and choose Make a request.') },
      ...request(origin),
    ],
    hook: {
      kind: 'make',
      where: t('Start a scenario with “Webhooks” and Custom webhook, then copy the URL that Make shows.'),
      placeholder: 'https://hook.eu1.make.com/…',
      keepsSecret: null,
    },
    platform: { title: t('Build a custom Make app with attach and detach'), calls: platformCalls },
  },
  n8n: {
    id: 'n8n',
    name: 'n8n',
    file: 'n8n',
    calls: () => [],
    hook: {
      kind: 'n8n',
      where: t('In the imported workflow, open the “Fairlead events” node and copy its production URL.'),
      placeholder: 'https://n8n.example.com/webhook/fairlead',
      keepsSecret: t('In the “Verify” node, replace whsec_ with the secret, then activate the workflow.'),
    },
    platform: { title: t('Build your own trigger node'), calls: platformCalls },
  },
  node_red: {
    id: 'node_red',
    name: 'Node-RED',
    file: 'node_red',
    calls: () => [],
    hook: {
      kind: 'custom',
      where: t('The imported flow listens at /fairlead on your Node-RED server.'),
      placeholder: 'https://node-red.example.com/fairlead',
      keepsSecret: t('Set FAIRLEAD_WEBHOOK_SECRET to the secret in the flow settings, then deploy.'),
    },
  },
  postman: {
    id: 'postman',
    name: t('Postman, Bruno'),
    file: 'postman',
    calls: () => [],
    hook: null,
  },
};

/**
 * Read scopes beyond the preset, which covers sending and publishing: a flow also reads the objects that it handles.
 */
const ALSO_READS: readonly ScopeName[] = [
  'instances:read',
  'messages:read',
  'chats:read',
  'contacts:read',
  'links:read',
];

/** Returns the scopes of a tool's key: the automation preset and read scopes, limited to the user's own. */
export const getToolScopes = (preset: readonly ScopeName[], mine: readonly string[]): ScopeName[] =>
  [...new Set([...preset, ...ALSO_READS])].filter((scope) => mine.includes(scope));
