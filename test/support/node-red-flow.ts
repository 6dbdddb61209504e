/**
 * A flow as somebody would build it in Node-RED to receive webhooks: it verifies each delivery as Standard Webhooks
 * says, handles each event once, and calls the API back with a key.
 *
 *     http in ─▶ verify ─▶ http request ─▶ conclude ─▶ http response
 *                   └── refused, or a duplicate ───────────▲
 */
import type { FlowNode } from './node-red.ts';

export const HOOK = '/fairlead';

export interface FlowSettings {
  /** Address of the product. */
  base: string;
  /** API key for the call back; it needs webhooks:write. */
  key: string;
  /** The webhook's `whsec_…`. */
  secret: string;
}

/** Output 1: genuine and new, with the request to make; 2: the answer. */
const VERIFY = `
const answer = (statusCode, payload) => [null, { ...msg, statusCode, payload }];
const id = msg.req.headers['webhook-id'];
const timestamp = msg.req.headers['webhook-timestamp'];
const signatures = msg.req.headers['webhook-signature'];
if (!id || !timestamp || !signatures) return answer(401, { refused: 'unsigned' });
if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return answer(401, { refused: 'timestamp' });

const crypto = global.get('crypto');
const key = Buffer.from(env.get('WEBHOOK_SECRET').replace('whsec_', ''), 'base64');
const right = crypto.createHmac('sha256', key).update(id + '.' + timestamp + '.').update(msg.payload).digest();
const isRight = (signature) => {
  const [version, value = ''] = signature.split(',');
  const given = Buffer.from(value, 'base64');
  return version === 'v1' && given.length === right.length && crypto.timingSafeEqual(given, right);
};
if (!signatures.split(' ').some(isRight)) return answer(401, { refused: 'signature' });
if ((flow.get('handled') || []).includes(id)) return answer(200, { duplicate: id });

const event = JSON.parse(msg.payload);
msg.event = { id, type: event.type };
msg.url = env.get('FAIRLEAD') + '/api/v1/inspectors';
msg.headers = {
  authorization: 'Bearer ' + env.get('FAIRLEAD_KEY'),
  'content-type': 'application/json',
  'idempotency-key': id,
};
msg.payload = { name: event.type, metadata: { event_id: event.id } };
return [msg, null];
`;

/** An event counts as handled once the call back worked; else the delivery fails, and is tried again. */
const CONCLUDE = `
const { event, statusCode, payload } = msg;
if (statusCode !== 201) return { ...msg, headers: {}, statusCode: 502, payload: { callback: statusCode } };
flow.set('handled', [...(flow.get('handled') || []), event.id]);
return { ...msg, headers: {}, statusCode: 200, payload: { handled: event.id, type: event.type, made: payload.id } };
`;

/** The flow's nodes, for POST /flows of the Admin API. */
export function webhookFlow({ base, key, secret }: FlowSettings): FlowNode[] {
  const setting = (name: string, value: string) => ({ name, value, type: 'str' });
  const node = (id: string, type: string, wires: string[][], properties: object): FlowNode => ({
    id,
    type,
    z: 'tab',
    x: 0,
    y: 0,
    wires,
    ...properties,
  });
  return [
    {
      id: 'tab',
      type: 'tab',
      label: 'Fairlead',
      env: [setting('FAIRLEAD', base), setting('FAIRLEAD_KEY', key), setting('WEBHOOK_SECRET', secret)],
    },
    // Without body parsing the payload is the bytes that were signed.
    node('in', 'http in', [['verify']], { url: HOOK, method: 'post', skipBodyParsing: true }),
    node('verify', 'function', [['call'], ['out']], { func: VERIFY, outputs: 2 }),
    node('call', 'http request', [['conclude']], { method: 'POST', ret: 'obj', senderr: false }),
    node('conclude', 'function', [['out']], { func: CONCLUDE, outputs: 1 }),
    node('out', 'http response', [], { statusCode: '' }),
  ];
}
