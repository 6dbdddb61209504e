/** Tests that group operations are executed once, in order, and reported once. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import type { JobObject } from '../../../core/jobs/job.schema.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { startInbound } from '../../../../test/support/messaging/inbound.ts';
import { createQueueMaintenance, clearQueue } from '../queue/maintenance.ts';
import type { Sender } from '../queue/sender.ts';
import { getHolding, sent, startSender } from '../../../../test/support/messaging/queue.ts';
import { getGroup } from './group-read.service.ts';
import type { GroupObject } from './group.schema.ts';
import * as service from './group.service.ts';
import {
  ABOUT,
  createGroupWorld,
  groupSignal,
  type GroupWorld,
  member,
  OWN,
} from '../../../../test/support/messaging/groups.ts';

let database: TestDatabase;
let world: GroupWorld;
let sender: Sender & { logged: string[] };
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await createGroupWorld(database);
  sender = startSender(world);
});
afterEach(async () => {
  await sender.detach(world.instanceId);
  await sender.stop();
});

/** Requests an operation, lets the connection execute it, and waits for the job. */
async function done(ask: Promise<JobObject>): Promise<JobObject> {
  const { id } = await ask;
  if (!sender.has(world.instanceId)) sender.attach(world.held);
  sender.wake();
  return vi.waitFor(async () => {
    const job = await world.job(id);
    expect(['succeeded', 'failed', 'canceled']).toContain(job.state);
    return job;
  }, PATIENCE);
}
const inUnit = <T>(work: Parameters<typeof world.units.write<T>>[0]) => world.units.write(work);
const create = (participants: string[] = ['alice'], more: object = {}) =>
  inUnit((unit) =>
    service.createGroup(unit, world.deps, world.actor, {
      instance_id: publicId('instance', world.instanceId),
      subject: 'Spring',
      participants: participants.map((address) => ({ address })),
      ...more,
    }),
  );
const groupIn = (job: JobObject) => job.result!['group'] as GroupObject;
/** Creates a group. */
const made = async (participants?: string[], more?: object): Promise<{ id: string; group: GroupObject }> => {
  const group = groupIn(await done(create(participants, more)));
  return { group, id: toUuid('group', group.id)! };
};
const change = (id: string, action: 'add' | 'remove' | 'promote' | 'ban', addresses: string[]) =>
  inUnit((unit) =>
    service.changeParticipants(unit, world.deps, world.workspaceId, id, {
      action,
      participants: addresses.map((address) => ({ address })),
    }),
  );
const update = (id: string, body: Parameters<typeof service.updateGroup>[4]) =>
  inUnit((unit) => service.updateGroup(unit, world.deps, world.workspaceId, id, body, null));
const ask = (id: string, deed: 'leave' | 'refresh' | 'revoke_invite') =>
  inUnit((unit) => service.ask(unit, world.deps, world.workspaceId, id, deed));
const types = async () => (await world.told()).map(({ type }) => type);
const read = async (id: string) => (await getGroup(world.units.read, world.workspaceId, id)).group;

