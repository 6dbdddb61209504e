/** Tests the view of endpoints for callers who only receive, and the retention of endpoint data. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type MessagesWorld, startMessages } from '../../../../test/support/messaging/messages.ts';
import { startWorkspace, TEST_SECRET } from '../../../../test/support/test-app.ts';
import { deleteRotatedSecrets } from './endpoint-cleaning.ts';
import { openEndpointSecret } from './authentication/endpoint-secret.ts';
import { getRevision, receivingById, type SignatureAuth } from './endpoint.store.ts';
import { receivingByToken } from './endpoint.system-store.ts';
import { hashToken } from './authentication/endpoint-token.ts';

let world: MessagesWorld;
let instance: string;
beforeAll(async () => {
  world = await startMessages({ ROLE: 'api' });
  instance = await world.instance();
});
afterAll(() => world.app.stop());

const db = () => world.app.database.db;
const workspace = () => toUuid('workspace', world.home.workspace)!;
const create = async (more: object = {}) => {
  const { status, body } = await world.call('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'secret_url' },
    destinations: [{ instance_id: instance, to: 'alice', template: 'x' }],
    ...more,
  });
  expect(status).toBe(201);
  return body;
};
const uuid = (id: string) => toUuid('publishing_endpoint', id)!;
const byToken = (token: string, now = new Date()) => receivingByToken(db(), hashToken(token), now);
const tokenIn = (url: string) => url.split('/').at(-1)!;
const rotate = async (id: string, body: object = {}) =>
  (await world.call(`/publishing-endpoints/${id}/rotate`, body)).body;

test('an endpoint is found by its token, or by its ID where it signs; with keys by neither', async () => {
  const secret = await create({ rate_limit: 60, enabled: false });
  expect(await byToken(tokenIn(secret.url))).toEqual({
    workspaceId: workspace(),
    id: uuid(secret.id),
    name: 'Blog',
    version: 1,
    revision: 1,
    enabled: false,
    auth: { type: 'secret_url' },
    definition: {
      destinations: secret.destinations,
      filter: null,
      dedupe_key: null,
      schedule: null,
      shorten_links: false,
      allow_partial: false,
      ask_model: null,
    },
    successStatus: 202,
    rateLimit: { limit: 60, burst: 12 },
  });
  expect(await byToken(secret.id)).toBeUndefined();
  const signed = await create({ auth: { type: 'signature', scheme: 'stripe' } });
  const found = (await byToken(signed.id))!;
  const auth = found.auth as SignatureAuth;
  expect(auth).toMatchObject({
    scheme: 'stripe',
    toleranceSeconds: 300,
    hmac: null,
    previousSecretSealed: null,
  });
  const box = createSecretBox(TEST_SECRET);
  const row = { workspace_id: found.workspaceId, id: found.id };
  expect(openEndpointSecret(box, row, auth.secretSealed)).toBe(signed.secret);
  expect(() => openEndpointSecret(box, { ...row, id: uuid(secret.id) }, auth.secretSealed)).toThrow(
    /authenticate/,
  );
  const bearer = await create({ auth: { type: 'bearer' } });
  expect(await byToken(bearer.id)).toBeUndefined();
  expect((await receivingById(db(), workspace(), uuid(bearer.id)))?.auth).toEqual({ type: 'bearer' });
});

test('a token counts for its overlap alone, and is forgotten then, as the secret before is', async () => {
  const { id, url } = await create();
  const rotated = await rotate(id, { overlap_seconds: 60 });
  const later = new Date(Date.now() + 61_000);
  for (const [address, now, isFound] of [
    [url, new Date(), true],
    [url, later, false],
    [rotated.url, later, true],
  ] as const)
    expect((await byToken(tokenIn(address), now)) !== undefined).toBe(isFound);
  const signed = await create({ auth: { type: 'signature', scheme: 'github' } });
  await rotate(signed.id, { overlap_seconds: 60 });
  const left = async () => [
    (await world.rows('select from in_tokens where endpoint_id = $1', [uuid(id)])).length,
    (
      await world.rows(
        'select from publishing_endpoints where id = any($1) and previous_secret_until is not null',
        [[uuid(id), uuid(signed.id)]],
      )
    ).length,
    (
      await world.rows(
        'select from publishing_endpoints where id = $1 and previous_secret_sealed is not null',
        [uuid(signed.id)],
      )
    ).length,
  ];
  await deleteRotatedSecrets(db(), new Date());
  expect(await left()).toEqual([2, 2, 1]);
  const before = await world.call(`/publishing-endpoints/${signed.id}`);
  await deleteRotatedSecrets(db(), later);
  expect(await left()).toEqual([1, 0, 0]);
  // No edit: the version is the same, and the tag shows that the body is not.
  const after = await world.call(`/publishing-endpoints/${signed.id}`);
  expect(after.body).toEqual({ ...before.body, auth: { ...before.body.auth, previous_expires_at: null } });
  const tags = [before, after].map(({ headers }) => headers.get('etag')!);
  expect(tags[1]).not.toBe(tags[0]);
  expect(tags[1]!.split('-')[0]).toBe(tags[0]!.split('-')[0]);
});

test('no token of a workspace that is deleted counts', async () => {
  const other = await startWorkspace(world.app);
  const box = await world.app.call('/instances', {
    key: other.key,
    body: { name: 'Box', channel: 'sandbox' },
  });
  const destinations = [{ instance_id: box.body.id, to: 'alice', template: 'x' }];
  const body = { name: 'Blog', auth: { type: 'secret_url' }, destinations };
  const made = await world.app.call('/publishing-endpoints', { key: other.key, body });
  expect(await byToken(tokenIn(made.body.url))).toBeDefined();
  const { slug } = (await other.owner.call('/workspaces')).body.data[0];
  const gone = await other.owner.call(`/workspaces/${other.workspace}?slug=${slug}`, {
    workspace: other.workspace,
    method: 'DELETE',
  });
  expect(gone.status).toBeLessThan(300);
  expect(await byToken(tokenIn(made.body.url))).toBeUndefined();
});

test('the last thousand definitions are kept', async () => {
  const { id } = await create();
  const patch = (filter: string) => world.call(`/publishing-endpoints/${id}`, { filter }, 'PATCH');
  await patch('payload.two');
  await world.rows('update publishing_endpoints set revision = 1000 where id = $1', [uuid(id)]);
  await patch('payload.last');
  const filters = [1, 2, 1001].map(async (revision) => {
    const found = await getRevision(db(), workspace(), uuid(id), revision);
    return found && found.filter;
  });
  expect(await Promise.all(filters)).toEqual([undefined, 'payload.two', 'payload.last']);
});
