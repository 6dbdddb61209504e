/**
 * Tests the files for other tools: their content, and that it works. Node-RED itself is in
 * test/journeys/integrations-node-red.test.ts.
 */
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../vocabulary/event-catalog.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { LOOP_GUARD_SOURCE } from './loop-guard.ts';
import { n8nWorkflow } from './n8n-workflow.ts';
import { VERIFY_SOURCE } from './verify-source.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- files of other tools
type Json = any;

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** A `message.received` event. */
let received: Json;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  received = (await get('/event-types/message.received')).body.sample;
});
afterAll(() => app?.stop());

const get = (path: string) => app.call(path, { key: home.key });
const file = async (id: string, query = ''): Promise<Json> => {
  const answer = await get(`/integrations/${id}${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

test('are listed with how they are imported', async () => {
  const { status, body } = await get('/integrations');
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'list', has_more: false });
  expect(body.data.map(({ id }: Json) => id)).toEqual(['node_red', 'n8n', 'postman']);
  for (const { steps, tools } of body.data) {
    expect(steps.length).toBeGreaterThan(1);
    expect(tools.length).toBeGreaterThan(0);
  }
});

test.each(['node_red', 'n8n', 'postman'])(
  '%s comes as a file with the address of this server, and without any key',
  async (id) => {
    const answer = await get(`/integrations/${id}`);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="fairlead-/);
    const text = JSON.stringify(answer.body);
    expect(text).toContain(app.base);
    expect(text).not.toContain(home.key);
    const again = await app.call(`/integrations/${id}`, {
      key: home.key,
      headers: { 'if-none-match': answer.headers.get('etag')! },
    });
    expect(again).toHaveStatus(304);
  },
);

test('an unknown file is none, and an unknown event type is told', async () => {
  expect(await get('/integrations/zapier')).toHaveStatus(404);
  const { status, body } = await get('/integrations/n8n?events=message.received,message.recieved');
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { pointer: '?events', code: 'unknown_event_type', detail: expect.stringContaining('message.recieved') },
  ]);
  expect((await get('/integrations/n8n?events=*')).body.errors[0].code).toBe('too_many');
});

test('BASE_URL, where it is set, is the address', async () => {
  const other = await startTestApp({ BASE_URL: 'https://fairlead.example.com' }, app);
  try {
    const { body } = await other.call('/integrations/postman', {
      key: home.key,
      headers: { host: 'fairlead.example.com' },
    });
    // `fetch` sends its own Host, which such a server does not answer to.
    expect(body).toHaveStatus(421);
    const injected = await other.app.server.inject({
      url: '/api/v1/integrations/postman',
      headers: { authorization: `Bearer ${home.key}`, host: 'fairlead.example.com:3000' },
    });
    expect(injected.json().variable[0].value).toBe('https://fairlead.example.com');
  } finally {
    await other.app.stop();
  }
});

describe('the script that verifies', () => {
  const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const ID = 'evt_01h2xcejqtf2nbrexx3vqjhp41';
  // oxlint-disable-next-line typescript/no-implied-eval -- as the tools do
  const verify = new Function(`${VERIFY_SOURCE}; return verify;`)() as (
    secret: string,
    headers: Record<string, string>,
    body: Buffer,
    now: number,
  ) => string | null;
  const signed = (body: string, secret = SECRET, at = new Date()) => ({
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  });

  test.each([0, 1, 20, 21, 55, 56, 63, 64, 65, 119, 120, 1000, 300_000])(
    'takes what the library signed, of %i characters',
    (length) => {
      const body = 'ä'.repeat(length);
      expect(verify(SECRET, signed(body), Buffer.from(body), Date.now())).toBeNull();
      expect(verify(SECRET, signed(body), Buffer.from(`${body} `), Date.now())).toBe('signature');
    },
  );

  test('takes keys longer than a block, and one of two signatures', () => {
    const long = `whsec_${Buffer.alloc(64, 7).toString('base64')}`;
    expect(verify(long, signed('{}', long), Buffer.from('{}'), Date.now())).toBeNull();
    const headers = signed('{}');
    headers['webhook-signature'] = `v1,AAAA v2,x ${headers['webhook-signature']}`;
    expect(verify(SECRET, headers, Buffer.from('{}'), Date.now())).toBeNull();
  });

  test.each([
    ['another id', { 'webhook-id': 'evt_other' }, 'signature'],
    ['another time', { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) }, 'signature'],
    ['no number as time', { 'webhook-timestamp': 'now' }, 'timestamp'],
    ['no signature', { 'webhook-signature': '' }, 'unsigned'],
    ['an empty signature', { 'webhook-signature': 'v1,' }, 'signature'],
    [
      'half a signature',
      { 'webhook-signature': signed('{}')['webhook-signature'].slice(0, 20) },
      'signature',
    ],
  ])('refuses %s', (_name, change, refused) => {
    expect(verify(SECRET, { ...signed('{}'), ...change }, Buffer.from('{}'), Date.now())).toBe(refused);
  });

  test('refuses what is old, what is from the future, and everything while it has no secret', () => {
    for (const minutes of [-6, 6])
      expect(
        verify(
          SECRET,
          signed('{}', SECRET, new Date(Date.now() + minutes * 60_000)),
          Buffer.from('{}'),
          Date.now(),
        ),
      ).toBe('timestamp');
    for (const none of ['', 'whsec_', undefined as never])
      expect(verify(none, signed('{}'), Buffer.from('{}'), Date.now())).toBe('secret');
  });
});

describe('the loop guard', () => {
  // oxlint-disable-next-line typescript/no-implied-eval -- as the tools do
  const guard = new Function(`${LOOP_GUARD_SOURCE}; return guard;`)();
  const isLoop = (event: Json): boolean => guard(event, undefined, 0).isLoop;
  const withMessage = (part: object): Json => ({
    ...received,
    data: { object: { ...received.data.object, ...part } },
  });

  test('passes a message of a person, and stops one of a program or a rule', () => {
    expect(isLoop(received)).toBe(false);
    for (const automatic of ['auto_replied', 'auto_generated', 'list'])
      expect(isLoop(withMessage({ automatic }))).toBe(true);
    expect(isLoop(withMessage({ direction: 'outbound' }))).toBe(true);
    expect(isLoop({ ...received, caused_by: ['rul_1'] })).toBe(true);
    const erased = { id: 'msg_1', object: 'message', erased: true };
    expect(isLoop({ ...received, data: { object: erased } })).toBe(true);
  });

  test('stops the sixth message of a chat within a minute, and of no other chat', () => {
    let state: unknown;
    const passes = (now: number, event = received): boolean => {
      const { isLoop: stops, started } = guard(event, state, now);
      state = started;
      return !stops;
    };
    expect([0, 1, 2, 3, 4, 5, 59_999].map((now) => passes(now))).toEqual([
      ...Array.from({ length: 5 }, () => true),
      false,
      false,
    ]);
    expect(passes(59_999, withMessage({ chat: { id: 'chat_2', kind: 'direct' } }))).toBe(true);
    expect(passes(60_000)).toBe(true);
  });
});

describe('the n8n workflow', () => {
  /** Parameters that each node must have at the version that it names, as n8n documents them. */
  const NODES: Record<string, { versions: number[]; parameters: string[] }> = {
    webhook: { versions: [2], parameters: ['httpMethod', 'path', 'responseMode', 'options'] },
    code: { versions: [2], parameters: ['mode', 'language', 'jsCode'] },
    if: { versions: [2.2], parameters: ['conditions', 'options'] },
    switch: { versions: [3.2], parameters: ['mode', 'rules', 'options'] },
    respondToWebhook: { versions: [1.1], parameters: ['respondWith', 'responseBody', 'options'] },
    httpRequest: {
      versions: [4.2],
      parameters: [
        'method',
        'url',
        'authentication',
        'genericAuthType',
        'sendBody',
        'contentType',
        'specifyBody',
        'jsonBody',
        'options',
      ],
    },
    noOp: { versions: [1], parameters: [] },
    manualTrigger: { versions: [1], parameters: [] },
    stickyNote: { versions: [1], parameters: ['content', 'height', 'width'] },
  };

  test('has nodes as n8n knows them, joined by their names', async () => {
    const workflow = await file('n8n');
    expect(workflow).toMatchObject({ active: false, settings: { executionOrder: 'v1' } });
    const names = workflow.nodes.map(({ name }: Json) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { type, typeVersion, parameters, position, id } of workflow.nodes) {
      const known = NODES[type.replace('n8n-nodes-base.', '')];
      expect(known?.versions, type).toContain(typeVersion);
      expect(Object.keys(parameters).sort()).toEqual([...known!.parameters].sort());
      expect(position).toEqual([expect.any(Number), expect.any(Number)]);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    const reached = new Set(['Fairlead events', 'Try it', 'Steps']);
    for (const [from, { main }] of Object.entries<Json>(workflow.connections)) {
      expect(names).toContain(from);
      for (const { node, type, index } of main.flat()) {
        expect([node, type, index]).toEqual([expect.toBeOneOf(names), 'main', 0]);
        reached.add(node);
      }
    }
    expect([...reached].sort()).toEqual([...names].sort());
    // No credential is named: n8n asks which one to use.
    expect(workflow.nodes.some(({ credentials }: Json) => credentials)).toBe(false);
  });

  test('has the members that n8n import:workflow needs, and an ID of its own for each server', async () => {
    // n8n stores the file's members: ID (a primary key, varchar(36)), name, active, nodes and connections can't be null.
    const { id, name, active, nodes, connections } = await file('n8n');
    expect(id).toMatch(/^[\w-]{16,36}$/);
    expect([name, active]).toEqual(['Fairlead', false]);
    expect([Array.isArray(nodes), typeof connections]).toEqual([true, 'object']);
    expect(n8nWorkflow({ origin: 'https://other.example', types: [] })['id']).not.toBe(id);
  });

  test('publishes a received message only past its loop guard, once that is enabled', async () => {
    const { nodes, connections } = await file('n8n');
    const named = (name: string) => nodes.find((node: Json) => node.name === name);
    const into = (name: string) =>
      Object.keys(connections).filter((from) =>
        connections[from].main.flat().some(({ node }: Json) => node === name),
      );
    expect(into('Publish the message')).toEqual(['Not a loop']);
    expect(into('Not a loop')).toEqual(['message.received']);
    expect(named('Publish the message').disabled).toBe(true);

    const data = {};
    // oxlint-disable-next-line typescript/no-implied-eval -- as n8n does
    const run = new Function('$input', '$getWorkflowStaticData', named('Not a loop').parameters.jsCode);
    const items = [{ json: { event: received } }];
    const passed = Array.from({ length: 7 }, () => run({ all: () => items }, () => data).length);
    expect(passed).toEqual([1, 1, 1, 1, 1, 0, 0]);
    const without = await file('n8n', '?events=link.clicked');
    expect(without.nodes.map(({ name }: Json) => name)).not.toContain('Not a loop');
  });

  test.each(['?events=member.*,link.clicked', '?events=member.*&events=link.clicked'])(
    'has a branch for each type of %s, and one for the rest',
    async (query) => {
      const { nodes, connections } = await file('n8n', query);
      const members = EVENT_TYPES.filter((type) => type.startsWith('member.'));
      const wanted = nodes.find(({ name }: Json) => name === 'Which event');
      expect(wanted.parameters.rules.values.map(({ outputKey }: Json) => outputKey)).toEqual([
        ...members,
        'link.clicked',
      ]);
      expect(connections['Which event'].main.at(-1)).toEqual([
        { node: 'Other events', type: 'main', index: 0 },
      ]);
    },
  );

  test('verifies in its Code node', async () => {
    const { nodes } = await file('n8n');
    const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const { jsCode } = nodes.find(({ name }: Json) => name === 'Verify').parameters;
    const body = JSON.stringify({ id: 'evt_1', type: 'message.received' });
    const at = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    };
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    const run = async (code: string, bytes: string) => {
      const helpers = { getBinaryDataBuffer: async () => Buffer.from(bytes) };
      const $input = { all: () => [{ json: { headers } }] };
      return new AsyncFunction('$input', code).call({ helpers }, $input);
    };
    const filled = jsCode.replace("'whsec_'", `'${secret}'`);
    expect(await run(filled, body)).toEqual([{ json: { genuine: true, event: JSON.parse(body) } }]);
    expect(await run(filled, `${body} `)).toEqual([{ json: { genuine: false, refused: 'signature' } }]);
    expect(await run(jsCode, body)).toEqual([{ json: { genuine: false, refused: 'secret' } }]);
  });

  test('sends by the API as its HTTP Request node says', async () => {
    const { nodes } = await file('n8n');
    const { parameters } = nodes.find(({ name }: Json) => name === 'Send a message');
    expect(parameters.url).toBe(`${app.base}/api/v1/messages`);
    const response = await fetch(parameters.url, {
      method: parameters.method,
      headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
      body: parameters.jsonBody,
    });
    // All is in order but the instance, which is to be filled in.
    expect([response.status, ((await response.json()) as Json).errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/instance_id' })],
    ]);
  });
});
