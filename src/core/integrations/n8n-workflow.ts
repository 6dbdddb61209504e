/**
 * A workflow for n8n 1 and later, ready to import: a Webhook node that verifies deliveries and branches by event type,
 * a message to send, and a payload to publish. The API key belongs in a credential of the type "Header Auth", selected
 * in the HTTP Request nodes; an export never contains it.
 */
import { createHash } from 'node:crypto';
import type { FlowFileInput } from './integration-file.ts';
import { LOOP_GUARD_SOURCE } from './loop-guard.ts';
import { VERIFY_SOURCE } from './verify-source.ts';

const PATH = 'fairlead';

interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  [property: string]: unknown;
}

/** Stable, so that repeated downloads are equal. */
function toUuid(name: string): string {
  const hex = createHash('sha256').update(`fairlead n8n ${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const node = (
  name: string,
  type: string,
  typeVersion: number,
  position: [number, number],
  parameters: Record<string, unknown>,
  rest: object = {},
): WorkflowNode => ({
  parameters,
  id: toUuid(name),
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position,
  ...rest,
});

const STEPS = (origin: string) => `## Fairlead

1. Open **Verify** and paste the secret of your webhook.
2. Create a **Header Auth** credential: name \`Authorization\`, value \`Bearer \` and your API key. Choose it in the HTTP Request nodes.
3. Activate. Create a webhook in Fairlead (${origin}) whose address is the production URL of the **Fairlead events** node.`;

const VERIFY = `// The secret of the webhook: whsec_…
const SECRET = 'whsec_';

${VERIFY_SOURCE}
const items = [];
for (const [index, item] of $input.all().entries()) {
  const body = await this.helpers.getBinaryDataBuffer(index, 'data');
  const refused = verify(SECRET, item.json.headers, body, Date.now());
  items.push({ json: refused ? { genuine: false, refused } : { genuine: true, event: JSON.parse(body.toString()) } });
}
return items;
`;

const NO_LOOP = `${LOOP_GUARD_SOURCE}
// Kept between runs of the active workflow; test runs in the editor keep nothing.
const data = $getWorkflowStaticData('global');
const items = [];
for (const item of $input.all()) {
  const { isLoop, started } = guard(item.json.event, data.started, Date.now());
  data.started = started;
  if (!isLoop) items.push(item);
}
return items;
`;
const MESSAGE_TITLE = `={{ JSON.stringify({ title: $json.event.data.object.text?.body ?? '' }) }}`;

const TEXT = { type: 'string', operation: 'equals' };
const TRUE = { type: 'boolean', operation: 'true', singleValue: true };

const holds = (name: string, leftValue: string, operator: object, rightValue = '') => ({
  options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
  conditions: [{ id: toUuid(`condition ${name}`), leftValue, rightValue, operator }],
  combinator: 'and',
});

const respond = (name: string, position: [number, number], responseCode: number, responseBody: string) =>
  node(name, 'respondToWebhook', 1.1, position, {
    respondWith: 'json',
    responseBody,
    options: { responseCode },
  });

const post = (
  name: string,
  position: [number, number],
  url: string,
  body: object | string,
  rest: object = {},
): WorkflowNode =>
  node(
    name,
    'httpRequest',
    4.2,
    position,
    {
      method: 'POST',
      url,
      authentication: 'genericCredentialType',
      genericAuthType: 'httpHeaderAuth',
      sendBody: true,
      contentType: 'json',
      specifyBody: 'json',
      jsonBody: typeof body === 'string' ? body : JSON.stringify(body, null, 2),
      options: {},
    },
    rest,
  );

const publish = (name: string, position: [number, number], origin: string, body: object | string) =>
  post(name, position, `${origin}/api/v1/publish/pep_…`, body, {
    disabled: true,
    notesInFlow: true,
    notes: 'Enable it once you have a publishing endpoint.',
  });

/** Returns the workflow in n8n's export format. */
export function n8nWorkflow({ origin, types }: FlowFileInput): Record<string, unknown> {
  const publishesMessages = types.includes('message.received');
  const nodes = [
    node('Steps', 'stickyNote', 1, [-80, -340], { content: STEPS(origin), height: 300, width: 520 }),
    node(
      'Fairlead events',
      'webhook',
      2,
      [0, 0],
      { httpMethod: 'POST', path: PATH, responseMode: 'responseNode', options: { rawBody: true } },
      { webhookId: toUuid('webhook') },
    ),
    node('Verify', 'code', 2, [220, 0], {
      mode: 'runOnceForAllItems',
      language: 'javaScript',
      jsCode: VERIFY,
    }),
    node('Genuine?', 'if', 2.2, [440, 0], {
      conditions: holds('genuine', '={{ $json.genuine }}', TRUE),
      options: {},
    }),
    respond('Received', [660, -100], 200, '={{ JSON.stringify({ received: $json.event.id }) }}'),
    respond('Refused', [660, 100], 401, '={{ JSON.stringify({ refused: $json.refused }) }}'),
    node('Which event', 'switch', 3.2, [880, -100], {
      mode: 'rules',
      rules: {
        values: types.map((type) => ({
          conditions: holds(type, '={{ $json.event.type }}', TEXT, type),
          renameOutput: true,
          outputKey: type,
        })),
      },
      options: { fallbackOutput: 'extra' },
    }),
    ...types.map((type, index) => node(type, 'noOp', 1, [1120, 120 * index - 200], {})),
    node('Other events', 'noOp', 1, [1120, 120 * types.length - 200], {}),
    node('Try it', 'manualTrigger', 1, [0, 400], {}),
    post('Send a message', [220, 400], `${origin}/api/v1/messages`, {
      instance_id: 'ins_…',
      to: 'alice',
      type: 'text',
      text: { body: 'Hello from n8n' },
    }),
    publish('Publish', [220, 580], origin, { title: 'Hello from n8n' }),
    ...(publishesMessages
      ? [
          node('Not a loop', 'code', 2, [1340, -200], {
            mode: 'runOnceForAllItems',
            language: 'javaScript',
            jsCode: NO_LOOP,
          }),
          publish('Publish the message', [1560, -200], origin, MESSAGE_TITLE),
        ]
      : []),
  ];
  const to = (...names: string[]) => names.map((name) => ({ node: name, type: 'main', index: 0 }));
  return {
    // `n8n import:workflow` takes no file without an ID (a column of at most 36 characters): it inserts the workflow,
    // or replaces the one that has the ID. See packages/cli/src/commands/import/workflow.ts of n8n.
    id: toUuid(`workflow ${origin}`),
    name: 'Fairlead',
    nodes,
    connections: {
      'Fairlead events': { main: [to('Verify')] },
      Verify: { main: [to('Genuine?')] },
      'Genuine?': { main: [to('Received'), to('Refused')] },
      Received: { main: [to('Which event')] },
      'Which event': { main: [...types.map((type) => to(type)), to('Other events')] },
      ...(publishesMessages
        ? {
            'message.received': { main: [to('Not a loop')] },
            'Not a loop': { main: [to('Publish the message')] },
          }
        : {}),
      'Try it': { main: [to('Send a message', 'Publish')] },
    },
    active: false,
    settings: { executionOrder: 'v1' },
    pinData: {},
  };
}