describe('an operation', () => {
  test('creates a group with its chat, and reports who could not be added', async () => {
    world.script.refused.add('bob');
    const job = await done(
      create(['alice', 'bob'], { settings: { announce_only: true }, metadata: { team: 'a' } }),
    );
    expect(job).toMatchObject({ type: 'groups.create', state: 'succeeded', error: null });
    expect(job.result!['participants']).toEqual([
      { address: 'alice', error: null },
      { address: 'bob', error: { code: 'recipient_unknown', detail: 'Nobody has it.' } },
    ]);
    expect(groupIn(job)).toMatchObject({
      external_id: 'room1',
      subject: 'Spring',
      membership: 'joined',
      role: 'owner',
      owner: { address: OWN },
      participants: [
        { address: OWN, role: 'owner' },
        { address: 'alice', role: 'member', contact_id: null },
      ],
      participants_count: 2,
      settings: { announce_only: true, locked: false },
      invite_url: ABOUT.inviteUrl,
      metadata: { team: 'a' },
      created_by: 'key_test',
    });
    const [chat] = await world.query('select * from chats where workspace_id = $1', [world.workspaceId]);
    expect(chat).toMatchObject({ kind: 'group', key: 'room1', title: 'Spring' });
    expect(publicId('chat', chat!['id'])).toBe(groupIn(job).chat_id);
    expect(await world.told()).toMatchObject([
      { type: 'group.created', data: { by: { address: OWN, from_me: true, contact_id: null } } },
    ]);
    expect(await world.rows(world.instanceId)).toEqual([]);
  });

  test('is repeated if there was no response, and creates one group and one event', async () => {
    let tries = 0;
    world.script.before = (name) => {
      if (name === 'created' && ++tries < 3) throw new DriverError('unknown', 'no_answer', 'No answer.');
    };
    expect(await done(create())).toMatchObject({ state: 'succeeded' });
    expect(world.script.called).toEqual(['create', 'create', 'create']);
    expect(world.script.rooms.size).toBe(1);
    expect(await types()).toEqual(['group.created']);
  });

  test('is executed by the next holder if the first one dies, and reported once', async () => {
    const { id } = await create();
    const stuck = Promise.withResolvers<void>();
    world.script.before = (name) => (name === 'created' ? stuck.promise : undefined);
    sender.attach(world.held);
    await vi.waitFor(() => expect(world.script.called).toEqual(['create']), PATIENCE);
    const epoch = await world.take(world.instanceId, await world.addNode());
    const [row] = await world.query('select node_id from connections where instance_id = $1', [
      world.instanceId,
    ]);
    world.script.before = () => {};
    const next = getHolding(
      world,
      world.instanceId,
      epoch,
      { send: () => sent(), connection: world.held.connection },
      row!['node_id'],
    );
    const other = startSender(world);
    other.attach(next);
    await vi.waitFor(async () => expect(await world.job(id)).toMatchObject({ state: 'succeeded' }), PATIENCE);
    stuck.resolve();
    await vi.waitFor(() => expect(world.held.isLost).toBe(true), PATIENCE);
    expect(world.script.called).toEqual(['create', 'create']);
    expect(world.script.rooms.size).toBe(1);
    expect(await types()).toEqual(['group.created']);
    await other.detach(world.instanceId);
    await other.stop();
  });

  test('fails the job if the channel rejects it, with the channel error', async () => {
    const { id } = await made();
    world.script.before = (name) => {
      if (name === 'update') throw new DriverError('rejected', 'not_allowed', 'Only owners may.');
    };
    expect(await done(update(id, { subject: 'Summer' }))).toMatchObject({
      state: 'failed',
      error: { code: 'not_allowed', detail: 'Only owners may.' },
      result: null,
    });
    expect(await read(id)).toMatchObject({ subject: 'Spring' });
    expect(await types()).toEqual(['group.created']);
  });

  test('renames a group and its chat', async () => {
    const { id } = await made();
    const job = await done(
      update(id, { subject: 'Summer', description: 'Warm', settings: { locked: true } }),
    );
    expect(groupIn(job)).toMatchObject({
      subject: 'Summer',
      description: 'Warm',
      settings: { locked: true, announce_only: false },
    });
    expect((await world.told()).at(-1)).toMatchObject({
      type: 'group.updated',
      data: {
        previous_attributes: { subject: 'Spring', description: null },
        by: { address: OWN, from_me: true },
      },
    });
    expect(await world.query('select title from chats where workspace_id = $1', [world.workspaceId])).toEqual(
      [{ title: 'Summer' }],
    );
  });

  test('keeps a chat title that a user has set', async () => {
    const { id } = await made();
    await world.query(`update chats set title = 'Mine' where workspace_id = $1`, [world.workspaceId]);
    await done(update(id, { subject: 'Summer' }));
    expect(await world.query('select title from chats where workspace_id = $1', [world.workspaceId])).toEqual(
      [{ title: 'Mine' }],
    );
  });

  test('adds, promotes, removes and bans, with events', async () => {
    const { id } = await made(['alice', 'carl']);
    const job = await done(change(id, 'add', ['bob', 'bob']));
    expect(job.result!['participants']).toEqual([{ address: 'bob', error: null }]);
    expect(groupIn(job).participants_count).toBe(4);
    await done(change(id, 'promote', ['bob']));
    await done(change(id, 'remove', ['alice']));
    await done(change(id, 'ban', ['carl']));
    // Repeated, without effect.
    await done(change(id, 'add', ['bob']));
    await done(change(id, 'remove', ['alice']));
    const events = (await world.told()).slice(1);
    expect(events.map(({ type }) => type)).toEqual(events.map(() => 'group.participants_changed'));
    expect(events.map(({ data }) => data['changes'])).toEqual([
      [{ action: 'added', address: 'bob', contact_id: null, role: 'member' }],
      [{ action: 'promoted', address: 'bob', contact_id: null, role: 'admin' }],
      [{ action: 'removed', address: 'alice', contact_id: null, role: null }],
      [{ action: 'banned', address: 'carl', contact_id: null, role: null }],
      [{ action: 'demoted', address: 'bob', contact_id: null, role: 'member' }],
    ]);
  });

  test('leaves a group, after which further operations are rejected', async () => {
    const { id } = await made();
    const job = await done(ask(id, 'leave'));
    expect(groupIn(job)).toMatchObject({
      membership: 'left',
      role: null,
      participants: [{ address: 'alice' }],
    });
    expect((await world.told()).at(-1)).toMatchObject({
      type: 'group.left',
      data: { why: 'left', by: { from_me: true } },
    });
    await expect(ask(id, 'leave')).rejects.toMatchObject({ code: 'not_in_group' });
    await expect(update(id, { subject: 'Summer' })).rejects.toMatchObject({ code: 'not_in_group' });
    await expect(change(id, 'add', ['bob'])).rejects.toMatchObject({ code: 'not_in_group' });
    // Data that is only stored here can still be changed.
    expect(await update(id, { metadata: { a: 'b' } })).toMatchObject({ state: 'succeeded' });
  });

  test('joins a group, and rejoins it after leaving', async () => {
    world.script.rooms.set('open', {
      ...ABOUT,
      key: 'open',
      address: 'open',
      subject: 'Open',
      participants: [member('olga', 'owner')],
    });
    const join = () =>
      done(
        inUnit((unit) =>
          service.joinGroup(unit, world.deps, world.actor, {
            instance_id: publicId('instance', world.instanceId),
            invite: 'open',
          }),
        ),
      );
    const first = groupIn(await join());
    expect(first).toMatchObject({ membership: 'joined', role: 'member', owner: { address: 'olga' } });
    await done(ask(toUuid('group', first.id)!, 'leave'));
    world.script.rooms.set('open', {
      ...ABOUT,
      key: 'open',
      address: 'open',
      subject: 'Open',
      participants: [member('olga', 'owner'), member('paul')],
    });
    const again = groupIn(await join());
    expect(again).toMatchObject({ id: first.id, membership: 'joined', participants_count: 3 });
    expect(await types()).toEqual(['group.joined', 'group.left', 'group.joined']);
  });

  test('creates a new invitation', async () => {
    const { id } = await made();
    expect(groupIn(await done(ask(id, 'revoke_invite'))).invite_url).toBe(`${ABOUT.inviteUrl}+`);
    expect((await world.told()).at(-1)).toMatchObject({
      type: 'group.updated',
      data: { previous_attributes: { invite_url: ABOUT.inviteUrl } },
    });
  });

  test('refreshes a group without an actor', async () => {
    const { id } = await made();
    const room = world.script.rooms.get('room1')!;
    world.script.rooms.set('room1', { ...room, subject: 'Autumn' });
    expect(groupIn(await done(ask(id, 'refresh'))).subject).toBe('Autumn');
    expect((await world.told()).at(-1)).toMatchObject({ type: 'group.updated', data: { by: null } });
  });

  test('runs in the order of the chat', async () => {
    const { id, group } = await made();
    await sender.detach(world.instanceId);
    const sentTexts: string[] = [];
    const { connection } = world.held;
    const held = getHolding(world, world.instanceId, world.held.epoch, {
      send: (message) => {
        sentTexts.push(`${message.content.text} in ${world.script.rooms.get('room1')!.subject}`);
        return sent();
      },
      connection: { address: OWN, groups: connection.groups! },
    });
    const chatId = toUuid('chat', group.chat_id)!;
    await world.queue(world.instanceId, [{ chatId, text: 'one' }]);
    await update(id, { subject: 'Summer' });
    await world.queue(world.instanceId, [{ chatId, text: 'two' }]);
    sender.attach(held);
    await vi.waitFor(() => expect(sentTexts).toEqual(['one in Spring', 'two in Summer']), PATIENCE);
  });

  test('expires, and is canceled with the queue', async () => {
    const { id } = await create();
    const [row] = await world.rows(world.instanceId);
    const [{ wait }] = (await world.query(
      `select extract(epoch from expires_at - created_at)::int as wait from send_queue where id = $1`,
      [row!.id],
    )) as unknown as [{ wait: number }];
    expect(wait).toBe(600);
    await world.query(`update send_queue set expires_at = now() - interval '1 second' where id = $1`, [
      row!.id,
    ]);
    const maintenance = createQueueMaintenance({
      db: world.db,
      units: world.units,
      log: { error: () => {} },
      wakeSender: () => {},
    });
    maintenance.start();
    await vi.waitFor(
      async () => expect(await world.job(id)).toMatchObject({ state: 'failed', error: { code: 'expired' } }),
      PATIENCE,
    );
    await maintenance.stop();
    const second = await create();
    await inUnit((unit) => clearQueue(unit, world.workspaceId, world.instanceId));
    expect(await world.job(second.id)).toMatchObject({ state: 'canceled', error: { code: 'canceled' } });
    expect(world.script.called).toEqual([]);
  });

  test('ends if the connection turns out to have no groups', async () => {
    const held = getHolding(world, world.instanceId, world.held.epoch, { send: () => sent() });
    const { id } = await create();
    sender.attach(held);
    await vi.waitFor(
      async () =>
        expect(await world.job(id)).toMatchObject({
          state: 'failed',
          error: { code: 'unsupported_by_channel' },
        }),
      PATIENCE,
    );
  });
});

