import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidOf } from '../http/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../testing/test-app.ts';
import { eventsOf } from '../workspaces/testing.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp({ EGRESS_ALLOW: '127.0.0.1,localhost' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

let count = 0;
const freshUrl = () => `https://198.51.100.7/hook-${++count}`;
const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const create = async (body: object = {}) => {
  const answer = await call('/webhooks', { url: freshUrl(), events: ['member.*'], ...body });
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};

describe('create', () => {
  test('takes url and events alone, and shows the secret once', async () => {
    const { status, body, headers } = await call('/webhooks', {
      url: 'HTTPS://198.51.100.7:443',
      events: ['*'],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'webhook',
      url: 'https://198.51.100.7/',
      target_url: 'https://198.51.100.7/',
      events: ['*'],
      filters: { instance_id: null, link_id: null, tag: null },
      description: null,
      kind: 'custom',
      headers: {},
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      rate_limit: null,
      concurrency: 32,
      ordering: 'none',
      previous_secret_expires_at: null,
      metadata: {},
      created_by: home.keyId,
    });
    expect(body.id).toMatch(/^whk_/);
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(headers.get('etag')).toBe('"1"');
    const got = await call(`/webhooks/${body.id}`);
    expect(got.status).toBe(200);
    expect(got.headers.get('etag')).toBe('"1"');
    const { secret: _secret, ...shown } = body;
    expect(got.body).toEqual(shown);
  });
});
