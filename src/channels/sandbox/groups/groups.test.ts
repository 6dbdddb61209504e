import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { getFile } from '../../../../test/conformance/suite/samples.ts';
import { knownGroup } from '../../../../test/conformance/suite/group-world.ts';
import type { GroupInfo, GroupSettings } from '../../contract/connection.ts';
import { deleteOldSandboxRows } from '../sandbox-retention.ts';
import {
  messageTo,
  type SandboxWorld,
  startSandboxWorld,
  type TestConnection,
} from '../../../../test/support/channels/sandbox/sandbox-world.ts';

let world: SandboxWorld;
beforeAll(async () => {
  world = await startSandboxWorld();
});
afterAll(() => world.stop());

const never = (): AbortSignal => new AbortController().signal;
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check);

const make = async (
  { connection }: TestConnection,
  participants: string[],
  settings: Partial<GroupSettings> = {},
): Promise<GroupInfo> => {
  const clientId = publicId('group', newUuid());
  const input = { clientId, subject: 'Team', description: null, settings, participants };
  return (await connection.groups!.create!(input, never())).group;
};
const getChat = ({ key, address }: GroupInfo) => ({ kind: 'group' as const, key, address, title: 'Team' });
const say = ({ connection }: TestConnection, group: GroupInfo, text: string, more: object = {}) =>
  connection.send({ ...messageTo(group.address, text), chat: getChat(group), ...more }, never());
const known = ({ context }: TestConnection, { key }: GroupInfo) => knownGroup(context.store.signals, key);
const getRoles = ({ participants }: GroupInfo) =>
  Object.fromEntries(participants.map(({ address, role }) => [address, role]));
const texts = ({ heard }: TestConnection): string[] => heard('message').map(({ text }) => text!);