test('keeps data about a group that the channel does not report', async () => {
  const { id, group } = await made(['alice'], { settings: { announce_only: true } });
  const { calls } = world.script;
  const { get } = calls;
  calls.get = async (key, signal) => {
    const { settings: _settings, inviteUrl: _url, picture: _picture, ...told } = await get(key, signal);
    return told;
  };
  const expected = { invite_url: `${group.invite_url}+`, settings: group.settings, picture: group.picture };
  expect(groupIn(await done(ask(id, 'revoke_invite')))).toMatchObject(expected);
  expect(groupIn(await done(ask(id, 'refresh')))).toMatchObject(expected);
});

test('reports a group that was destroyed by leaving it', async () => {
  const { id } = await made();
  world.script.calls.leave = async () => {
    await world.query(`update groups set membership = 'destroyed' where id = $1`, [id]);
  };
  expect(groupIn(await done(ask(id, 'leave')))).toMatchObject({
    id: publicId('group', id),
    membership: 'destroyed',
  });
});

describe('rejects', () => {
  const refuses = async (work: Promise<unknown>, code: string, detail: RegExp) => {
    await expect(work).rejects.toMatchObject({ code });
    await expect(work).rejects.toThrow(detail);
    expect(await world.rows(world.instanceId)).toEqual([]);
    expect(
      await world.query('select 1 from jobs where workspace_id = $1 and state = $2', [
        world.workspaceId,
        'queued',
      ]),
    ).toEqual([]);
  };
  const without = (...operations: string[]) => {
    world.capabilities.operations = world.capabilities.operations.filter((one) => !operations.includes(one));
  };

  test('operations that the channel lacks, with the name of the capability', async () => {
    const { id } = await made();
    without('group_description', 'group_locked', 'group_ban', 'group_invite_revoke', 'group_picture');
    without('group_promote');
    const unsupported = 'unsupported_by_channel';
    await refuses(create([], { description: 'x' }), unsupported, /operations\.group_description/);
    await refuses(create([], { settings: { locked: true } }), unsupported, /operations\.group_locked/);
    await refuses(update(id, { settings: { locked: false } }), unsupported, /operations\.group_locked/);
    await refuses(update(id, { picture: null }), unsupported, /operations\.group_picture/);
    await refuses(change(id, 'ban', ['alice']), unsupported, /operations\.group_ban/);
    await refuses(change(id, 'promote', ['alice']), unsupported, /operations\.group_promote/);
    await refuses(ask(id, 'revoke_invite'), unsupported, /operations\.group_invite_revoke/);
    await refuses(
      create(Array.from({ length: 50 }, (_, n) => `p${n}`)),
      unsupported,
      /limits\.group_members/,
    );
    without('groups');
    await refuses(create(), unsupported, /operations\.groups/);
    await refuses(ask(id, 'leave'), unsupported, /operations\.groups/);
    expect(world.script.called).toEqual(['create']);
  });

  test('disconnected instances, empty participant lists, and the account itself', async () => {
    const { id } = await made();
    await refuses(change(id, 'remove', [OWN]), 'unprocessable', /leave/);
    const nobody = publicId('contact', world.workspaceId);
    await refuses(
      inUnit((unit) =>
        service.changeParticipants(unit, world.deps, world.workspaceId, id, {
          action: 'add',
          participants: [{ contact_id: nobody }],
        }),
      ),
      'not_found',
      /contact/,
    );
    await refuses(
      inUnit((unit) =>
        service.changeParticipants(unit, world.deps, world.workspaceId, id, {
          action: 'add',
          participants: [{}],
        }),
      ),
      'invalid_request',
      /1 field/,
    );
    await world.query(`update instances set state = 'disconnected' where id = $1`, [world.instanceId]);
    await refuses(create(), 'instance_disconnected', /disconnected/);
    await refuses(ask(id, 'refresh'), 'instance_disconnected', /disconnected/);
    expect(world.script.called).toEqual(['create']);
  });

  test('changes based on an outdated version', async () => {
    const { id } = await made();
    await expect(
      inUnit((unit) => service.updateGroup(unit, world.deps, world.workspaceId, id, { metadata: {} }, [7])),
    ).rejects.toMatchObject({ code: 'precondition_failed' });
  });
});

describe('a requested change that the channel also reports', () => {
  const hear = (...signals: ReturnType<typeof groupSignal>[]) =>
    startInbound(world).apply(world.held, signals, undefined);

  test('emits one event', async () => {
    const { id } = await made();
    await hear(
      groupSignal('room1', {
        membership: 'joined',
        about: { subject: 'Spring' },
        participants: { all: [member(OWN, 'owner'), member('alice')] },
      }),
    );
    const job = await update(id, { subject: 'Summer' });
    // The channel reports the change before its response is processed.
    world.script.before = async (name) => {
      if (name === 'get') await hear(groupSignal('room1', { about: { subject: 'Summer' }, by: OWN }));
    };
    await done(Promise.resolve(job));
    expect(await types()).toEqual(['group.created', 'group.updated']);
  });
});
