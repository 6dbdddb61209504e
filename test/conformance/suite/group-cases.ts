/** Groups: made, changed, entered and left, from both sides. */
import { describe, expect, test } from 'vitest';
import type { ChannelOperation } from '../../../src/channels/contract/capabilities.ts';
import type { ParticipantAction } from '../../../src/channels/contract/connection.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import { expectBy, type GroupCase, groupCase, knownGroup, getRoles } from './group-world.ts';
import { never, type World } from './world.ts';

export function describeGroups(get: () => World): void {
  /** A case of a capability; skipped where it is not claimed, or nobody at the other end can be in groups. */
  const proof = (
    title: string,
    expectIt: (given: GroupCase, skip: (why: string) => never) => Promise<void>,
    capability: ChannelOperation = 'groups',
  ): void => {
    test(`${capability}: ${title}`, async ({ skip }) => {
      const world = get();
      const given = await groupCase(world, capability, skip);
      await world.proves(capability, () => expectIt(given, skip));
    });
  };

  describe('a group of ours', () => {
    proof(
      'is made, with those who are to be in it',
      async ({ calls, peer, other, self, sees, world }) => {
        const { group, participants } = await calls.create(
          {
            clientId: publicId('group', newUuid()),
            subject: 'Grüße & <b>mehr</b>',
            description: null,
            settings: {},
            participants: [peer.address, other.address],
          },
          never(),
        );
        expect(participants).toEqual([peer, other].map(({ address }) => ({ address, error: null })));
        expect(group).toMatchObject({ subject: 'Grüße & <b>mehr</b>', address: group.key });
        expect(world.harness.driver.normalizeAddress(group.address, {})).toBe(group.address);
        const chat = { kind: 'group' as const, key: group.key, address: group.address };
        const roles = { [self]: 'owner', [peer.address]: 'member', [other.address]: 'member' };
        for (const one of [peer, other]) {
          const sight = await sees(chat, { subject: 'Grüße & <b>mehr</b>' }, one);
          await world.eventually(async () => expect(getRoles(await one.groups.see(chat))).toEqual(roles));
          expect(sight).not.toBeNull();
        }
        const info = await calls.get(group.key, never());
        expect(info).toMatchObject({ key: group.key, subject: group.subject });
        expect(getRoles({ participants: info.participants } as never)).toEqual(roles);
      },
      'group_create',
    );

    proof(
      'that is made twice under one client id is one',
      async ({ calls, peer, world }) => {
        const input = {
          clientId: publicId('group', newUuid()),
          subject: 'Once',
          description: null,
          settings: {},
          participants: [peer.address],
        };
        const first = await calls.create(input, never());
        const again = await calls.create(input, never());
        expect(again.group.key).toBe(first.group.key);
        expect(again.participants).toEqual(first.participants);
        const others = await calls.create({ ...input, clientId: publicId('group', newUuid()) }, never());
        expect(others.group.key).not.toBe(first.group.key);
        expect(world.harness.driver.normalizeAddress(others.group.key, {})).toBe(others.group.key);
      },
      'group_create',
    );

    proof('is called anew, and by nobody twice', async ({ calls, ours, sees, knows, peer, self }) => {
      const group = await ours();
      await calls.update(group.key, { subject: 'Called anew' }, never());
      await calls.update(group.key, { subject: 'Called anew' }, never());
      await sees(group, { subject: 'Called anew' });
      expect(await calls.get(group.key, never())).toMatchObject({ subject: 'Called anew' });
      await peer.groups.update(group, { subject: 'By a member' });
      expectBy(await knows(group, { about: { subject: 'By a member' } }), self, peer.address);
    });

    proof(
      'is filled and emptied; what is so already is no fault',
      async (given) => {
        const { calls, ours, other, sees, world, rolesSeen } = given;
        const group = await ours();
        const does = async (action: ParticipantAction, role: string | undefined): Promise<void> => {
          for (let time = 0; time < 2; time++)
            expect(await calls.changeParticipants(group.key, action, [other.address], never())).toEqual([
              { address: other.address, error: null },
            ]);
          await world.eventually(async () => expect((await rolesSeen(group))[other.address]).toBe(role));
        };
        await does('add', 'member');
        await sees(group, {}, other);
        if (world.claims('group_promote'))
          await world.proves('group_promote', async () => {
            await does('promote', 'admin');
            await does('demote', 'member');
          });
        await does('remove', undefined);
        await sees(group, null, other);
      },
      'group_add',
    );

    proof(
      'tells who could not be added, and adds the others',
      async (given, skip) => {
        const { calls, ours, other, world, sees } = given;
        const unknown =
          world.harness.unknownMember ?? skip('not applicable: its server lets anybody be added');
        const group = await ours();
        const outcomes = await calls.changeParticipants(group.key, 'add', [unknown, other.address], never());
        expect(outcomes).toMatchObject([
          { address: unknown, error: { code: expect.stringMatching(/^[a-z_]+$/) } },
          { address: other.address, error: null },
        ]);
        await sees(group, {}, other);
      },
      'group_add',
    );

    proof('is left, once and twice', async ({ calls, ours, peer, world, self }) => {
      const group = await ours();
      await calls.leave(group.key, never());
      await calls.leave(group.key, never());
      await world.eventually(async () => {
        const left = (await peer.groups.see(group))?.participants.find(({ address }) => address === self);
        expect(left ?? { isAbsent: true }).toMatchObject({ isAbsent: true });
      });
      await expect(calls.update(group.key, { subject: 'From outside' }, never())).rejects.toMatchObject({
        kind: 'rejected',
      });
    });

    proof('that members leave tells of it', async ({ ours, knows, world, peer, self, opened }) => {
      const group = await ours();
      await peer.groups.leave(group);
      await world.eventually(async () => {
        const { roles } = knownGroup(opened.context.store.signals, group.key);
        expect(Object.keys(roles)).not.toContain(peer.address);
      });
      expectBy(await knows(group, {}), peer.address, self);
    });
  });

  describe('a group of others', () => {
    proof('to which the account is added is told', async ({ theirs, knows, peer, self, calls }) => {
      const group = await theirs();
      const known = await knows(group, { roles: { [peer.address]: 'owner', [self]: 'member' } });
      expectBy(known, peer.address, self);
      expect(await calls.get(group.key, never())).toMatchObject({ subject: 'Theirs' });
    });

    proof('that changes is told, with who is in it as what', async (given) => {
      const { theirs, knows, peer, other, self } = given;
      const group = await theirs();
      await peer.groups.update(group, { subject: 'Changed' });
      await knows(group, { about: { subject: 'Changed' } });
      await peer.groups.changeParticipants(group, 'add', other.address);
      await knows(group, { roles: { [other.address]: 'member' } });
      await peer.groups.changeParticipants(group, 'promote', other.address);
      await knows(group, { roles: { [other.address]: 'admin' } });
      await peer.groups.changeParticipants(group, 'demote', other.address);
      await knows(group, { roles: { [other.address]: 'member' } });
      await peer.groups.changeParticipants(group, 'promote', self);
      await knows(group, { roles: { [self]: 'admin' } });
      await peer.groups.changeParticipants(group, 'remove', other.address);
      const known = await given.world.eventually(() => {
        const now = knownGroup(given.opened.context.store.signals, group.key);
        expect(Object.keys(now.roles).toSorted()).toEqual([peer.address, self].toSorted());
        return now;
      });
      expectBy(known, peer.address, self, other.address);
    });

    proof('that puts the account out tells it, and takes nothing from it', async (given) => {
      const { theirs, knows, peer, self, calls } = given;
      const group = await theirs();
      await peer.groups.changeParticipants(group, 'remove', self);
      expectBy(await knows(group, { membership: 'removed' }), peer.address, self);
      await expect(calls.update(group.key, { subject: 'Still here' }, never())).rejects.toMatchObject({
        kind: 'rejected',
      });
    });

    proof('that ends is told', async ({ theirs, knows, peer }, skip) => {
      const destroy = peer.groups.destroy ?? skip('the harness cannot end a group');
      const group = await theirs();
      await destroy(group);
      await knows(group, { membership: 'destroyed' });
    });

    proof(
      'is joined by its address, once and twice',
      async ({ peer, calls, world, self, rolesSeen }) => {
        const group = await peer.groups.create(
          { subject: 'Open', settings: { membersOnly: false, announceOnly: false, locked: false } },
          [],
        );
        const info = await calls.join(group.address, never());
        expect(info).toMatchObject({ key: group.key, address: group.address, subject: 'Open' });
        expect(await calls.join(group.address, never())).toMatchObject({ key: group.key });
        await world.eventually(async () => expect(Object.keys(await rolesSeen(group))).toContain(self));
        await calls.leave(group.key, never());
        await world.eventually(async () => expect(Object.keys(await rolesSeen(group))).not.toContain(self));
      },
      'group_join',
    );

    proof(
      'that does not exist is not joined, nor made by it',
      async ({ calls, world }, skip) => {
        const address = world.harness.unknownGroup ?? skip('the harness knows none');
        for (let time = 0; time < 2; time++)
          await expect(calls.join(address, never())).rejects.toMatchObject({ kind: 'rejected' });
        await expect(calls.get(address, never())).rejects.toMatchObject({ kind: 'rejected' });
      },
      'group_join',
    );

    proof('is changed by no stranger, and by no member who may not', async (given) => {
      const { peer, other, calls, theirs, self, rolesSeen, sees } = given;
      const closed = await peer.groups.create(
        { subject: 'Closed', settings: { membersOnly: true, locked: true } },
        [other.address],
      );
      const rejected = { kind: 'rejected' };
      await expect(calls.get(closed.key, never())).rejects.toMatchObject(rejected);
      await expect(calls.update(closed.key, { subject: 'Mine' }, never())).rejects.toMatchObject(rejected);
      const member = await theirs({ locked: true });
      await peer.groups.changeParticipants(member, 'add', other.address);
      await sees(member, {}, other);
      /** As a whole, or for that one. */
      const expectRefused = async (key: string, action: ParticipantAction, address: string) => {
        const outcomes = await calls
          .changeParticipants(key, action, [address], never())
          .catch((error: unknown) => {
            expect(error).toMatchObject(rejected);
            return [];
          });
        for (const { error } of outcomes) expect(error).not.toBeNull();
      };
      for (const { key } of [closed, member])
        for (const action of ['remove', 'promote'] as const) await expectRefused(key, action, other.address);
      await expectRefused(member.key, 'promote', self);
      expect(await rolesSeen(closed)).toEqual({ [peer.address]: 'owner', [other.address]: 'member' });
      expect(await rolesSeen(member)).toMatchObject({ [self]: 'member', [other.address]: 'member' });
      await sees(closed, { subject: 'Closed' });
    });
  });

  describe('groups that changed while the account was away', () => {
    /** What happens while there is no connection; then a new one with what was stored. */
    const away = async <T>(given: GroupCase, work: () => Promise<T>): Promise<T> => {
      const { opened, world } = given;
      await opened.connection.close();
      const result = await work();
      await world.open(opened.account, opened.context.store);
      return result;
    };

    proof('are told as they are by then', async (given) => {
      const { theirs, knows, peer, other } = given;
      const group = await theirs();
      await away(given, async () => {
        await peer.groups.update(group, { subject: 'Meanwhile' });
        await peer.groups.changeParticipants(group, 'add', other.address);
      });
      await knows(group, {
        membership: 'joined',
        about: { subject: 'Meanwhile' },
        roles: { [other.address]: 'member' },
      });
    });

    proof('and put it out, tell it', async (given) => {
      const { theirs, knows, peer, self } = given;
      const group = await theirs({ membersOnly: true });
      await away(given, () => peer.groups.changeParticipants(group, 'remove', self));
      await knows(group, { membership: 'removed' });
    });

    proof(
      'and shut it out, tell it',
      async (given) => {
        const { theirs, knows, peer, self } = given;
        const group = await theirs();
        await away(given, () => peer.groups.changeParticipants(group, 'ban', self));
        await knows(group, { membership: 'banned' });
      },
      'group_ban',
    );

    proof('and took it in, tell it', async (given) => {
      const { knows, peer, self } = given;
      const group = await away(given, () => peer.groups.create({ subject: 'New' }, [self]));
      await knows(group, { membership: 'joined', about: { subject: 'New' } });
    });

    proof('are told again after each opening', async (given) => {
      const { theirs, opened, world, peer, self } = given;
      const group = await theirs();
      await opened.connection.close();
      const { store } = opened.context;
      const heard = store.signals.length;
      await world.open(opened.account, store);
      await world.eventually(() =>
        expect(knownGroup(store.signals.slice(heard), group.key)).toMatchObject({
          membership: 'joined',
          about: { subject: 'Theirs' },
          roles: { [peer.address]: 'owner', [self]: 'member' },
        }),
      );
    });
  });
}
