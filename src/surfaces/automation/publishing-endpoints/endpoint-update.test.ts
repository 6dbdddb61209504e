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
  world = await startEndpoints();
});
afterAll(() => world.app.stop());

describe('change', () => {
  const patch = (id: string, body: object, headers?: Record<string, string>) =>
    world.call(`/publishing-endpoints/${id}`, body, 'PATCH', headers);
  const revisions = async (id: string) =>
    (
      await world.rows(
        'select revision, definition from publishing_revisions where endpoint_id = $1 order by 1',
        [toUuid('publishing_endpoint', id)],
      )
    ).map(({ revision, definition }) => [revision, definition.filter]);

  test('of what is published is a new revision, any other is not', async () => {
    const { id, url: _, secret: __, ...before } = await world.create();
    const renamed = await patch(id, {
      name: 'News',
      success_status: 200,
      rate_limit: 600,
      metadata: { a: 'b' },
    });
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(renamed.body).toMatchObject({
      ...before,
      name: 'News',
      success_status: 200,
      rate_limit: { limit: 600, burst: 120 },
      metadata: { a: 'b' },
      revision: 1,
      updated_at: renamed.body.updated_at,
    });
    expect((await patch(id, { filter: 'payload.a' })).body).toMatchObject({
      revision: 2,
      filter: 'payload.a',
    });
    // The same values are not a change.
    const same = await patch(id, { filter: 'payload.a', destinations: [world.destination()], schedule: {} });
    expect(same.body).toMatchObject({ revision: 2, schedule: null });
    expect((await patch(id, { filter: null })).body).toMatchObject({ revision: 3, filter: null });
    expect(await revisions(id)).toEqual([
      [1, null],
      [2, 'payload.a'],
      [3, null],
    ]);
    const events = (await world.eventsAbout(id)).slice(1);
    expect(events.map(({ data }) => data.previous_attributes)).toEqual([
      { name: 'Blog', success_status: 202, rate_limit: null, metadata: {} },
      { filter: null, revision: 1 },
      {},
      { filter: 'payload.a', revision: 2 },
    ]);
  });

  test('is refused where it was read before another', async () => {
    const { id } = await world.create();
    expect(await patch(id, { name: 'A' }, { 'if-match': '"1"' })).toHaveStatus(200);
    expect(outcome(await patch(id, { name: 'B' }, { 'if-match': '"1"' }))).toEqual([
      412,
      'precondition_failed',
    ]);
  });

  test('is checked as a new one is', async () => {
    const { id } = await world.create();
    const form = await patch(id, {
      destinations: [world.destination({ template: '{{' })],
      auth: { scheme: 'github' },
    });
    expect([form.status, ...getErrors(form)]).toEqual([
      400,
      ['/auth/scheme', 'unexpected'],
      ['/destinations/0/template', 'template_syntax'],
    ]);
    const lacking = await patch(id, { destinations: [world.destination({ instance_id: `ins_${MISSING}` })] });
    expect([...outcome(lacking), ...getErrors(lacking)]).toEqual([
      404,
      'not_found',
      ['/destinations/0/instance_id', 'not_found'],
    ]);
    expect((await world.call(`/publishing-endpoints/${id}`)).body).toMatchObject({ revision: 1 });
  });

  test('finds the list of instances again', async () => {
    const own = await world.instance();
    const { id } = await world.create();
    await patch(id, { destinations: [world.destination({ instance_id: own })] });
    const { body } = await world.call(`/publishing-endpoints?instance_id=${own}`);
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  test('of how signatures are read keeps what is left out, and takes no scheme that the secret is none of', async () => {
    const hmac = { header: 'X-A', prefix: 'a=' };
    const { id } = await world.create({
      auth: { type: 'signature', scheme: 'hmac', hmac, tolerance_seconds: 20 },
    });
    const auth = async (change: object) => (await patch(id, { auth: change })).body.auth;
    expect(await auth({ tolerance_seconds: 30 })).toMatchObject({ hmac, tolerance_seconds: 30 });
    expect(await auth({ hmac: { header: 'X-B' } })).toMatchObject({
      hmac: { header: 'X-B', prefix: '' },
      tolerance_seconds: 30,
    });
    const rejected = await patch(id, { auth: { scheme: 'standard_webhooks' } });
    expect([rejected.status, ...getErrors(rejected)]).toEqual([422, ['/auth/scheme', 'invalid_secret']]);
    expect(await auth({ scheme: 'github' })).toMatchObject({ scheme: 'github', hmac: null });
    const back = await patch(id, { auth: { scheme: 'hmac' } });
    expect([back.status, ...getErrors(back)]).toEqual([400, ['/auth/hmac', 'required']]);
    const type = await patch(id, { auth: { type: 'bearer' } });
    expect([type.status, ...getErrors(type)]).toEqual([400, ['/auth/type', 'unknown_field']]);
  });

  test('needs the scopes of what it does, but to disable', async () => {
    const { id } = await world.create();
    const key = await makeKey(world.home, { scopes: ['publishing:write', 'publishing:read'] });
    const change = (body: object) =>
      world.app.call(`/publishing-endpoints/${id}`, { key, method: 'PATCH', body });
    expect(outcome(await change({ name: 'A' }))).toEqual([403, 'insufficient_scope']);
    expect(outcome(await change({ enabled: true }))).toEqual([403, 'insufficient_scope']);
    expect((await change({ enabled: false })).body).toMatchObject({ enabled: false, revision: 1 });
  });

  test('of what belongs to others, or is not there, is not found', async () => {
    const { id } = await world.create();
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
    expect(await world.call(`/publishing-endpoints/${id}`)).toHaveStatus(200);
  });
});

describe('rotate', () => {
  const rotate = (id: string, body: object = {}, headers?: Record<string, string>) =>
    world.call(`/publishing-endpoints/${id}/rotate`, body, 'POST', headers);
  const within = (until: string | Date, seconds: number) =>
    expect(Math.abs(new Date(until).getTime() - Date.now() - seconds * 1_000)).toBeLessThan(60_000);

  test('gives a new address, beside which the one before counts for a day', async () => {
    const { id, url } = await world.create();
    const { status, body } = await rotate(id);
    expect(status).toBe(201);
    expect(body.url).not.toBe(url);
    expect(body).toMatchObject({ secret: null, auth: { url_last4: body.url.slice(-4) } });
    within(body.auth.previous_expires_at, 86_400);
    const [before, now] = await world.getTokens(id);
    expect(now).toEqual([toHash(tokenIn(body.url)), null]);
    expect(before![0]).toBe(toHash(tokenIn(url)));
    within(before![1]!, 86_400);
    // The previous secret's overlap ends.
    const next = (await rotate(id, { overlap_seconds: 60 })).body;
    expect((await world.getTokens(id)).map(([hash]) => hash)).toEqual([
      toHash(tokenIn(body.url)),
      toHash(tokenIn(next.url)),
    ]);
    const last = (await rotate(id, { overlap_seconds: 0 })).body;
    expect(last.auth.previous_expires_at).toBeNull();
    expect(await world.getTokens(id)).toEqual([[toHash(tokenIn(last.url)), null]]);
    const [, updated] = await world.eventsAbout(id);
    expect(updated!.type).toBe('publishing_endpoint.updated');
    expect(JSON.stringify(await world.eventsAbout(id))).not.toContain(tokenIn(body.url));
  });

  test('gives a new secret, or takes one, and keeps the one before sealed', async () => {
    const { id, url, secret } = await world.create({ auth: { type: 'signature', scheme: 'github' } });
    const sealed = async () =>
      (
        await world.rows(
          'select secret_sealed as secret, previous_secret_sealed as previous, previous_secret_until as until from publishing_endpoints where id = $1',
          [toUuid('publishing_endpoint', id)],
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
    const blank = await rotate(id, { secret: ' '.repeat(20) });
    expect([blank.status, ...getErrors(blank)]).toEqual([400, ['/secret', 'invalid_secret']]);
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
    expect(await rotate(id, { secret: 'short' })).toHaveStatus(400);
    expect(await world.getTokens(id)).toEqual([[toHash(id), null]]);
  });

  test('has nothing to do where keys are used, and makes addresses itself', async () => {
    const bearer = await world.create({ auth: { type: 'bearer' } });
    expect(outcome(await rotate(bearer.id))).toEqual([409, 'conflict']);
    const { id } = await world.create();
    const given = await rotate(id, { secret: 'abcdefgh' });
    expect([given.status, ...getErrors(given)]).toEqual([400, ['/secret', 'unexpected']]);
    const key = await makeKey(world.home, { scopes: ['publishing:write'] });
    const rejected = await world.app.call(`/publishing-endpoints/${id}/rotate`, { key, body: {} });
    expect(outcome(rejected)).toEqual([403, 'insufficient_scope']);
  });
});

describe('delete', () => {
  test('ends its address, and forgets all but what was published', async () => {
    const { id } = await world.create();
    expect(await world.call(`/publishing-endpoints/${id}`, undefined, 'DELETE')).toHaveStatus(204);
    expect(await world.call(`/publishing-endpoints/${id}`)).toHaveStatus(404);
    expect(await world.getTokens(id)).toEqual([]);
    expect(
      await world.rows('select from publishing_revisions where endpoint_id = $1', [
        toUuid('publishing_endpoint', id),
      ]),
    ).toEqual([]);
    expect((await world.eventsAbout(id)).at(-1)!.type).toBe('publishing_endpoint.deleted');
  });
});