describe.concurrent('scripted members', () => {
  test('answer when they are named, mentioned, answered or all are called; else nobody does', async () => {
    const me = await world.connect();
    const group = await make(me, ['alice', 'ann-miller', 'bob']);
    const { participants } = await me.connection.groups!.get(group.key, never());
    expect(participants.map(({ name }) => name)).toEqual(
      [me.account.name, 'Alice', 'Ann Miller', 'Bob'].map((name) =>
        name === me.account.name ? expect.any(String) : name,
      ),
    );
    await say(me, group, 'nobody is meant');
    await say(me, group, 'Bob: what now?');
    await say(me, group, 'is it you, Ann?');
    await say(me, group, 'psst', { mentions: ['alice'] });
    await eventually(() => expect(me.heard('message')).toHaveLength(3));
    const spokenSteps = new Map(me.heard('message').map((message) => [message.from, message]));
    expect(spokenSteps.get('bob')?.text).toBe('what now?');
    expect(spokenSteps.get('ann-miller')?.text).toBe('is it you, Ann?');
    expect(spokenSteps.get('alice')?.text).toBe('psst');
    expect(spokenSteps.get('bob')?.chat).toMatchObject({ kind: 'group', key: group.key, title: 'Team' });
    const { externalId } = spokenSteps.get('bob')!;
    const replyTo = { clientId: null, externalId, fromMe: false, author: 'bob' };
    await say(me, group, 'all, reply', { replyTo });
    await eventually(() => expect(me.heard('message')).toHaveLength(6));
    expect(new Set(me.heard('message').map((message) => message.externalId)).size).toBe(6);
    await say(me, group, 'quiet please, I say', { replyTo });
    await eventually(() => expect(me.heard('message')).toHaveLength(7));
    expect(me.heard('message').at(-1)?.from).toBe('bob');
  });

  test('are heard by all accounts of the group, who see the same', async () => {
    const [one, two] = [await world.connect(), await world.connect()];
    const group = await make(one, ['alice', two.account.address]);
    await say(one, group, 'alice react');
    await say(one, group, 'alice phone');
    await say(two, group, 'alice edit');
    for (const each of [one, two]) {
      await eventually(() => {
        expect(each.heard('reacted')).toMatchObject([{ author: 'alice', emoji: '👍' }]);
        expect(each.heard('edited')).toMatchObject([{ text: 'This was changed' }]);
      });
      expect(each.heard('edited')[0]!.externalId).toBe(
        each.heard('message').find(({ text }) => text === 'This will chnage')!.externalId,
      );
    }
    const phone = (each: TestConnection) =>
      each.heard('message').find(({ text }) => text === 'Written on my phone');
    expect(phone(one)).toMatchObject({ fromMe: true, from: one.account.address });
    expect(phone(two)).toMatchObject({ fromMe: false, from: one.account.address });
  });

  test('do what they are told, as far as they may, and everybody is told who did it', async () => {
    const [me, other] = [await world.connect(), await world.connect()];
    const group = await make(me, ['alice', 'bob', other.account.address]);
    const tells = (wanted: object) =>
      eventually(() => {
        for (const each of [me, other]) expect(known(each, group)).toMatchObject(wanted);
      });
    await say(me, group, 'alice, rename Tea & cake');
    await tells({ about: { subject: 'Tea & cake' } });
    await say(me, group, 'alice, kick bob');
    await eventually(() =>
      expect(texts(me)).toContain('I am not allowed to do that: I am not an admin here'),
    );
    await me.connection.groups!.changeParticipants(group.key, 'promote', ['alice'], never());
    await say(me, group, 'alice kick bob');
    await eventually(() => expect(known(other, group).roles).not.toHaveProperty('bob'));
    await say(me, group, 'alice add carol');
    await tells({ roles: { carol: 'member' } });
    await say(me, group, 'alice announce');
    await tells({ about: { settings: { announceOnly: true } } });
    await expect(say(other, group, 'hush')).rejects.toMatchObject({ kind: 'rejected', code: 'not_allowed' });
    await say(me, group, 'alice describe What it is');
    await say(me, group, 'alice picture');
    await tells({ about: { description: 'What it is', picture: { received: { size: 453 } } } });
    await say(me, group, `alice ban ${other.account.address}`);
    await eventually(() => expect(known(other, group).membership).toBe('banned'));
    await say(me, group, 'alice kick me');
    await eventually(() => expect(texts(me)).toContain('Only an owner can do this to an owner.'));
    await say(me, group, 'carol leave');
    await eventually(() => expect(known(me, group).roles).toEqual({ alice: 'admin' }));
    expect(getRoles(await me.connection.groups!.get(group.key, never()))).toEqual({
      [me.account.address]: 'owner',
      alice: 'admin',
    });
    expect([...known(me, group).by].toSorted()).toEqual(['alice', 'carol', me.account.address].toSorted());
    await say(me, group, 'alice destroy');
    await eventually(() => expect(known(me, group).membership).toBe('destroyed'));
    await expect(say(me, group, 'alice?')).rejects.toMatchObject({ code: 'group_unknown' });
  });

  test('make a group with who asks for it in it, or send an invitation; once for a message', async () => {
    const me = await world.connect();
    const asked = messageTo('dora', 'group');
    await me.connection.send(asked, never());
    await me.connection.send({ ...asked, attempt: 1 }, never());
    await eventually(() => expect(me.heard('group')).toHaveLength(1));
    expect(me.heard('group')[0]).toMatchObject({
      membership: 'joined',
      by: 'dora',
      about: { subject: "Dora's group" },
    });
    await me.send('erik', 'Invite me!');
    const [url] = await eventually(() => {
      const urls = texts(me).flatMap((text) => /^Join my group: (\S+)$/.exec(text)?.[1] ?? []);
      expect(urls).toHaveLength(1);
      return urls;
    });
    const group = await me.connection.groups!.join!(url!, never());
    expect(getRoles(group)).toMatchObject({ erik: 'owner', alice: 'member', [me.account.address]: 'member' });
    await expect(me.connection.groups!.join!(`${url}x`, never())).resolves.toMatchObject({ key: group.key });
    await say(me, group, 'erik kick me');
    await eventually(() => expect(known(me, group).membership).toBe('removed'));
    await expect(me.connection.groups!.join!(`${url}x`, never())).rejects.toMatchObject({
      code: 'invite_invalid',
    });
    await expect(me.connection.groups!.join!(group.address, never())).rejects.toMatchObject({
      code: 'invite_required',
    });
  });

  test('say nothing where replies are off', async () => {
    const me = await world.connect({ replies: false });
    const group = await make(me, ['alice']);
    await say(me, group, 'alice leave');
    await eventually(() =>
      expect(me.heard('receipt').map(({ status }) => status)).toEqual(['delivered', 'read']),
    );
    expect(getRoles(await me.connection.groups!.get(group.key, never()))).toHaveProperty('alice');
  });
});

describe.concurrent('receipts', () => {
  test('tell what everybody has got and read, and say nothing of what only some have', async () => {
    const [me, two, three] = [await world.connect(), await world.connect(), await world.connect()];
    const pair = await make(me, [two.account.address]);
    const { externalId } = await say(me, pair, 'for you');
    await eventually(() => expect(texts(two)).toEqual(['for you']));
    const ref = { clientId: null, externalId, fromMe: false, author: me.account.address };
    await two.connection.markRead!(getChat(pair), ref, never());
    await eventually(() => expect(me.heard('receipt')).toHaveLength(2));
    for (const receipt of me.heard('receipt')) expect(receipt).toMatchObject({ externalId, ofAll: true });
    const many = await make(me, [two.account.address, three.account.address, 'alice']);
    const second = await say(me, many, 'for all of you');
    await eventually(() => expect(texts(two)).toContain('for all of you'));
    await two.connection.markRead!(getChat(many), { ...ref, externalId: second.externalId }, never());
    await three.connection.setTyping!(getChat(many), true, never());
    await eventually(() => expect(me.heard('typing')).toHaveLength(1));
    expect(me.heard('receipt')).toHaveLength(2);
  });
});

