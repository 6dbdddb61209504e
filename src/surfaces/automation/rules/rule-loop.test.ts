import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type RuleWorld, startRules } from '../../../../test/support/automation/rules.ts';

let world: RuleWorld;

beforeAll(async () => {
  world = await startRules();
});
afterAll(() => world.app.stop());

const send = (template: string, fields: object = {}) => ({
  type: 'send_message',
  instance_id: world.instance,
  to: 'alice',
  template,
  ...fields,
});
const end = (...rules: string[]) =>
  Promise.all(rules.map((rule) => world.call(`/rules/${rule}`, undefined, 'DELETE')));
const getStats = async (rule: string) => (await world.call(`/rules/${rule}`)).body.stats;
const sentAs = async (text: string) => (await world.sent()).filter((one) => one === text).length;
/** A message that no rule has sent. */
const say = (body: string) =>
  world.call('/messages', { instance_id: world.instance, to: 'alice', type: 'text', text: { body } });
const getFailed = async (rule: string) =>
  (await world.call('/events?type=rule.failed&limit=100')).body.data.filter(
    ({ data }: { data: { object: { rule_id: string } } }) => data.object.rule_id === rule,
  );
/** Events of a workspace come to rest: the same count three times in a row. */
async function atRest(): Promise<number> {
  let last = -1;
  let same = 0;
  await vi.waitFor(
    async () => {
      await world.quiet();
      const [{ count }] = await world.rows(
        'select last_sequence as count from workspace_sequences where workspace_id = $1',
        [toUuid('workspace', world.home.workspace)],
      );
      same = count === last ? same + 1 : 0;
      last = count;
      if (same < 4) throw new Error('something happens still');
    },
    { ...PATIENCE, interval: 250 },
  );
  return last;
}

