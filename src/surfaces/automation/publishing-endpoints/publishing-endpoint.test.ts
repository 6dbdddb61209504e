import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startWorkspace } from '../../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../../test/support/workspaces.ts';
import {
  type EndpointsWorld,
  getErrors,
  toHash,
  MISSING,
  startEndpoints,
  tokenIn,
} from '../../../../test/support/automation/publishing-endpoints.ts';

let world: EndpointsWorld;

beforeAll(async () => {
  world = await startEndpoints({ WORKSPACE_LIMITS: 'publishing_endpoints=400' });
});
afterAll(() => world.app.stop());

describe('create', () => {
  test('takes what the example of the contract says, and shows the address once', async () => {
    const answer = await world.post();
    expect(answer).toHaveStatus(201);
    const { url, secret, ...shown } = answer.body;
    expect(secret).toBeNull();
    expect(url).toMatch(new RegExp(`^${world.app.config.baseUrl}/in/[A-Za-z0-9_-]{43}$`));
    expect(shown).toMatchObject({
      object: 'publishing_endpoint',
      name: 'Blog',
      auth: {
        type: 'secret_url',
        scheme: null,
        hmac: null,
        tolerance_seconds: null,
        previous_expires_at: null,
        url_last4: url.slice(-4),
      },
      destinations: [
        {
          instance_id: world.box,
          to: 'alice',
          contact_id: null,
          chat_id: null,
          group_id: null,
          type: 'text',
          template: 'New: {{ payload.title }}',
          media: null,
          file_name: null,
          subject: null,
        },
      ],
      filter: null,
      dedupe_key: null,
      schedule: null,
      shorten_links: false,
      allow_partial: false,
      success_status: 202,
      rate_limit: null,
      enabled: true,
      revision: 1,
      received: 0,
      last_received_at: null,
      invalid_requests: 0,
      last_invalid_request: null,
      metadata: {},
      created_by: world.home.keyId,
    });
    const got = await world.call(`/publishing-endpoints/${shown.id}`);
    expect([got.status, got.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"1-/)]);
    expect(got.body).toEqual({ ...shown, url: null });
    expect(await world.getTokens(shown.id)).toEqual([[toHash(tokenIn(url)), null]]);
    expect((await world.eventsAbout(shown.id)).map(({ type, data }) => [type, data])).toEqual([
      ['publishing_endpoint.created', { object: got.body }],
    ]);
    const log = await world.home.owner.call('/audit-log?limit=1', { workspace: world.home.workspace });
    expect(log.body.data[0]).toMatchObject({
      action: 'publishing_endpoints.create',
      target: { type: 'publishing_endpoint', id: shown.id },
    });
    expect(JSON.stringify(log.body)).not.toContain(tokenIn(url));
    expect(world.app.logged.join()).not.toContain(tokenIn(url));
  });

  test('takes every setting', async () => {
    const given = {
      auth: {
        type: 'signature',
        scheme: 'hmac',
        hmac: {
          header: 'X-Sig',
          algorithm: 'sha512',
          encoding: 'base64',
          prefix: 'v=',
          timestamp_header: 'X-At',
          timestamp_format: 'unix_ms',
          signed: 'timestamp.body',
        },
        tolerance_seconds: 60,
      },
      filter: 'payload.status == "published"',
      dedupe_key: '{{ payload.id }}',
      schedule: {
        at: '{{ payload.at }}',
        delay_seconds: 60,
        quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' },
      },
      shorten_links: true,
      allow_partial: true,
      success_status: 200,
      rate_limit: 60,
      enabled: false,
      metadata: { team: 'growth' },
    };
    const { secret, ...endpoint } = await world.create(given);
    expect(secret).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(endpoint).toMatchObject({
      ...given,
      auth: { ...given.auth, url_last4: null, previous_expires_at: null },
      rate_limit: { limit: 60, burst: 12 },
      url: `${world.app.config.baseUrl}/in/${endpoint.id}`,
    });
    expect((await world.call(`/publishing-endpoints/${endpoint.id}`)).body).toEqual(endpoint);
    expect(await world.getTokens(endpoint.id)).toEqual([[toHash(endpoint.id), null]]);
  });

  test.each([
    ['standard_webhooks', /^whsec_[A-Za-z0-9+/]{43}=$/],
    ['github', /^[0-9A-Za-z]{40}$/],
    ['stripe', /^whsec_[0-9A-Za-z]{32}$/],
    ['slack', /^[0-9a-f]{32}$/],
  ])('makes a secret as senders of %s know it', async (scheme, form) => {
    const endpoint = await world.create({ auth: { type: 'signature', scheme } });
    expect(endpoint.secret).toMatch(form);
    expect(endpoint.auth).toMatchObject({ scheme, hmac: null, tolerance_seconds: 300 });
    const [row] = await world.rows('select * from publishing_endpoints where id = $1', [
      toUuid('publishing_endpoint', endpoint.id),
    ]);
    expect(row.secret_sealed).toMatch(/^v1\./);
    expect(JSON.stringify([row, await world.eventsAbout(endpoint.id)])).not.toContain(endpoint.secret);
  });

  test('does not show a secret that was given', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const answer = await world.post({ auth: { type: 'signature', scheme: 'standard_webhooks', secret } });
    expect([answer.status, answer.body.secret]).toEqual([201, null]);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  test('with a bearer is published to beside the API, and has no token', async () => {
    const endpoint = await world.create({ auth: { type: 'bearer' } });
    expect(endpoint).toMatchObject({
      url: `${world.app.config.baseUrl}/api/v1/publish/${endpoint.id}`,
      secret: null,
    });
    expect(await world.getTokens(endpoint.id)).toEqual([]);
  });

  test('sent again by its key makes no other, and shows only what is no secret', async () => {
    const again = async (more: object, key: string) => {
      const headers = { 'idempotency-key': key };
      const [first, second] = [await world.post(more, headers), await world.post(more, headers)];
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      return [first.body, second.body];
    };
    const [secretUrl, replayed] = await again({}, 'once');
    expect(replayed).toEqual({ ...secretUrl, url: null });
    const [signed, resent] = await again({ auth: { type: 'signature', scheme: 'github' } }, 'signed');
    expect(signed.secret).toHaveLength(40);
    expect(resent).toEqual({ ...signed, secret: null });
    const kept = await world.rows('select body from idempotency_keys');
    expect(JSON.stringify(kept)).not.toContain(signed.secret);
    expect(JSON.stringify(kept)).not.toContain(tokenIn(secretUrl.url));
  });

  test('tells all faults of form at once', async () => {
    const answer = await world.post({
      auth: { type: 'signature', scheme: 'hmac', hmac: { header: 'X-Sig', signed: 'timestamp.body' } },
      destinations: [
        world.destination({ to: null }),
        world.destination({ contact_id: `con_${MISSING}` }),
        world.destination({ template: '{{ payload.title' }),
        world.destination({ type: 'image' }),
        world.destination({ type: 'telegram' }),
        world.destination({ media: 'https://example.com/a.png', file_name: 'a' }),
        world.destination({ template: null }),
        world.destination({ type: '{{ payload.type }}', template: '{% if %}' }),
      ],
      filter: 'payload.status | nonsense',
      dedupe_key: '{% nonsense %}',
      schedule: { at: '{{', quiet_hours: { from: '22:00', to: '22:00', time_zone: 'Mars/Olympus' } },
    });
    expect(outcome(answer)).toEqual([400, 'invalid_request']);
    expect(getErrors(answer)).toEqual([
      ['/auth/hmac/timestamp_header', 'required'],
      ['/destinations/0/to', 'required'],
      ['/destinations/1/contact_id', 'ambiguous'],
      ['/destinations/3/media', 'required'],
      ['/destinations/4/type', 'invalid_value'],
      ['/destinations/5/media', 'unexpected'],
      ['/destinations/5/file_name', 'unexpected'],
      ['/destinations/6/template', 'required'],
      ['/schedule/quiet_hours/time_zone', 'invalid_time_zone'],
      ['/schedule/quiet_hours/to', 'out_of_range'],
      ['/destinations/2/template', 'template_syntax'],
      ['/destinations/7/template', 'template_syntax'],
      ['/filter', 'template_syntax'],
      ['/dedupe_key', 'template_syntax'],
      ['/schedule/at', 'template_syntax'],
    ]);
  });

  test.each([
    [{ name: ' ' }, '/name', 'invalid_value'],
    [{ name: undefined }, '/name', 'required'],
    [{ auth: undefined }, '/auth', 'required'],
    [{ auth: { type: 'none' } }, '/auth/type', 'invalid_value'],
    [{ auth: { type: 'signature' } }, '/auth/scheme', 'required'],
    [{ auth: { type: 'signature', scheme: 'hmac' } }, '/auth/hmac', 'required'],
    [{ auth: { type: 'bearer', secret: 'abcdefgh' } }, '/auth/secret', 'unexpected'],
    [{ auth: { type: 'secret_url', scheme: 'github' } }, '/auth/scheme', 'unexpected'],
    [{ auth: { type: 'signature', scheme: 'github', hmac: { header: 'X-A' } } }, '/auth/hmac', 'unexpected'],
    [
      { auth: { type: 'signature', scheme: 'standard_webhooks', secret: 'whsec_short' } },
      '/auth/secret',
      'invalid_secret',
    ],
    [
      { auth: { type: 'signature', scheme: 'stripe', secret: 'abcdefghij' } },
      '/auth/secret',
      'invalid_secret',
    ],
    [
      { auth: { type: 'signature', scheme: 'slack', secret: 'with a blank' } },
      '/auth/secret',
      'invalid_secret',
    ],
    ...['        ', '\t\n \u00a0\u3000\u2003  ', '\u200b'.repeat(12), 'abcdefg      '].flatMap(
      (secret): [object, string, string][] =>
        [{ scheme: 'github' }, { scheme: 'hmac', hmac: { header: 'X-A' } }].map((scheme) => [
          { auth: { type: 'signature', ...scheme, secret } },
          '/auth/secret',
          'invalid_secret',
        ]),
    ),
    [
      { auth: { type: 'signature', scheme: 'hmac', hmac: { header: 'X-A', timestamp_header: 'X-B' } } },
      '/auth/hmac/timestamp_header',
      'unexpected',
    ],
    [
      {
        auth: {
          type: 'signature',
          scheme: 'hmac',
          hmac: { header: 'X-A', timestamp_header: 'x-a', signed: 'timestamp.body' },
        },
      },
      '/auth/hmac/timestamp_header',
      'ambiguous',
    ],
    [
      { auth: { type: 'signature', scheme: 'hmac', hmac: { header: 'X A' } } },
      '/auth/hmac/header',
      'invalid_value',
    ],
    [{ destinations: [] }, '/destinations', 'too_short'],
    [
      { schedule: { quiet_hours: { from: '24:00', to: '07:00', time_zone: 'UTC' } } },
      '/schedule/quiet_hours/from',
      'invalid_value',
    ],
    [{ schedule: { delay_seconds: -1 } }, '/schedule/delay_seconds', 'out_of_range'],
    [{ rate_limit: 0 }, '/rate_limit', 'invalid_type'],
    [{ success_status: 204 }, '/success_status', 'invalid_value'],
    [{ slug: 'x' }, '/slug', 'unknown_field'],
  ])('refuses %j', async (change, pointer, code) => {
    const answer = await world.post(change);
    expect([answer.status, getErrors(answer)[0]]).toEqual([400, [pointer, code]]);
  });

  test('refuses what is not there, and what the channel cannot do, at once', async () => {
    const contact = (await world.call('/contacts', { name: 'Alice' })).body.id;
    const { chat } = await world.send(await world.instance());
    const mail = await world.instance('email');
    const telegram = await world.instance('telegram');
    const answer = await world.post({
      destinations: [
        world.destination({ instance_id: `ins_${MISSING}` }),
        world.destination({ to: null, contact_id: contact }),
        world.destination({ to: null, contact_id: `con_${MISSING}` }),
        world.destination({ to: null, chat_id: chat.id }),
        world.destination({ to: null, chat_id: `chat_${MISSING}` }),
        world.destination({ to: null, group_id: `grp_${MISSING}` }),
        world.destination({ instance_id: mail, to: 'nobody' }),
        world.destination({ subject: 'News' }),
        world.destination({ instance_id: mail, to: 'ada@example.com', type: 'poll', template: '{}' }),
        world.destination({ instance_id: mail, to: 'ada@example.com', subject: 'News' }),
        world.destination({
          to: '{{ payload.to }}',
          subject: '{{ payload.subject }}',
          type: '{{ payload.type }}',
        }),
        world.destination({ instance_id: telegram, to: '12345', thread_id: 'first' }),
        world.destination({ instance_id: telegram, to: '12345', thread_id: '7' }),
        world.destination({ instance_id: telegram, to: '12345', thread_id: '{{ payload.thread }}' }),
      ],
    });
    expect(outcome(answer)).toEqual([422, 'unprocessable']);
    expect(getErrors(answer)).toEqual([
      ['/destinations/0/instance_id', 'not_found'],
      ['/destinations/1/contact_id', 'no_address'],
      ['/destinations/2/contact_id', 'not_found'],
      ['/destinations/3/chat_id', 'other_instance'],
      ['/destinations/4/chat_id', 'not_found'],
      ['/destinations/5/group_id', 'not_found'],
      ['/destinations/6/to', 'invalid_address'],
      ['/destinations/7/subject', 'unsupported_by_channel'],
      ['/destinations/8/type', 'unsupported_by_channel'],
      ['/destinations/11/thread_id', 'invalid_value'],
    ]);
    const only = await world.post({ destinations: [world.destination({ instance_id: `ins_${MISSING}` })] });
    expect(outcome(only)).toEqual([404, 'not_found']);
    const plain = await world.post({ destinations: [world.destination({ subject: 'News' })] });
    expect(outcome(plain)).toEqual([422, 'unsupported_by_channel']);
    const address = await world.post({
      destinations: [world.destination({ instance_id: mail, to: 'nobody' })],
    });
    expect(outcome(address)).toEqual([422, 'invalid_address']);
  });

  test('takes an instance that is not connected, and a chat, and a file', async () => {
    const { body } = await world.call('/instances', { name: 'Later', channel: 'sandbox' });
    const { chat } = await world.send(world.box);
    const { destinations } = await world.create({
      destinations: [
        world.destination({ instance_id: body.id }),
        world.destination({ to: null, chat_id: chat.id }),
        world.destination({
          type: 'image',
          template: null,
          media: '{{ payload.image }}',
          file_name: 'a.png',
        }),
        world.destination({ type: 'location', template: '{"latitude": {{ payload.lat }}, "longitude": 1}' }),
      ],
    });
    expect(destinations).toHaveLength(4);
  });

  test("does not take another workspace's instance", async () => {
    const other = await startWorkspace(world.app);
    const answer = await world.app.call('/publishing-endpoints', { key: other.key, body: world.getBody() });
    expect([...outcome(answer), ...getErrors(answer)]).toEqual([
      404,
      'not_found',
      ['/destinations/0/instance_id', 'not_found'],
    ]);
  });

  test('needs the scopes of what it does', async () => {
    const make = async (scopes: string[], more: object = {}) => {
      const key = await makeKey(world.home, { scopes });
      return world.app.call('/publishing-endpoints', { key, body: world.getBody(more) });
    };
    const rejected = await make(['publishing:write']);
    expect(outcome(rejected)).toEqual([403, 'insufficient_scope']);
    expect(rejected.body.detail).toContain('messages:write');
    const both = ['publishing:write', 'messages:write'];
    expect(await make(both)).toHaveStatus(201);
    const shortening = await make(both, { shorten_links: true });
    expect([...outcome(shortening), shortening.body.detail]).toEqual([
      403,
      'insufficient_scope',
      expect.stringContaining('links:create'),
    ]);
    for (const scope of ['links:create', 'links:write'])
      expect(await make([...both, scope], { shorten_links: true })).toHaveStatus(201);
    expect(outcome(await make(['messages:write', 'publishing:read']))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await world.app.call('/publishing-endpoints', { body: world.getBody() }))).toEqual([
      401,
      'invalid_key',
    ]);
  });
});

describe('list', () => {
  test('is filtered by what it says', async () => {
    const own = await world.instance();
    const made = [
      await world.create({ destinations: [world.destination({ instance_id: own })] }),
      await world.create({
        auth: { type: 'bearer' },
        destinations: [world.destination(), world.destination({ instance_id: own })],
      }),
      await world.create({ enabled: false, destinations: [world.destination({ instance_id: own })] }),
    ].map(({ id }) => id);
    const list = async (query: string) =>
      (await world.call(`/publishing-endpoints?instance_id=${own}&${query}`)).body.data.map(
        ({ id }: { id: string }) => made.indexOf(id),
      );
    expect(await list('')).toEqual([2, 1, 0]);
    expect(await list('enabled=true')).toEqual([1, 0]);
    expect(await list('enabled=false')).toEqual([2]);
    expect(await list('auth_type=bearer')).toEqual([1]);
    expect(await list('limit=2')).toEqual([2, 1]);
    expect((await world.call(`/publishing-endpoints?instance_id=ins_${MISSING}`)).body.data).toEqual([]);
  });
});

test('a workspace holds as many as the server allows', async () => {
  const { body } = await world.call('/usage');
  const { used } = body.resources.find(
    ({ resource }: { resource: string }) => resource === 'publishing_endpoints',
  );
  const [{ count }] = await world.rows(
    'select count(*)::int as count from publishing_endpoints where workspace_id = $1',
    [toUuid('workspace', world.home.workspace)],
  );
  expect(used).toBe(count);
  await world.rows(
    `insert into publishing_endpoints (workspace_id, id, name, auth_type, revision, definition, instance_ids, created_by, created_at, updated_at)
     select workspace_id, gen_random_uuid(), 'n', 'bearer', 1, definition, instance_ids, created_by, now(), now()
     from (select * from publishing_endpoints where workspace_id = $1 limit 1) e, generate_series(1, $2)`,
    [toUuid('workspace', world.home.workspace), 400 - count],
  );
  expect(outcome(await world.post())).toEqual([403, 'quota_exceeded']);
});
