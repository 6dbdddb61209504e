/** Tests two accounts of one workspace in the same groups over the sandbox: each sees the other's changes. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { PNG, upload } from '../../../../test/support/messaging/media.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let anna: string;
let bert: string;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  anna = await connect('anna');
  bert = await connect('bert');
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });

async function connect(name: string): Promise<string> {
  const { id } = (await call('/instances', { name, channel: 'sandbox' })).body;
  await call(`/instances/${id}/connect`, undefined, 'POST');
  await vi.waitFor(
    async () => expect((await call(`/instances/${id}`)).body.state).toBe('connected'),
    PATIENCE,
  );
  return id;
}

/** Requests an operation and waits for its job. @returns the result of the job */
async function done(path: string, body?: unknown, method = 'POST') {
  const asked = await call(path, body, method);
  expect(asked).toHaveStatus(202);
  return vi.waitFor(async () => {
    const job = (await call(`/jobs/${asked.body.id}`)).body;
    expect(job).toMatchObject({ state: 'succeeded', error: null });
    return job.result;
  }, PATIENCE);
}

/** Returns the group as an account has it. */
const seenBy = async (instance: string, subject: string) =>
  (await call(`/groups?instance_id=${instance}&q=${encodeURIComponent(subject)}`)).body.data[0];
const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);
const told = async (group: string, type: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
    (event) => event.type === type && event.data.object.id === group,
  );

describe('two accounts', () => {
  test('are in a group, and each receives the changes of the other', async () => {
    const made = await done('/groups', {
      instance_id: anna,
      subject: 'Launch',
      description: 'In May',
      participants: [{ address: 'bert' }, { address: 'alice' }],
    });
    const group = made.group;
    expect(group).toMatchObject({ instance_id: anna, role: 'owner', participants_count: 3 });
    const his = await eventually(async () => {
      const found = await seenBy(bert, 'Launch');
      expect(found).toMatchObject({ role: 'member', participants_count: 3, description: 'In May' });
      return found;
    });
    expect(his.id).not.toBe(group.id);
    expect(await told(his.id, 'group.joined')).toMatchObject([
      { data: { by: { address: 'anna', from_me: false } } },
    ]);
    expect(await told(group.id, 'group.created')).toHaveLength(1);
    expect(await told(group.id, 'group.joined')).toEqual([]);

    await done(`/groups/${group.id}`, { subject: 'Launch party', settings: { locked: true } }, 'PATCH');
    await eventually(async () =>
      expect((await call(`/groups/${his.id}`)).body).toMatchObject({
        subject: 'Launch party',
        settings: { locked: true },
      }),
    );
    expect((await told(his.id, 'group.updated'))[0]).toMatchObject({ data: { by: { address: 'anna' } } });
    expect((await call(`/chats/${his.chat_id}`)).body).toMatchObject({
      kind: 'group',
      title: 'Launch party',
    });
    const refused = await call(`/groups/${his.id}`, { subject: 'Mine' }, 'PATCH');
    await eventually(async () =>
      expect((await call(`/jobs/${refused.body.id}`)).body).toMatchObject({
        state: 'failed',
        error: { code: expect.any(String), detail: expect.any(String) },
      }),
    );

    await done(`/groups/${group.id}/participants`, {
      action: 'promote',
      participants: [{ address: 'bert' }],
    });
    await eventually(async () => expect((await call(`/groups/${his.id}`)).body.role).toBe('admin'));
    await done(`/groups/${his.id}/participants`, { action: 'remove', participants: [{ address: 'alice' }] });
    await eventually(async () => {
      const events = await told(group.id, 'group.participants_changed');
      expect(events.at(-1)).toMatchObject({
        data: {
          by: { address: 'bert' },
          changes: [{ action: 'removed', address: 'alice', role: null }],
        },
      });
    });
    await done(`/groups/${group.id}/participants`, { action: 'ban', participants: [{ address: 'bert' }] });
    await eventually(async () =>
      expect(await told(his.id, 'group.left')).toMatchObject([
        { data: { why: 'banned', by: { address: 'anna' }, object: { membership: 'banned', role: null } } },
      ]),
    );
    const out = await call(`/groups/${his.id}/leave`, undefined, 'POST');
    expect(out).toMatchObject({ status: 422, body: { code: 'not_in_group' } });
  });

  test('have the same picture in separate files', async () => {
    const { group } = await done('/groups', {
      instance_id: anna,
      subject: 'Pictured',
      participants: [{ address: 'bert' }],
    });
    const media = (await upload(app, home, { bytes: PNG, name: 'a.png', type: 'image/png' })).body;
    const after = await done(`/groups/${group.id}`, { picture: { media_id: media.id } }, 'PATCH');
    expect(after.group.picture).toEqual({ media_id: media.id });
    const his = await eventually(async () => {
      const found = await seenBy(bert, 'Pictured');
      expect(found.picture).toEqual({ media_id: expect.stringMatching(/^med_/) });
      return found;
    });
    const received = (await call(`/media/${his.picture.media_id}`)).body;
    expect(received).toMatchObject({
      state: 'ready',
      mime_type: 'image/png',
      sha256: media.sha256,
      created_by: bert,
    });
    // It stays the same when the group is refreshed.
    await done(`/groups/${group.id}/refresh`);
    expect((await call(`/groups/${group.id}`)).body.picture).toEqual({ media_id: media.id });
    expect(await told(group.id, 'group.updated')).toHaveLength(1);

    const taken = await done(`/groups/${group.id}`, { picture: null }, 'PATCH');
    expect(taken.group.picture).toBeNull();
    await eventually(async () => {
      expect((await call(`/groups/${his.id}`)).body.picture).toBeNull();
      expect(await call(`/media/${received.id}`)).toHaveStatus(404);
    });
    // The caller's own file stays.
    expect(await call(`/media/${media.id}`)).toHaveStatus(200);
    const text = (await upload(app, home, { bytes: 'words', name: 'a.txt', type: 'text/plain' })).body;
    const no = await call(`/groups/${group.id}`, { picture: { media_id: text.id } }, 'PATCH');
    expect(no).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/picture/media_id', code: 'no_image' }] },
    });
  });

  test('join by the invitation until it is revoked', async () => {
    const { group } = await done('/groups', {
      instance_id: anna,
      subject: 'Invited',
      settings: { members_only: true },
    });
    const { url } = (await call(`/groups/${group.id}/invite`)).body;
    expect(url).toBe(group.invite_url);
    const renewed = await done(`/groups/${group.id}/invite/revoke`);
    expect(renewed.group.invite_url).not.toBe(url);
    const stale = await call('/groups/join', { instance_id: bert, invite: url });
    await eventually(async () =>
      expect((await call(`/jobs/${stale.body.id}`)).body).toMatchObject({ state: 'failed' }),
    );
    const joined = await done('/groups/join', {
      instance_id: bert,
      invite: renewed.group.invite_url,
      metadata: { from: 'test' },
    });
    expect(joined.group).toMatchObject({
      subject: 'Invited',
      instance_id: bert,
      role: 'member',
      metadata: { from: 'test' },
      created_by: expect.stringMatching(/^key_/),
    });
    await eventually(async () =>
      expect((await call(`/groups/${group.id}`)).body).toMatchObject({ participants_count: 2 }),
    );
    const left = await done(`/groups/${joined.group.id}/leave`);
    expect(left.group).toMatchObject({ membership: 'left' });
    await eventually(async () =>
      expect((await told(group.id, 'group.participants_changed')).at(-1)).toMatchObject({
        data: { changes: [{ action: 'left', address: 'bert' }] },
      }),
    );
  });
});
