/**
 * A flow for Node-RED 4 and later, ready to import: a webhook that is verified and goes on by event type, a message
 * that is sent, something that is published. The key, the webhook's secret and the endpoint's address are credentials
 * of the flow, which Node-RED keeps encrypted and leaves out of exports; they are empty here.
 *
 *     http in ─▶ verify ─▶ http response          inject ─▶ message to send ─▶ http request ─▶ debug
 *                  └─▶ switch ─▶ a branch a type  inject ─▶ what to publish ─▶ http request ─▶ debug
 *                          └─▶ not a loop (disabled) ────▲
 */
import { createHash } from 'node:crypto';
import type { FlowFileInput } from './integration-file.ts';
import { LOOP_GUARD_SOURCE } from './loop-guard.ts';
import { VERIFY_SOURCE } from './verify-source.ts';

/** Where the flow listens, below the address of Node-RED. */
const HOOK = '/fairlead';

interface FlowNode {
  id: string;
  type: string;
  [property: string]: unknown;
}

const getId = (name: string): string =>
  createHash('sha256').update(`fairlead ${name}`).digest('hex').slice(0, 16);
const TAB = getId('tab');

const INFO = `1. Double-click this tab. Fill in \`FAIRLEAD_KEY\` (an API key) and \`FAIRLEAD_WEBHOOK_SECRET\`, and for the examples the rest.
2. Create a webhook whose address is that of your Node-RED and \`${HOOK}\`; its secret is shown once.
3. Deploy. Verified events arrive at "which event".

Needs Node-RED 4 or later: earlier ones parse a body before it can be verified.`;

const VERIFY = `${VERIFY_SOURCE}
const answer = (statusCode, payload) => [{ ...msg, headers: {}, statusCode, payload }, null];
if (!Buffer.isBuffer(msg.payload) && typeof msg.payload !== 'string') return answer(500, { refused: 'body was parsed' });
const body = Buffer.from(msg.payload);
const refused = verify(env.get('FAIRLEAD_WEBHOOK_SECRET'), msg.req.headers, body, Date.now());
if (refused) return answer(401, { refused });

// What comes again, as after an answer that got lost, is answered and goes no further.
const id = msg.req.headers['webhook-id'];
const seen = flow.get('seen') || [];
if (seen.includes(id)) return answer(200, { duplicate: id });
flow.set('seen', [...seen, id].slice(-1000));
const [reply] = answer(200, { received: id });
return [reply, { payload: JSON.parse(body.toString()) }];
`;

const SEND = `// Change this to your message; POST /messages in the API reference has all fields.
msg.method = 'POST';
msg.url = env.get('FAIRLEAD') + '/api/v1/messages';
msg.headers = { authorization: 'Bearer ' + env.get('FAIRLEAD_KEY'), 'content-type': 'application/json', 'idempotency-key': msg._msgid };
msg.payload = {
  instance_id: env.get('FAIRLEAD_INSTANCE'),
  to: env.get('FAIRLEAD_TO'),
  type: 'text',
  text: { body: 'Hello from Node-RED' },
};
return msg;
`;

const PUBLISH = `// Change this to what your publishing endpoint's templates use.
msg.method = 'POST';
msg.url = env.get('FAIRLEAD_PUBLISH_URL');
msg.headers = { 'content-type': 'application/json' };
// Only an endpoint with bearer authentication takes the key; another address never gets it.
if (msg.url.startsWith(env.get('FAIRLEAD') + '/api/v1/publish/')) {
  msg.headers.authorization = 'Bearer ' + env.get('FAIRLEAD_KEY');
  msg.headers['idempotency-key'] = msg._msgid;
}
msg.payload = { title: msg.payload?.data?.object.text?.body ?? 'Hello from Node-RED' };
return msg;
`;

const NO_LOOP = `// Disabled. Enable it to publish every message that you receive.
${LOOP_GUARD_SOURCE}
const { isLoop, started } = guard(msg.payload, flow.get('started'), Date.now());
flow.set('started', started);
return isLoop ? [null, msg] : [msg, null];
`;

