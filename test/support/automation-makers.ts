/** What makers.ts has for automation. The tools are given, so that the two files don't need each other. */
import { ID_PREFIXES } from '../../src/http/ids.ts';
import type { TestApp } from '../../src/testing/test-app.ts';

interface Tools<Home extends { slug: string }> {
  callAsOwner(home: Home, path: string, body?: unknown, method?: string): Promise<{ id: string }>;
  /** An instance that takes messages. */
  layConnected(app: TestApp, home: Home): Promise<string>;
}

export function automationMakers<Home extends { slug: string }>({ callAsOwner, layConnected }: Tools<Home>) {
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
    makers: { [ID_PREFIXES.publishing_endpoint]: (app: TestApp, home: Home) => makeEndpoint(app, home) },
    objects: {
      'publications.publish': (app: TestApp, home: Home) =>
        makeEndpoint(app, home, { auth: { type: 'bearer' } }),
    },
    inputs: {
      'publishing_endpoints.create': async (app: TestApp, home: Home) => ({
        body: await endpointBody(app, home),
      }),
    },
  };
}
