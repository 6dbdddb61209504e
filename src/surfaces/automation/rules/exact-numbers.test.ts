/** Tests that numbers in responses to calls keep their digits in later steps and in the shown run. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RuleWorld, startRules } from '../../../../test/support/automation/rules.ts';

const ANSWER = '{"id": 8202522731445525542, "price": 10.00, "huge": 1e400, "text": "\\u0000"}';

let world: RuleWorld;
let receiver: Server;
let address: string;
let answer = ANSWER;
const received: string[] = [];
beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push(body);
    response.end(answer);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  world = await startRules({ EGRESS_ALLOW: '127.0.0.1' });
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await world.app.stop();
});

const message = (name: string, template: string, fields: object = {}) => ({
  type: 'send_message',
  name,
  instance_id: world.instance,
  to: 'alice',
  template,
  ...fields,
});
const ask = (name: string, body: string) => ({ type: 'call_webhook', name, url: address, body });

/** As text, which JSON.parse would change. */
async function read(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${world.home.key}` };
  return (await fetch(`${world.app.base}/api/v1${path}`, { headers })).text();
}

test('an answer is used, passed on and shown as it came', async () => {
  const rule = await world.rule(
    ['link.created'],
    [
      ask('first', '{"number": 8202522731445525543, "price": 1.50}'),
      message('never', 'never', { when: 'steps.first.body.id == 8202522731445525543' }),
      message('told', '{{ steps.first.body.id }} {{ steps.first.body.price }}', {
        when: 'steps.first.body.id == 8202522731445525542 and steps.first.body.huge > steps.first.body.id',
      }),
      ask('last', '{"whole": {{ steps.first.body | json }}, "id": {{ steps.first.body.id }}}'),
    ],
  );
  await world.link();
  const [run] = await world.settled(rule, 1);
  expect([run.status, run.error, run.steps.map(({ status }: { status: string }) => status)]).toEqual([
    'succeeded',
    null,
    ['succeeded', 'skipped', 'succeeded', 'succeeded'],
  ]);
  expect(await world.sent()).toEqual(['8202522731445525542 10.00']);
  expect(received).toEqual([
    '{"number":8202522731445525543,"price":1.50}',
    expect.stringMatching(
      /^{"whole":{"id":8202522731445525542,"price":10\.00,"huge":1(e400|0{400}),.*},"id":8202522731445525542}$/,
    ),
  ]);
  for (const path of [
    `/rule-runs/${run.id}`,
    `/rules/${rule}/runs`,
    `/rules/${rule}/runs?status=succeeded`,
  ]) {
    const shown = await read(path);
    expect(shown).toContain('"number":8202522731445525543');
    expect(shown).toContain('"id":8202522731445525542');
    expect(shown).toContain('"price":10.00');
    expect(shown).toContain(`"huge":1${'0'.repeat(400)}`);
  }
  await world.call(`/rules/${rule}`, undefined, 'DELETE');
});

test('an answer with a number that cannot be stored is text', async () => {
  answer = '{"id": 1e999999999}';
  const rule = await world.rule(
    ['link.created'],
    [ask('first', '{}'), message('told', '{{ steps.first.body }}')],
  );
  await world.link();
  const [run] = await world.settled(rule, 1);
  expect([run.status, run.steps[0].output]).toEqual(['succeeded', { status: 200, body: answer }]);
});
