/** What makers.ts has for automation. The tools are given, so that the two files don't need each other. */
import { ID_PREFIXES } from '../../src/core/vocabulary/nouns.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';
import type { TestApp } from './test-app.ts';
import { untilWithin } from './until.ts';

const until = untilWithin({ withinMs: 120_000, everyMs: 10 });

interface Place {
  slug: string;
  workspace: string;
}

interface Tools<Home extends Place> {
  callAsOwner(
    home: Home,
    path: string,
    body?: unknown,
    method?: string,
  ): Promise<{ id: string; data?: { id: string }[] }>;
  /** ID of an event of the workspace, once it stands in the log. */
  firstEvent(app: TestApp, home: Home): Promise<string>;
  /** An instance that takes messages. */
  layConnected(app: TestApp, home: Home): Promise<string>;
}

export function automationMakers<Home extends Place>({ callAsOwner, firstEvent, layConnected }: Tools<Home>) {
  /** For an event that hardly comes. */
  const ruleBody = (name: string) => ({
    name,
    events: ['invitation.revoked'],
    actions: [{ type: 'ask_model', model: 'fairlead/echo', prompt: 'Hello' }],
  });
  const makeRule = async (_app: TestApp, home: Home): Promise<string> =>
    (await callAsOwner(home, '/rules', ruleBody(`${home.slug} rule`))).id;
  /** One that was stopped, of the newest rule: nothing has to happen for it. */
  const layRun = async (app: TestApp, home: Home): Promise<string> => {
    const { data } = await callAsOwner(home, '/rules?limit=1');
    const rule = toUuid('rule', data?.[0]?.id ?? (await makeRule(app, home)));
    const event = toUuid('event', await firstEvent(app, home));
    const id = newUuid();
    await app.database.pool.query(
      `insert into rule_runs (workspace_id, id, rule_id, event_id, event_type, event_sequence, status, definition,
         error_code, error_detail, finished_at, created_at, updated_at)
       select workspace_id, $2, $3, id, type, sequence, 'stopped', '{"filter": null, "actions": []}',
         'loop', 'The rule caused this event itself.', now(), now(), now()
       from events where workspace_id = $1 and id = $4`,
      [toUuid('workspace', home.workspace), id, rule, event],
    );
    return publicId('rule_run', id);
  };
  const endpointBody = async (app: TestApp, home: Home) => ({
    name: `${home.slug} endpoint`,
    auth: { type: 'secret_url' },
    destinations: [
      { instance_id: await layConnected(app, home), to: 'alice', template: '{{ payload.title }}' },
    ],
  });
  const makeEndpoint = async (app: TestApp, home: Home, more: object = {}): Promise<string> =>
    (await callAsOwner(home, '/publishing-endpoints', { ...(await endpointBody(app, home)), ...more })).id;
  /** What comes through an endpoint of its own. */
  const publish = async (app: TestApp, home: Home, more: object): Promise<string> => {
    const endpoint = await makeEndpoint(app, home, { auth: { type: 'bearer' }, ...more });
    const { id } = await callAsOwner(home, `/publish/${endpoint}`, { title: 'Hello' });
    // It is counted, and kept as a sample, a moment later: nothing of it moves any more then.
    await until('a publication is noted', async () => {
      const { rowCount } = await app.database.pool.query(
        'select from publication_news where publication_id = $1',
        [toUuid('publication', id)],
      );
      return rowCount === 0;
    });
    return id;
  };
  return {
    makers: {
      [ID_PREFIXES.publishing_endpoint]: (app: TestApp, home: Home) => makeEndpoint(app, home),
      [ID_PREFIXES.publication]: (app: TestApp, home: Home) =>
        publish(app, home, { schedule: { delay_seconds: 86_400 } }),
      [ID_PREFIXES.rule]: makeRule,
      [ID_PREFIXES.rule_run]: layRun,
    },
    plainParameters: { 'integrations.get': 'node_red', 'webhook_kinds.get': 'slack' },
    objects: {
      'publications.publish': (app: TestApp, home: Home) =>
        makeEndpoint(app, home, { auth: { type: 'bearer' } }),
      // What waits is published yet.
      'publications.replay': (app: TestApp, home: Home) => publish(app, home, { filter: 'false' }),
    },
    inputs: {
      'publishing_endpoints.create': async (app: TestApp, home: Home) => ({
        body: await endpointBody(app, home),
      }),
      'publications.replay': async () => ({ body: { template: 'present' } }),
      'rules.create': async () => ({ body: ruleBody('A rule') }),
      'rules.test_definition': async () => {
        const { name: _name, ...body } = ruleBody('A rule');
        return { body };
      },
    },
  };
}