describe.concurrent('roles', () => {
  test('of a member allow no more than changing what is not locked', async () => {
    const [owner, member] = [await world.connect(), await world.connect()];
    const group = await make(owner, ['alice', member.account.address]);
    const { groups } = member.connection;
    const rejection = { kind: 'rejected', code: 'not_allowed' };
    for (const action of ['add', 'remove', 'promote', 'demote', 'ban', 'unban'] as const)
      await expect(groups!.changeParticipants(group.key, action, ['alice'], never())).rejects.toMatchObject(
        rejection,
      );
    await expect(groups!.update(group.key, { settings: { locked: true } }, never())).rejects.toMatchObject(
      rejection,
    );
    await expect(groups!.revokeInvite!(group.key, never())).rejects.toMatchObject(rejection);
    await groups!.update(group.key, { subject: 'By a member' }, never());
    expect((await owner.connection.groups!.get(group.key, never())).subject).toBe('By a member');
  });

  test('of an admin end at owners, and the last owner stays one', async () => {
    const [owner, admin] = [await world.connect(), await world.connect()];
    const group = await make(owner, [admin.account.address]);
    await owner.connection.groups!.changeParticipants(group.key, 'promote', [admin.account.address], never());
    const own = [owner.account.address];
    for (const action of ['remove', 'ban', 'demote'] as const) {
      const byAdmin = await admin.connection.groups!.changeParticipants(group.key, action, own, never());
      expect(byAdmin).toMatchObject([{ error: { code: 'not_allowed' } }]);
      const byOwner = await owner.connection.groups!.changeParticipants(group.key, action, own, never());
      expect(byOwner).toMatchObject([{ error: { code: 'last_owner' } }]);
    }
    expect(getRoles(await owner.connection.groups!.get(group.key, never()))).toEqual({
      [owner.account.address]: 'owner',
      [admin.account.address]: 'admin',
    });
  });

  test('pass on when the last owner leaves: to the admin, else to who came first', async () => {
    const [owner, first, admin] = [await world.connect(), await world.connect(), await world.connect()];
    const group = await make(owner, [first.account.address, admin.account.address]);
    await owner.connection.groups!.changeParticipants(group.key, 'promote', [admin.account.address], never());
    await owner.connection.groups!.leave(group.key, never());
    const heir = admin.account.address;
    await eventually(() => expect(known(first, group).roles).toMatchObject({ [heir]: 'owner' }));
    expect(known(owner, group).membership).toBe('left');
    await admin.connection.groups!.leave(group.key, never());
    await eventually(() => expect(known(first, group).roles).toEqual({ [first.account.address]: 'owner' }));
  });

  test('and bounds: no more members than a group may have', async () => {
    const me = await world.connect();
    const many = Array.from({ length: 255 }, (_, nth) => `person-${nth}`);
    const group = await make(me, many);
    expect(group.participants).toHaveLength(256);
    const more = await me.connection.groups!.changeParticipants(
      group.key,
      'add',
      ['one-more', 'person-1'],
      never(),
    );
    expect(more).toMatchObject([{ error: { code: 'group_full' } }, { error: null }]);
  });
});

