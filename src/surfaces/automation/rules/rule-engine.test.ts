import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type RuleWorld, startRules } from '../../../../test/support/automation/rules.ts';

let world: RuleWorld;
let receiver: Server;
let address: string;
const calls: { headers: IncomingHttpHeaders; body: string }[] = [];
/** Response of the receiver and its delay. */
let answer: { status: number; body: string } | null = null;
const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({ headers: request.headers, body });
    if (answer) response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  world = await startRules({ EGRESS_ALLOW: '127.0.0.1' });
});
beforeEach(() => {
  calls.length = 0;
  answer = { status: 200, body: '{"ok":true}' };
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await world.app.stop();
});

const send = (template: string, fields: object = {}) => ({
  type: 'send_message',
  instance_id: world.instance,
  to: 'alice',
  template,
  ...fields,
});
const end = (rule: string) => world.call(`/rules/${rule}`, undefined, 'DELETE');
const getStats = async (rule: string) => (await world.call(`/rules/${rule}`)).body.stats;

describe('a rule', () => {
  test('does its steps in order, each seeing what those before gave, and tells of it', async () => {
    const rule = await world.rule(
      ['link.created'],
      [
        {
          type: 'ask_model',
          name: 'idea',
          model: 'fairlead/echo',
          prompt: 'about {{ event.data.object.slug }}',
        },
        { type: 'call_webhook', name: 'tell', url: address, body: '{"idea":"{{ steps.idea.text }}"}' },
        {
          type: 'create_link',
          name: 'short',
          url: 'https://example.org/?ok={{ steps.tell.body.ok }}',
          tags: ['rules'],
        },
        send('{{ steps.short.short_url }} for {{ steps.idea.text }}', { when: 'steps.tell.status == 200' }),
        send('never', { name: 'never', when: 'steps.tell.status == 500' }),
      ],
      { filter: 'event.data.object.slug contains "steps"' },
    );
    await world.link({ slug: 'other' });
    const link = await world.link({ slug: 'steps' });
    const [run] = await world.settled(rule, 1);
    expect(run).toMatchObject({ status: 'succeeded', error: null, event_type: 'link.created', chain: [] });
    expect(run.steps.map(({ status }: { status: string }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'succeeded',
      'skipped',
    ]);
    expect(run.steps[0].output).toEqual({ text: 'about steps', reasoning: null });
    expect(run.steps[1].output).toEqual({ status: 200, body: { ok: true } });
    const made = run.steps[2].output;
    expect(made).toMatchObject({ url: 'https://example.org/?ok=true' });
    expect((await world.call(`/links/${made.id}`)).body).toMatchObject({
      created_by: rule,
      short_url: made.short_url,
    });
    const { body: message } = await world.call(`/messages/${run.steps[3].output.message_id}`);
    expect(message).toMatchObject({ source: 'rule', created_by: rule });
    expect(message.text.body).toBe(`${made.short_url} for about steps`);
    await world.quiet();
    const { body: events } = await world.call('/events?type=rule.run&limit=100');
    const told = events.data.filter(
      ({ data }: { data: { object: { id: string } } }) => data.object.id === run.id,
    );
    expect(told).toMatchObject([
      { caused_by: [rule], data: { object: { status: 'succeeded', rule_id: rule } } },
    ]);
    // Events of objects that the rule created count as caused by it, including later reports of the channel.
    const delivered = await vi.waitFor(async () => {
      const { body } = await world.call(`/events?type=message.delivered&resource_id=${message.id}`);
      expect(body.data).toHaveLength(1);
      return body.data[0];
    }, PATIENCE);
    expect(delivered.caused_by).toEqual([rule]);
    const { body: first } = await world.call(`/events?type=link.created&resource_id=${link}`);
    expect(first.data[0].caused_by).toBeNull();
    // The link that it made started it again, which was not let happen for its filter alone.
    expect(await getStats(rule)).toMatchObject({ matched: 1, succeeded: 1, stopped: 0, failed: 0 });
    await end(rule);
  });

  test('calls with what is secret, signed, under an ID that stays; nothing of it is shown anywhere', async () => {
    const rule = await world.rule(
      ['link.created'],
      [
        {
          type: 'call_webhook',
          name: 'hook',
          url: address,
          headers: { Authorization: 'Bearer their-token' },
          secret: SECRET,
        },
      ],
    );
    answer = { status: 503, body: 'later' };
    const link = await world.link();
    const [waiting] = await vi.waitFor(async () => {
      const runs = await world.runs(rule);
      expect(runs[0]?.steps[0]).toMatchObject({ status: 'pending', tries: 1, error: { code: 'status' } });
      return runs;
    }, PATIENCE);
    expect(waiting.status).toBe('running');
    answer = { status: 200, body: 'x'.repeat(10_000) };
    await world.hurry();
    const [run] = await world.settled(rule, 1);
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ tries: 2 }] });
    expect(run.steps[0].output.body).toBe('x'.repeat(4_096));
    expect(calls).toHaveLength(2);
    const id = `${run.id}_hook`;
    for (const { headers, body } of calls) {
      expect(headers).toMatchObject({
        'idempotency-key': id,
        'webhook-id': id,
        authorization: 'Bearer their-token',
      });
      const event = new Webhook(SECRET).verify(body, headers as Record<string, string>) as {
        type: string;
        data: { object: object };
      };
      expect(event).toMatchObject({ type: 'link.created', data: { object: { id: link } } });
    }
    const everything = JSON.stringify([
      await world.rows('select * from rule_runs'),
      await world.rows('select * from events'),
      await world.rows('select actions from rules'),
      world.app.logged,
    ]);
    expect(everything).not.toContain('their-token');
    expect(everything).not.toContain(SECRET.slice(6));
    await end(rule);
  });

  test('gives up what no other try can change, and says why', async () => {
    const rejected = await world.rule(
      ['link.created'],
      [{ type: 'call_webhook', url: address }, send('after')],
    );
    answer = { status: 400, body: 'no' };
    await world.link();
    const [run] = await world.settled(rejected, 1);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'status' } });
    expect(run.steps).toMatchObject([
      { status: 'failed', tries: 1 },
      { status: 'pending', tries: 0 },
    ]);
    await end(rejected);
    const wrong = await world.rule(
      ['link.created'],
      [send('x', { to: '{{ event.data.object.external_id }}' })],
    );
    await world.link();
    expect((await world.settled(wrong, 1))[0]).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed' }],
    });
    expect(await getStats(wrong)).toMatchObject({ failed: 1, matched: 1, succeeded: 0 });
    await end(wrong);
    await world.quiet();
    const { body } = await world.call('/events?type=rule.failed&limit=100');
    expect(
      body.data.map(({ data }: { data: { object: { rule_id: string } } }) => data.object.rule_id),
    ).toEqual(expect.arrayContaining([rejected, wrong]));
  });

  test('fails after its last try; a stop of the account passes', async () => {
    const rule = await world.rule(['link.created'], [{ type: 'call_webhook', url: address }]);
    answer = { status: 500, body: '' };
    await world.link();
    for (let tries = 1; tries <= 3; tries++) {
      await vi.waitFor(async () => expect((await world.runs(rule))[0]?.steps[0].tries).toBe(tries), PATIENCE);
      await world.hurry();
    }
    expect((await world.settled(rule, 1))[0]).toMatchObject({ status: 'failed', steps: [{ tries: 4 }] });
    await end(rule);
    const sender = await world.rule(['link.created'], [send('at last')]);
    await world.call(`/instances/${world.instance}/disconnect`, undefined, 'POST');
    await world.link();
    await vi.waitFor(
      async () => expect((await world.runs(sender))[0]?.steps[0].error?.code).toBe('instance_disconnected'),
      PATIENCE,
    );
    await world.call(`/instances/${world.instance}/connect`, undefined, 'POST');
    await vi.waitFor(
      async () => expect((await world.call(`/instances/${world.instance}`)).body.state).toBe('connected'),
      PATIENCE,
    );
    await world.hurry();
    expect((await world.settled(sender, 1))[0]).toMatchObject({ status: 'succeeded', steps: [{ tries: 2 }] });
    expect((await world.sent()).filter((text) => text === 'at last')).toHaveLength(1);
    await end(sender);
  });

  test('that is disabled or deleted cancels what waits', async () => {
    answer = { status: 500, body: '' };
    const disabled = await world.rule(
      ['link.created'],
      [{ type: 'call_webhook', url: address }, send('never')],
    );
    const deleted = await world.rule(
      ['link.created'],
      [{ type: 'call_webhook', url: address }, send('never')],
    );
    await world.link();
    for (const rule of [disabled, deleted])
      await vi.waitFor(async () => expect((await world.runs(rule))[0]?.steps[0].tries).toBe(1), PATIENCE);
    await world.call(`/rules/${disabled}`, { enabled: false }, 'PATCH');
    expect((await world.settled(disabled, 1))[0]).toMatchObject({ status: 'canceled', error: null });
    await end(deleted);
    await vi.waitFor(async () => {
      const rows = await world.rows("select status from rule_runs where status in ('running', 'canceled')");
      expect(rows.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    }, PATIENCE);
    expect(await world.rows('select from rule_queue')).toEqual([]);
    expect(await world.sent()).not.toContain('never');
    await end(disabled);
  });

  test('runs again for an event when somebody asks', async () => {
    const rule = await world.rule(['link.created'], [send('again {{ event.data.object.slug }}')]);
    await world.link({ slug: 'replayed' });
    const [first] = await world.settled(rule, 1);
    const { status, body } = await world.call(`/rule-runs/${first.id}/replay`, undefined, 'POST');
    expect(status).toBe(202);
    const [second] = await world.settled(rule, 2);
    expect(second).toMatchObject({ id: body.run_id, replay_of: first.id, status: 'succeeded' });
    expect((await world.sent()).filter((text) => text === 'again replayed')).toHaveLength(2);
    await end(rule);
  });

  test('that subscribes to what is made on demand gets it made', async () => {
    const rule = await world.rule(['link.clicked'], [send('clicked {{ event.data.object.slug }}')]);
    await world.link({ slug: 'wanted' });
    await fetch(`${world.app.base}/wanted`, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
    });
    await world.settled(rule, 1);
    expect(await world.sent()).toContain('clicked wanted');
    await end(rule);
  });

  test('keeps the order of what happens to one object, and holds up no other workspace by slow calls', async () => {
    const other = await startRules({}, world.app);
    answer = null; // never
    const slow = await world.rule(['link.created'], [{ type: 'call_webhook', url: address }]);
    for (let n = 0; n < 30; n++) await world.link();
    await vi.waitFor(() => expect(calls.length).toBeGreaterThanOrEqual(20), PATIENCE);
    const rule = await other.rule(
      ['link.*'],
      [
        {
          type: 'send_message',
          instance_id: other.instance,
          to: 'bob',
          template: '{{ event.data.object.title }}',
        },
      ],
    );
    const link = await other.link({ title: '0' });
    for (let n = 1; n < 12; n++) await other.call(`/links/${link}`, { title: `${n}` }, 'PATCH');
    await other.settled(rule, 12);
    expect(await other.sent()).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`));
    expect((await world.runs(slow)).every(({ status }) => status === 'running')).toBe(true);
    receiver.closeAllConnections();
    await end(slow);
  });

  test('ends with its workspace', async () => {
    const gone = await startRules({}, world.app);
    const waiting = () =>
      world.rows('select from rule_queue where workspace_id = $1', [
        toUuid('workspace', gone.home.workspace),
      ]);
    answer = { status: 500, body: '' };
    await gone.rule(['link.created'], [{ type: 'call_webhook', url: address }]);
    await gone.link();
    await vi.waitFor(async () => expect(await waiting()).not.toEqual([]), PATIENCE);
    const { owner, workspace } = gone.home;
    const { slug } = (await owner.call('/me', { workspace })).body.workspace;
    const { status } = await owner.call(`/workspaces/${workspace}?slug=${slug}`, {
      workspace,
      method: 'DELETE',
    });
    expect(status).toBe(204);
    expect(await waiting()).toEqual([]);
  });
});