describe('the loop guard', () => {
  test('stops a rule that is started by the message that it sent', async () => {
    // A receipt may overtake the acknowledgement, and then there is no message.sent (docs/messages.md).
    const rule = await world.rule(['message.delivered'], [send('one')]);
    await say('begin');
    const runs = await world.settled(rule, 2);
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['stopped', 'succeeded']);
    expect(runs[0]).toMatchObject({ error: { code: 'loop' }, chain: [rule], steps: [] });
    await atRest();
    expect(await sentAs('one')).toBe(1);
    expect(await getStats(rule)).toMatchObject({ matched: 1, stopped: 1, last_stopped_as: 'loop' });
    expect(await getFailed(rule)).toMatchObject([
      {
        caused_by: [rule, rule],
        data: { object: { id: runs[0].id, status: 'stopped', error: { code: 'loop' } } },
      },
    ]);
    await end(rule);
  });

  test('stops two rules that cause each other, by way of a message and a link', async () => {
    const maker = await world.rule(
      ['message.queued'],
      [{ type: 'create_link', url: 'https://example.com/made' }],
      {
        filter: 'event.data.object.text.body != "unwatched"',
      },
    );
    const teller = await world.rule(['link.created'], [send('ping {{ event.data.object.short_url }}')]);
    await world.link();
    const made = await world.settled(maker, 1);
    const told = await world.settled(teller, 2);
    expect(made).toMatchObject([{ status: 'succeeded', chain: [teller] }]);
    expect(told).toMatchObject([
      { status: 'stopped', error: { code: 'loop' }, chain: [teller, maker] },
      { status: 'succeeded', chain: [] },
    ]);
    await atRest();
    expect((await world.sent()).filter((text) => text.startsWith('ping'))).toHaveLength(1);
    await end(maker, teller);
  });

  test('stops a long row of rules by its depth, of which a rule that watches for failures is told', async () => {
    const row: string[] = [];
    for (let nth = 0; nth < 6; nth++)
      row.push(
        await world.rule(
          ['link.created'],
          [{ type: 'create_link', url: 'https://example.com/', slug: `row-${nth + 1}` }],
          { filter: `event.data.object.slug == "row-${nth}"` },
        ),
      );
    const watcher = await world.rule(['rule.failed'], [send('alarm {{ event.data.object.error.code }}')]);
    await world.link({ slug: 'row-0' });
    const [last] = await world.settled(row[5]!, 1);
    expect(last).toMatchObject({ status: 'stopped', error: { code: 'depth' }, chain: row.slice(0, 5) });
    await world.settled(watcher, 1);
    await atRest();
    expect(await sentAs('alarm depth')).toBe(1);
    expect((await world.call('/links?search=row-6')).body.data).toEqual([]);
    await end(...row, watcher);
  });

  test('lets rules on everything, and on what rules do, come to rest', async () => {
    // By the guard alone: their rate is as good as none.
    const everything = await world.rule(['*'], [send('all')]);
    const reports = await world.rule(['rule.*'], [send('report')]);
    await world.link();
    await atRest();
    for (const rule of [everything, reports]) {
      const runs = await world.rows('select status, error_code, chain from rule_runs where rule_id = $1', [
        toUuid('rule', rule),
      ]);
      const stopped = runs.filter(({ status }) => status === 'stopped');
      expect(stopped.length).toBeLessThanOrEqual(40);
      // Its own reports never start it: no chain of a run that was begun holds the rule itself.
      for (const { status, chain } of runs)
        if (status !== 'stopped') expect(JSON.stringify(chain ?? [])).not.toContain(rule);
    }
    expect(await world.rows('select from rule_queue')).toEqual([]);
    await end(everything, reports);
  });

  test('leaves what people answer to the rate, which stops it for all to see', async () => {
    // The contact at the other end answers whenever it is asked for help: no rule causes that, so nothing is known by its chain.
    await world.call(`/instances/${world.instance}`, { settings: { replies: true } }, 'PATCH');
    const rule = await world.rule(
      ['message.received'],
      [send('help', { to: '{{ event.data.object.from }}' })],
      { rate_limit: { limit: 1, burst: 3 } },
    );
    await say('hello');
    await vi.waitFor(async () => {
      const stats = await getStats(rule);
      expect(stats.succeeded).toBeGreaterThanOrEqual(3);
      expect(stats).toMatchObject({ last_stopped_as: 'rate_limited' });
    }, PATIENCE);
    await world.call(`/instances/${world.instance}`, { settings: { replies: false } }, 'PATCH');
    const [failed] = await getFailed(rule);
    expect(failed).toMatchObject({ data: { object: { error: { code: 'rate_limited' } } } });
    // One more in each minute that this takes.
    expect(await sentAs('help')).toBeLessThanOrEqual(5);
    await end(rule);
    await atRest();
  });

  test('is not started by an echo of its own message', async () => {
    await world.call(`/instances/${world.instance}`, { settings: { replies: true } }, 'PATCH');
    const rule = await world.rule(
      ['message.received'],
      [send('and you?', { to: '{{ event.data.object.from }}' })],
    );
    for (const sent of [1, 2]) {
      await say('help');
      await vi.waitFor(async () => expect(await sentAs('and you?')).toBe(sent), PATIENCE);
    }
    await atRest();
    expect(await sentAs('and you?')).toBe(2);
    await world.call(`/instances/${world.instance}`, { settings: { replies: false } }, 'PATCH');
    await end(rule);
  });

  test('counts a flood of stops, and tells of twenty in a minute', async () => {
    const rule = await world.rule(['link.created'], [send('flood')], { rate_limit: { limit: 1, burst: 1 } });
    const before = await atRest();
    await world.call('/links/bulk', {
      links: Array.from({ length: 400 }, (_, nth) => ({ url: `https://example.com/${nth}` })),
    });
    await vi.waitFor(async () => {
      const { stopped, succeeded } = await getStats(rule);
      expect(stopped + succeeded).toBe(400);
    }, PATIENCE);
    const after = await atRest();
    // One more in each minute that this takes, and twenty stops in each.
    expect(await sentAs('flood')).toBeLessThanOrEqual(3);
    const told = (await getFailed(rule)).length;
    expect(told).toBeGreaterThanOrEqual(20);
    expect(told).toBeLessThanOrEqual(60);
    const rows = await world.rows("select from rule_runs where rule_id = $1 and status = 'stopped'", [
      toUuid('rule', rule),
    ]);
    expect(rows).toHaveLength(told);
    // 400 links, the stops, and what runs did with their messages.
    expect(after - before).toBeLessThan(400 + 60 + 40);
    await end(rule);
  });
});
