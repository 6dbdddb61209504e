import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidOf } from '../../http/ids.ts';
import { type MessagesWorld, startMessages } from '../../messaging/messages/testing.ts';
import { startWorkspace } from '../../testing/test-app.ts';
import { eventsOf, makeKey, outcome } from '../../workspaces/testing.ts';
import { hashToken } from './endpoint-token.ts';

let world: MessagesWorld;
let instance: string;

beforeAll(async () => {
  world = await startMessages({ WORKSPACE_LIMITS: 'publishing_endpoints=400' });
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const MISSING = '01h2xcejqtf2nbrexx3vqjhp41';
const destination = (more: object = {}) => ({
  instance_id: instance,
  to: 'alice',
  template: 'New: {{ payload.title }}',
  ...more,
});
const bodyOf = (more: object = {}) => ({
  name: 'Blog',
  auth: { type: 'secret_url' },
  destinations: [destination()],
  ...more,
});
const post = (more: object = {}, headers?: Record<string, string>) =>
  world.call('/publishing-endpoints', bodyOf(more), 'POST', headers);
const create = async (more: object = {}) => {
  const answer = await post(more);
  expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
  return answer.body;
};
const faultsOf = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
const tokensOf = async (id: string) =>
  (
    await world.rows(
      'select hash, expires_at from in_tokens where endpoint_id = $1 order by expires_at nulls last',
      [uuidOf('publishing_endpoint', id)],
    )
  ).map(({ hash, expires_at: until }) => [hash.toString('hex'), until === null ? null : until]);
const hashOf = (token: string) => hashToken(token).toString('hex');
const tokenIn = (url: string) => url.split('/').at(-1)!;
const eventsAbout = async (id: string) =>
  (await eventsOf(world.app, uuidOf('workspace', world.home.workspace)!)).filter(
    ({ data }) => data.object.id === id,
  );

describe('create', () => {
  test('takes what the example of the contract says, and shows the address once', async () => {
    const answer = await post();
    expect(answer.status).toBe(201);
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
          instance_id: instance,
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
      rate_limit: null,
      enabled: true,
      revision: 1,
      received: 0,
      last_received_at: null,
      metadata: {},
      created_by: world.home.keyId,
    });
    const got = await world.call(`/publishing-endpoints/${shown.id}`);
    expect([got.status, got.headers.get('etag')]).toEqual([200, '"1"']);
    expect(got.body).toEqual({ ...shown, url: null });
    expect(await tokensOf(shown.id)).toEqual([[hashOf(tokenIn(url)), null]]);
    expect((await eventsAbout(shown.id)).map(({ type, data }) => [type, data])).toEqual([
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
      rate_limit: 60,
      enabled: false,
      metadata: { team: 'growth' },
    };
    const { secret, ...endpoint } = await create(given);
    expect(secret).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(endpoint).toMatchObject({
      ...given,
      auth: { ...given.auth, url_last4: null, previous_expires_at: null },
      rate_limit: { limit: 60, burst: 12 },
      url: `${world.app.config.baseUrl}/in/${endpoint.id}`,
    });
    expect((await world.call(`/publishing-endpoints/${endpoint.id}`)).body).toEqual(endpoint);
    expect(await tokensOf(endpoint.id)).toEqual([[hashOf(endpoint.id), null]]);
  });

  test.each([
    ['standard_webhooks', /^whsec_[A-Za-z0-9+/]{43}=$/],
    ['github', /^[0-9A-Za-z]{40}$/],
    ['stripe', /^whsec_[0-9A-Za-z]{32}$/],
    ['slack', /^[0-9a-f]{32}$/],
  ])('makes a secret as senders of %s know it', async (scheme, form) => {
    const endpoint = await create({ auth: { type: 'signature', scheme } });
    expect(endpoint.secret).toMatch(form);
    expect(endpoint.auth).toMatchObject({ scheme, hmac: null, tolerance_seconds: 300 });
    const [row] = await world.rows('select * from publishing_endpoints where id = $1', [
      uuidOf('publishing_endpoint', endpoint.id),
    ]);
    expect(row.secret_sealed).toMatch(/^v1\./);
    expect(JSON.stringify([row, await eventsAbout(endpoint.id)])).not.toContain(endpoint.secret);
  });

  test('does not show a secret that was given', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const answer = await post({ auth: { type: 'signature', scheme: 'standard_webhooks', secret } });
    expect([answer.status, answer.body.secret]).toEqual([201, null]);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  test('with a bearer is published to beside the API, and has no token', async () => {
    const endpoint = await create({ auth: { type: 'bearer' } });
    expect(endpoint).toMatchObject({
      url: `${world.app.config.baseUrl}/api/v1/publish/${endpoint.id}`,
      secret: null,
    });
    expect(await tokensOf(endpoint.id)).toEqual([]);
  });

  test('sent again by its key makes no other, and shows only what is no secret', async () => {
    const again = async (more: object, key: string) => {
      const headers = { 'idempotency-key': key };
      const [first, second] = [await post(more, headers), await post(more, headers)];
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
    const answer = await post({
      auth: { type: 'signature', scheme: 'hmac', hmac: { header: 'X-Sig', signed: 'timestamp.body' } },
      destinations: [
        destination({ to: null }),
        destination({ contact_id: `con_${MISSING}` }),
        destination({ template: '{{ payload.title' }),
        destination({ type: 'image' }),
        destination({ type: 'telegram' }),
        destination({ media: 'https://example.com/a.png', file_name: 'a' }),
        destination({ template: null }),
        destination({ type: '{{ payload.type }}', template: '{% if %}' }),
      ],
      filter: 'payload.status | nonsense',
      dedupe_key: '{% nonsense %}',
      schedule: { at: '{{', quiet_hours: { from: '22:00', to: '22:00', time_zone: 'Mars/Olympus' } },
    });
    expect(outcome(answer)).toEqual([400, 'invalid_request']);
    expect(faultsOf(answer)).toEqual([
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
    [{ slug: 'x' }, '/slug', 'unknown_field'],
  ])('refuses %j', async (change, pointer, code) => {
    const answer = await post(change);
    expect([answer.status, faultsOf(answer)[0]]).toEqual([400, [pointer, code]]);
  });

  test('refuses what is not there, and what the channel cannot do, at once', async () => {
    const contact = (await world.call('/contacts', { name: 'Alice' })).body.id;
    const { chat } = await world.send(await world.instance());
    const mail = await world.instance('email');
    const answer = await post({
      destinations: [
        destination({ instance_id: `ins_${MISSING}` }),
        destination({ to: null, contact_id: contact }),
        destination({ to: null, contact_id: `con_${MISSING}` }),
        destination({ to: null, chat_id: chat.id }),
        destination({ to: null, chat_id: `chat_${MISSING}` }),
        destination({ to: null, group_id: `grp_${MISSING}` }),
        destination({ instance_id: mail, to: 'nobody' }),
        destination({ subject: 'News' }),
        destination({ instance_id: mail, to: 'ada@example.com', type: 'poll', template: '{}' }),
        destination({ instance_id: mail, to: 'ada@example.com', subject: 'News' }),
        destination({ to: '{{ payload.to }}', subject: '{{ payload.subject }}', type: '{{ payload.type }}' }),
      ],
    });
    expect(outcome(answer)).toEqual([422, 'unprocessable']);
    expect(faultsOf(answer)).toEqual([
      ['/destinations/0/instance_id', 'not_found'],
      ['/destinations/1/contact_id', 'no_address'],
      ['/destinations/2/contact_id', 'not_found'],
      ['/destinations/3/chat_id', 'other_instance'],
      ['/destinations/4/chat_id', 'not_found'],
      ['/destinations/5/group_id', 'not_found'],
      ['/destinations/6/to', 'invalid_address'],
      ['/destinations/7/subject', 'unsupported_by_channel'],
      ['/destinations/8/type', 'unsupported_by_channel'],
    ]);
    const only = await post({ destinations: [destination({ instance_id: `ins_${MISSING}` })] });
    expect(outcome(only)).toEqual([404, 'not_found']);
    const plain = await post({ destinations: [destination({ subject: 'News' })] });
    expect(outcome(plain)).toEqual([422, 'unsupported_by_channel']);
    const address = await post({ destinations: [destination({ instance_id: mail, to: 'nobody' })] });
    expect(outcome(address)).toEqual([422, 'invalid_address']);
  });

  test('takes an instance that is not connected, and a chat, and a file', async () => {
    const { body } = await world.call('/instances', { name: 'Later', channel: 'sandbox' });
    const { chat } = await world.send(instance);
    const { destinations } = await create({
      destinations: [
        destination({ instance_id: body.id }),
        destination({ to: null, chat_id: chat.id }),
        destination({ type: 'image', template: null, media: '{{ payload.image }}', file_name: 'a.png' }),
        destination({ type: 'location', template: '{"latitude": {{ payload.lat }}, "longitude": 1}' }),
      ],
    });
    expect(destinations).toHaveLength(4);
  });

  test("does not take another workspace's instance", async () => {
    const other = await startWorkspace(world.app);
    const answer = await world.app.call('/publishing-endpoints', { key: other.key, body: bodyOf() });
    expect([...outcome(answer), ...faultsOf(answer)]).toEqual([
      404,
      'not_found',
      ['/destinations/0/instance_id', 'not_found'],
    ]);
  });

  test('needs the scopes of what it does', async () => {
    const make = async (scopes: string[], more: object = {}) => {
      const key = await makeKey(world.home, { scopes });
      return world.app.call('/publishing-endpoints', { key, body: bodyOf(more) });
    };
    const refused = await make(['publishing:write']);
    expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
    expect(refused.body.detail).toContain('messages:write');
    const both = ['publishing:write', 'messages:write'];
    expect((await make(both)).status).toBe(201);
    const shortening = await make(both, { shorten_links: true });
    expect([...outcome(shortening), shortening.body.detail]).toEqual([
      403,
      'insufficient_scope',
      expect.stringContaining('links:create'),
    ]);
    for (const scope of ['links:create', 'links:write'])
      expect((await make([...both, scope], { shorten_links: true })).status).toBe(201);
    expect(outcome(await make(['messages:write', 'publishing:read']))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await world.app.call('/publishing-endpoints', { body: bodyOf() }))).toEqual([
      401,
      'invalid_key',
    ]);
  });
});

describe('list', () => {
  test('is filtered by what it says', async () => {
    const own = await world.instance();
    const made = [
      await create({ destinations: [destination({ instance_id: own })] }),
      await create({
        auth: { type: 'bearer' },
        destinations: [destination(), destination({ instance_id: own })],
      }),
      await create({ enabled: false, destinations: [destination({ instance_id: own })] }),
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

describe('change', () => {
  const patch = (id: string, body: object, headers?: Record<string, string>) =>
    world.call(`/publishing-endpoints/${id}`, body, 'PATCH', headers);
  const revisions = async (id: string) =>
    (
      await world.rows(
        'select revision, definition from publishing_revisions where endpoint_id = $1 order by 1',
        [uuidOf('publishing_endpoint', id)],
      )
    ).map(({ revision, definition }) => [revision, definition.filter]);

  test('of what is published is a new revision, any other is not', async () => {
    const { id, url: _, secret: __, ...before } = await create();
    const renamed = await patch(id, { name: 'News', rate_limit: 600, metadata: { a: 'b' } });
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(renamed.body).toMatchObject({
      ...before,
      name: 'News',
      rate_limit: { limit: 600, burst: 120 },
      metadata: { a: 'b' },
      revision: 1,
      updated_at: renamed.body.updated_at,
    });
    expect((await patch(id, { filter: 'payload.a' })).body).toMatchObject({
      revision: 2,
      filter: 'payload.a',
    });
    // The same again is none.
    const same = await patch(id, { filter: 'payload.a', destinations: [destination()], schedule: {} });
    expect(same.body).toMatchObject({ revision: 2, schedule: null });
    expect((await patch(id, { filter: null })).body).toMatchObject({ revision: 3, filter: null });
    expect(await revisions(id)).toEqual([
      [1, null],
      [2, 'payload.a'],
      [3, null],
    ]);
    const events = (await eventsAbout(id)).slice(1);
    expect(events.map(({ data }) => data.previous_attributes)).toEqual([
      { name: 'Blog', rate_limit: null, metadata: {} },
      { filter: null, revision: 1 },
      {},
      { filter: 'payload.a', revision: 2 },
    ]);
  });

  test('is refused where it was read before another', async () => {
    const { id } = await create();
    expect((await patch(id, { name: 'A' }, { 'if-match': '"1"' })).status).toBe(200);
    expect(outcome(await patch(id, { name: 'B' }, { 'if-match': '"1"' }))).toEqual([
      412,
      'precondition_failed',
    ]);
  });

  test('is checked as a new one is', async () => {
    const { id } = await create();
    const form = await patch(id, {
      destinations: [destination({ template: '{{' })],
      auth: { scheme: 'github' },
    });
    expect([form.status, ...faultsOf(form)]).toEqual([
      400,
      ['/auth/scheme', 'unexpected'],
      ['/destinations/0/template', 'template_syntax'],
    ]);
    const lacking = await patch(id, { destinations: [destination({ instance_id: `ins_${MISSING}` })] });
    expect([...outcome(lacking), ...faultsOf(lacking)]).toEqual([
      404,
      'not_found',
      ['/destinations/0/instance_id', 'not_found'],
    ]);
    expect((await world.call(`/publishing-endpoints/${id}`)).body).toMatchObject({ revision: 1 });
  });

  test('finds the list of instances again', async () => {
    const own = await world.instance();
    const { id } = await create();
    await patch(id, { destinations: [destination({ instance_id: own })] });
    const { body } = await world.call(`/publishing-endpoints?instance_id=${own}`);
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  test('of how signatures are read keeps what is left out, and takes no scheme that the secret is none of', async () => {
    const hmac = { header: 'X-A', prefix: 'a=' };
    const { id } = await create({ auth: { type: 'signature', scheme: 'hmac', hmac, tolerance_seconds: 20 } });
    const auth = async (change: object) => (await patch(id, { auth: change })).body.auth;
    expect(await auth({ tolerance_seconds: 30 })).toMatchObject({ hmac, tolerance_seconds: 30 });
    expect(await auth({ hmac: { header: 'X-B' } })).toMatchObject({
      hmac: { header: 'X-B', prefix: '' },
      tolerance_seconds: 30,
    });
    const refused = await patch(id, { auth: { scheme: 'standard_webhooks' } });
    expect([refused.status, ...faultsOf(refused)]).toEqual([422, ['/auth/scheme', 'invalid_secret']]);
    expect(await auth({ scheme: 'github' })).toMatchObject({ scheme: 'github', hmac: null });
    const back = await patch(id, { auth: { scheme: 'hmac' } });
    expect([back.status, ...faultsOf(back)]).toEqual([400, ['/auth/hmac', 'required']]);
    const type = await patch(id, { auth: { type: 'bearer' } });
    expect([type.status, ...faultsOf(type)]).toEqual([400, ['/auth/type', 'unknown_field']]);
  });

  test('needs the scopes of what it does, but to disable', async () => {
    const { id } = await create();
    const key = await makeKey(world.home, { scopes: ['publishing:write', 'publishing:read'] });
    const change = (body: object) =>
      world.app.call(`/publishing-endpoints/${id}`, { key, method: 'PATCH', body });
    expect(outcome(await change({ name: 'A' }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await change({ enabled: true }))).toEqual([403, 'insufficient_scope']);
    expect((await change({ enabled: false })).body).toMatchObject({ enabled: false, revision: 1 });
  });

  test('of what belongs to others, or is not there, is not found', async () => {
    const { id } = await create();
    const other = await startWorkspace(world.app);
    for (const [path, key] of [
      [id, other.key],
      [`pep_${MISSING}`, world.home.key],
      ['pep_nonsense', world.home.key],
    ] as const)
      for (const [method, end, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'A' }],
        ['DELETE', '', undefined],
        ['POST', '/rotate', {}],
      ] as const) {
        const answer = await world.app.call(`/publishing-endpoints/${path}${end}`, { key, method, body });
        expect([method, path, ...outcome(answer)]).toEqual([method, path, 404, 'not_found']);
      }
    expect((await world.call(`/publishing-endpoints/${id}`)).status).toBe(200);
  });
});

describe('rotate', () => {
  const rotate = (id: string, body: object = {}, headers?: Record<string, string>) =>
    world.call(`/publishing-endpoints/${id}/rotate`, body, 'POST', headers);
  const within = (until: string | Date, seconds: number) =>
    expect(Math.abs(new Date(until).getTime() - Date.now() - seconds * 1_000)).toBeLessThan(60_000);

  test('gives a new address, beside which the one before counts for a day', async () => {
    const { id, url } = await create();
    const { status, body } = await rotate(id);
    expect(status).toBe(201);
    expect(body.url).not.toBe(url);
    expect(body).toMatchObject({ secret: null, auth: { url_last4: body.url.slice(-4) } });
    within(body.auth.previous_expires_at, 86_400);
    const [before, now] = await tokensOf(id);
    expect(now).toEqual([hashOf(tokenIn(body.url)), null]);
    expect(before![0]).toBe(hashOf(tokenIn(url)));
    within(before![1], 86_400);
    // What was in its overlap ends.
    const next = (await rotate(id, { overlap_seconds: 60 })).body;
    expect((await tokensOf(id)).map(([hash]) => hash)).toEqual([
      hashOf(tokenIn(body.url)),
      hashOf(tokenIn(next.url)),
    ]);
    const last = (await rotate(id, { overlap_seconds: 0 })).body;
    expect(last.auth.previous_expires_at).toBeNull();
    expect(await tokensOf(id)).toEqual([[hashOf(tokenIn(last.url)), null]]);
    const [, updated] = await eventsAbout(id);
    expect(updated!.type).toBe('publishing_endpoint.updated');
    expect(JSON.stringify(await eventsAbout(id))).not.toContain(tokenIn(body.url));
  });

  test('gives a new secret, or takes one, and keeps the one before sealed', async () => {
    const { id, url, secret } = await create({ auth: { type: 'signature', scheme: 'github' } });
    const sealed = async () =>
      (
        await world.rows(
          'select secret_sealed as secret, previous_secret_sealed as previous, previous_secret_until as until from publishing_endpoints where id = $1',
          [uuidOf('publishing_endpoint', id)],
        )
      )[0];
    const before = await sealed();
    const { body } = await rotate(id, {}, { 'idempotency-key': `rotate ${id}` });
    expect(body.secret).toMatch(/^[0-9A-Za-z]{40}$/);
    expect([body.secret === secret, body.url]).toEqual([false, url]);
    expect((await rotate(id, {}, { 'idempotency-key': `rotate ${id}` })).body).toEqual({
      ...body,
      secret: null,
    });
    expect((await sealed()).previous).toBe(before.secret);
    const own = await rotate(id, { secret: 'a secret of my own'.replaceAll(' ', '-'), overlap_seconds: 0 });
    expect(own.body).toMatchObject({ secret: null, auth: { previous_expires_at: null } });
    expect(await sealed()).toMatchObject({ previous: null, until: null });
    // A retry pushes nothing out.
    const again = await rotate(id, { secret: 'a-secret-of-my-own' });
    expect([again.status, again.headers.get('etag'), again.body.auth.previous_expires_at]).toEqual([
      201,
      own.headers.get('etag'),
      null,
    ]);
    expect((await rotate(id, { secret: 'short' })).status).toBe(400);
    expect(await tokensOf(id)).toEqual([[hashOf(id), null]]);
  });

  test('has nothing to do where keys are used, and makes addresses itself', async () => {
    const bearer = await create({ auth: { type: 'bearer' } });
    expect(outcome(await rotate(bearer.id))).toEqual([409, 'conflict']);
    const { id } = await create();
    const given = await rotate(id, { secret: 'abcdefgh' });
    expect([given.status, ...faultsOf(given)]).toEqual([400, ['/secret', 'unexpected']]);
    const key = await makeKey(world.home, { scopes: ['publishing:write'] });
    const refused = await world.app.call(`/publishing-endpoints/${id}/rotate`, { key, body: {} });
    expect(outcome(refused)).toEqual([403, 'insufficient_scope']);
  });
});

describe('delete', () => {
  test('ends its address, and forgets all but what was published', async () => {
    const { id } = await create();
    expect((await world.call(`/publishing-endpoints/${id}`, undefined, 'DELETE')).status).toBe(204);
    expect((await world.call(`/publishing-endpoints/${id}`)).status).toBe(404);
    expect(await tokensOf(id)).toEqual([]);
    expect(
      await world.rows('select from publishing_revisions where endpoint_id = $1', [
        uuidOf('publishing_endpoint', id),
      ]),
    ).toEqual([]);
    expect((await eventsAbout(id)).at(-1)!.type).toBe('publishing_endpoint.deleted');
  });
});

test('a workspace holds as many as the server allows', async () => {
  const { body } = await world.call('/usage');
  const { used } = body.resources.find(
    ({ resource }: { resource: string }) => resource === 'publishing_endpoints',
  );
  const [{ count }] = await world.rows(
    'select count(*)::int as count from publishing_endpoints where workspace_id = $1',
    [uuidOf('workspace', world.home.workspace)],
  );
  expect(used).toBe(count);
  await world.rows(
    `insert into publishing_endpoints (workspace_id, id, name, auth_type, revision, definition, instance_ids, created_by, created_at, updated_at)
     select workspace_id, gen_random_uuid(), 'n', 'bearer', 1, definition, instance_ids, created_by, now(), now()
     from (select * from publishing_endpoints where workspace_id = $1 limit 1) e, generate_series(1, $2)`,
    [uuidOf('workspace', world.home.workspace), 400 - count],
  );
  expect(outcome(await post())).toEqual([403, 'quota_exceeded']);
});
