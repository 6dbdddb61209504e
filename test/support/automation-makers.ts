/** What makers.ts has for automation. The tools are given, so that the two files don't need each other. */
import { ID_PREFIXES, newUuid, publicId, uuidOf } from '../../src/http/ids.ts';
import type { TestApp } from '../../src/testing/test-app.ts';

interface Place {
  slug: string;
  workspace: string;
}

interface Tools<Home extends Place> {
  callAsOwner(home: Home, path: string, body?: unknown, method?: string): Promise<{ id: string }>;
  /** Id of an event of the workspace, once it stands in the log. */
  firstEvent(app: TestApp, home: Home): Promise<string>;
  /** An instance that takes messages. */
  layConnected(app: TestApp, home: Home): Promise<string>;
}

export function automationMakers<Home extends Place>({ callAsOwner, firstEvent, layConnected }: Tools<Home>) {
  /** For an event that hardly comes. */
  const ruleBody = ({ slug }: Home) => ({
    name: `${slug} rule`,
    events: ['invitation.revoked'],
    actions: [{ type: 'ask_model', model: 'fairlead/echo', prompt: 'Hello' }],
  });
  const makeRule = async (_app: TestApp, home: Home): Promise<string> =>
    (await callAsOwner(home, '/rules', ruleBody(home))).id;
  /** One that was stopped, of a rule that is there: nothing has to happen for it. */
  const layRun = async (app: TestApp, home: Home): Promise<string> => {
    const rule = uuidOf('rule', await makeRule(app, home));
    const event = uuidOf('event', await firstEvent(app, home));
    const id = newUuid();
    await app.database.pool.query(
      `insert into rule_runs (workspace_id, id, rule_id, event_id, event_type, event_sequence, status, definition,
         error_code, error_detail, finished_at, created_at, updated_at)
       select workspace_id, $2, $3, id, type, sequence, 'stopped', '{"filter": null, "actions": []}',
         'loop', 'The rule caused this event itself.', now(), now(), now()
       from events where workspace_id = $1 and id = $4`,
      [uuidOf('workspace', home.workspace), id, rule, event],
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
  return {
    makers: {
      [ID_PREFIXES.publishing_endpoint]: (app: TestApp, home: Home) => makeEndpoint(app, home),
      [ID_PREFIXES.rule]: makeRule,
      [ID_PREFIXES.rule_run]: layRun,
    },
    objects: {
      'publications.publish': (app: TestApp, home: Home) =>
        makeEndpoint(app, home, { auth: { type: 'bearer' } }),
    },
    inputs: {
      'publishing_endpoints.create': async (app: TestApp, home: Home) => ({
        body: await endpointBody(app, home),
      }),
      'rules.create': async (_app: TestApp, home: Home) => ({ body: ruleBody(home) }),
      'rules.test_definition': async (_app: TestApp, home: Home) => ({
        body: { events: ruleBody(home).events, actions: ruleBody(home).actions },
      }),
    },
  };
}