describe.concurrent("the sandbox's server", () => {
  test('makes one group for calls at the same time', async () => {
    const me = await world.connect();
    const input = {
      clientId: publicId('group', newUuid()),
      subject: 'Once \0',
      description: 'With a NUL \0',
      settings: {},
      participants: ['alice', 'fail@x'],
    };
    const created = await Promise.all(
      Array.from({ length: 5 }, () => me.connection.groups!.create!(input, never())),
    );
    expect(new Set(created.map(({ group }) => group.key)).size).toBe(1);
    for (const { group, participants } of created) {
      expect(group).toMatchObject({ subject: 'Once ', description: 'With a NUL ' });
      expect(participants).toMatchObject([{ error: null }, { error: { code: 'recipient_unknown' } }]);
    }
  });

  test('takes a message once, with all that comes of it', async () => {
    const [me, other] = [await world.connect(), await world.connect()];
    const group = await make(me, ['alice', other.account.address]);
    const message = { ...messageTo(group.address, 'alice rename Once'), chat: getChat(group) };
    const acceptance = await Promise.all(
      [0, 1, 2, 3].map((attempt) => me.connection.send({ ...message, attempt }, never())),
    );
    expect(new Set(acceptance.map(({ externalId }) => externalId)).size).toBe(1);
    await eventually(() => expect(texts(other)).toContain('Done'));
    expect(texts(other)).toEqual(['alice rename Once', 'Done']);
    await other.connection.groups!.changeParticipants(group.key, 'add', [], never()).catch(() => undefined);
    await me.connection.groups!.leave(group.key, never());
    // A name stays taken after its owner has left the group.
    await expect(me.connection.send({ ...message, attempt: 1 }, never())).resolves.toMatchObject({
      status: 'sent',
    });
  });

  test('does as faults ask it to, and what was done is done', async () => {
    const me = await world.connect();
    const group = await make(me, []);
    const add = (address: string) =>
      me.connection.groups!.changeParticipants(group.key, 'add', [address], AbortSignal.timeout(10_000));
    await expect(add('busy@x')).rejects.toMatchObject({ kind: 'busy' });
    await expect(add('unknown@x')).rejects.toMatchObject({ kind: 'unknown' });
    expect(await add('unknown@x')).toEqual([{ address: 'unknown@x', error: null }]);
    await expect(add('drop@x')).rejects.toMatchObject({ kind: 'unknown' });
    expect(me.context.endings).toMatchObject([{ kind: 'lost', code: 'connection_dropped' }]);
    await me.connection.close();
    const again = await world.connect({}, { account: me.account, store: me.context.store });
    const { participants } = await again.connection.groups!.get(group.key, never());
    expect(participants.map(({ address }) => address)).toEqual([me.account.address, 'unknown@x', 'drop@x']);
  });

  test('knows an account by its new name', async () => {
    const [me, other] = [await world.connect(), await world.connect()];
    const group = await make(me, [other.account.address]);
    await me.connection.close();
    const name = `${me.account.name}-new`;
    await world.database.pool.query('update instances set name = $2, address = $2 where id = $1', [
      me.account.instanceId,
      name,
    ]);
    const account = { ...me.account, name, address: name };
    const again = await world.connect({}, { account, store: me.context.store });
    await eventually(() => {
      for (const each of [other, again])
        expect(known(each, group).roles).toEqual({ [name]: 'owner', [other.account.address]: 'member' });
    });
    await say(again, group, 'still here');
    await eventually(() => expect(texts(other)).toEqual(['still here']));
  });

  test('takes pictures up to a bound, and nothing else for one', async () => {
    const me = await world.connect();
    const group = await make(me, []);
    const update = (bytes: Buffer, more = {}) =>
      me.connection.groups!.update(group.key, { picture: getFile('image', bytes, more) }, never());
    await expect(update(Buffer.alloc(10), { size: 2_000_000 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(update(Buffer.alloc(2_000_000), { size: 10 })).rejects.toMatchObject({ code: 'too_large' });
    await expect(update(Buffer.alloc(1), { mimeType: 'text/html' })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
    const bytes = Buffer.alloc(1_048_576, 7);
    await update(bytes);
    expect((await me.connection.groups!.get(group.key, never())).picture).toEqual({
      received: { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    });
  });

  test('knows no groups of other workspaces', async () => {
    const [me, stranger] = [await world.connect(), await world.connect()];
    const group = await make(me, ['alice']);
    await stranger.connection.close();
    const account = { ...stranger.account, workspaceId: newUuid() };
    const there = await world.connect({}, { account });
    await expect(there.connection.groups!.join!(group.inviteUrl!, never())).rejects.toMatchObject({
      code: 'group_unknown',
    });
    await expect(say(there, group, 'hello')).rejects.toMatchObject({ code: 'group_unknown' });
  });
});

// It deletes rows that other accounts have not received yet.
describe('the retention', () => {
  test('forgets groups that no account is in, a month later', async () => {
    const me = await world.connect();
    const [left, kept] = [await make(me, ['alice']), await make(me, ['alice'])];
    await me.connection.groups!.leave(left.key, never());
    const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);
    const count = async (table: string, column: string, { key }: GroupInfo): Promise<number> => {
      const { rows } = await world.database.pool.query(
        `select count(*)::int as n from ${table} where ${column} = $1`,
        [key.slice('group:'.length)],
      );
      return rows[0].n;
    };
    await deleteOldSandboxRows(world.database.db, inDays(29));
    expect(await count('sandbox_groups', 'id', left)).toBe(1);
    await deleteOldSandboxRows(world.database.db, inDays(31));
    expect(await count('sandbox_groups', 'id', left)).toBe(0);
    expect(await count('sandbox_group_members', 'group_id', left)).toBe(0);
    expect(await count('sandbox_groups', 'id', kept)).toBe(1);
    expect(await count('sandbox_group_members', 'group_id', kept)).toBe(2);
  });
});