const node = (
  name: string,
  type: string,
  [x, y]: [number, number],
  to: string[][],
  rest: object,
): FlowNode => ({
  id: getId(name),
  type,
  z: TAB,
  name,
  ...rest,
  x,
  y,
  wires: to.map((names) => names.map(getId)),
});

const debug = (name: string, at: [number, number]): FlowNode =>
  node(name, 'debug', at, [], {
    active: true,
    tosidebar: true,
    console: false,
    tostatus: false,
    complete: 'payload',
    targetType: 'msg',
  });

const button = (name: string, y: number, to: string): FlowNode =>
  node(name, 'inject', [150, y], [[to]], {
    props: [],
    repeat: '',
    crontab: '',
    once: false,
    onceDelay: 0.1,
    topic: '',
  });

const code = (
  name: string,
  at: [number, number],
  to: string[][],
  func: string,
  rest: object = {},
): FlowNode =>
  node(name, 'function', at, to, {
    func,
    outputs: to.length,
    timeout: 0,
    noerr: 0,
    initialize: '',
    finalize: '',
    libs: [],
    ...rest,
  });

const request = (name: string, at: [number, number], to: string): FlowNode =>
  node(name, 'http request', at, [[to]], {
    method: 'use',
    ret: 'obj',
    paytoqs: 'ignore',
    url: '',
    tls: '',
    persist: false,
    proxy: '',
    insecureHTTPParser: false,
    authType: '',
    senderr: false,
    headers: [],
  });

/** Returns the nodes of the flow in Node-RED's export format, tab first. */
export function nodeRedFlow({ origin, types }: FlowFileInput): FlowNode[] {
  const publishesMessages = types.includes('message.received');
  const rows = types.map((type, index): [string, number] => [type, 120 + 40 * index]);
  const below = 120 + 40 * (types.length + 2);
  const getBranch = (type: string): string[] => (type === 'message.received' ? [type, 'not a loop'] : [type]);
  const setting = (name: string, type: 'str' | 'cred', value = '') => ({ name, value, type });
  return [
    {
      id: TAB,
      type: 'tab',
      label: 'Fairlead',
      disabled: false,
      info: INFO,
      env: [
        setting('FAIRLEAD', 'str', origin),
        setting('FAIRLEAD_KEY', 'cred'),
        setting('FAIRLEAD_WEBHOOK_SECRET', 'cred'),
        setting('FAIRLEAD_INSTANCE', 'str'),
        setting('FAIRLEAD_TO', 'str'),
        setting('FAIRLEAD_PUBLISH_URL', 'cred'),
      ],
    },
    node('Double-click the tab for settings and steps', 'comment', [210, 40], [], { info: INFO }),
    node('webhook', 'http in', [130, 120], [['verify']], {
      url: HOOK,
      method: 'post',
      upload: false,
      skipBodyParsing: true,
      swaggerDoc: '',
    }),
    code('verify', [310, 120], [['answer'], ['which event']], VERIFY),
    node('answer', 'http response', [490, 80], [], { statusCode: '', headers: {} }),
    node('which event', 'switch', [500, 160], [...types.map(getBranch), ['other events']], {
      property: 'payload.type',
      propertyType: 'msg',
      rules: [...types.map((v) => ({ t: 'eq', v, vt: 'str' })), { t: 'else' }],
      checkall: 'false',
      repair: false,
      outputs: types.length + 1,
    }),
    ...rows.map(([type, y]) => debug(type, [740, y])),
    debug('other events', [740, 120 + 40 * types.length]),
    button('send', below, 'message to send'),
    code('message to send', [320, below], [['POST /messages']], SEND),
    request('POST /messages', [520, below], 'what became of the message'),
    debug('what became of the message', [760, below]),
    button('publish', below + 60, 'what to publish'),
    code('what to publish', [320, below + 60], [['POST to the endpoint']], PUBLISH),
    request('POST to the endpoint', [520, below + 60], 'the publication'),
    debug('the publication', [760, below + 60]),
    ...(publishesMessages
      ? [
          code('not a loop', [150, below + 120], [['what to publish'], ['stopped as a loop']], NO_LOOP, {
            d: true,
          }),
          debug('stopped as a loop', [340, below + 120]),
        ]
      : []),
  ];
}
