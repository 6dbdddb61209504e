/** What groups have besides names and members: descriptions, pictures, bans, invitations, settings. */
import { describe, expect, test } from 'vitest';
import type { ChannelOperation } from '../../../src/channels/contract/capabilities.ts';
import type { GroupSettings } from '../../../src/channels/contract/connection.ts';
import { Refused } from './group-harness.ts';
import { type GroupCase, groupCase } from './group-world.ts';
import { getFile, outbound, sha256, textMessage } from './samples.ts';
import { never, type World } from './world.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

export function describeGroupSettings(get: () => World): void {
  const proof = (
    capability: ChannelOperation,
    title: string,
    expectIt: (given: GroupCase, skip: (why: string) => never) => Promise<void>,
  ): void => {
    test(`${capability}: ${title}`, async ({ skip }) => {
      const world = get();
      const given = await groupCase(world, capability, skip);
      await world.proves(capability, () => expectIt(given, skip));
    });
  };
  /** Sets it from here and from there, and sees it there and here. */
  const settles = async (given: GroupCase, setting: keyof GroupSettings): Promise<void> => {
    const { calls, ours, sees, theirs, peer, knows } = given;
    const group = await ours({ [setting]: true });
    await sees(group, { settings: { [setting]: true } });
    for (const value of [false, true]) {
      await calls.update(group.key, { settings: { [setting]: value } }, never());
      await sees(group, { settings: { [setting]: value } });
      expect((await calls.get(group.key, never())).settings?.[setting]).toBe(value);
    }
    const other = await theirs();
    for (const value of [true, false]) {
      await peer.groups.update(other, { settings: { [setting]: value } });
      await knows(other, { about: { settings: { [setting]: value } } });
    }
  };
  const rejected = { kind: 'rejected' };

  describe('groups have', () => {
    proof('group_description', 'changed here and there', async (given) => {
      const { calls, ours, sees, knows, peer, theirs } = given;
      const group = await ours();
      await calls.update(group.key, { description: 'What it is about: <i>all</i>' }, never());
      await sees(group, { description: 'What it is about: <i>all</i>' });
      await calls.update(group.key, { description: null }, never());
      await sees(group, { description: null });
      const other = await theirs();
      await peer.groups.update(other, { description: 'Theirs, described' });
      await knows(other, { about: { description: 'Theirs, described' } });
    });

    proof('group_picture', 'changed here and there, and taken away', async (given) => {
      const { calls, ours, sees, knows, peer, theirs } = given;
      const group = await ours();
      const received = { size: PIXEL.length, sha256: sha256(PIXEL) };
      const picture = getFile('image', PIXEL);
      await calls.update(group.key, { picture }, never());
      await calls.update(group.key, { picture }, never());
      await sees(group, { picture: sha256(PIXEL) });
      expect((await calls.get(group.key, never())).picture).toEqual({ received });
      await calls.update(group.key, { picture: null }, never());
      await sees(group, { picture: null });
      expect((await calls.get(group.key, never())).picture).toBeNull();
      const other = await theirs();
      await peer.groups.update(other, { picture: PIXEL });
      await knows(other, { about: { picture: { received } } });
    });

    proof('group_ban', 'who is shut out stays out, until let in again', async (given) => {
      const { calls, ours, other, sees } = given;
      const group = await ours();
      const does = async (action: 'ban' | 'unban'): Promise<void> => {
        for (let time = 0; time < 2; time++)
          expect(await calls.changeParticipants(group.key, action, [other.address], never())).toEqual([
            { address: other.address, error: null },
          ]);
      };
      await calls.changeParticipants(group.key, 'add', [other.address], never());
      await sees(group, {}, other);
      await does('ban');
      await sees(group, null, other);
      await expect(other.groups.join(group.address)).rejects.toThrow(Refused);
      await does('unban');
      await other.groups.join(group.address);
      await sees(group, {}, other);
    });
    proof('group_ban', 'of the account is told, and keeps it out', async (given) => {
      const { calls, theirs, peer, self, knows } = given;
      const group = await theirs();
      await peer.groups.changeParticipants(group, 'ban', self);
      await knows(group, { membership: 'banned' });
      await expect(calls.join(group.address, never())).rejects.toMatchObject(rejected);
      await peer.groups.changeParticipants(group, 'unban', self);
      await calls.join(group.address, never());
      await knows(group, { membership: 'joined' });
    });

    proof('group_invite', 'by which others come', async ({ calls, ours, other, sees }) => {
      const group = await ours();
      const { inviteUrl } = await calls.get(group.key, never());
      await other.groups.join(inviteUrl!);
      await sees(group, {}, other);
    });
    proof(
      'group_invite',
      'by which the account comes',
      async ({ calls, peer, world, self, rolesSeen }, skip) => {
        const invite = peer.groups.invite ?? skip('the harness makes no invitations');
        const group = await peer.groups.create({ subject: 'By invitation' }, []);
        const url = await invite(group);
        expect(await calls.join(url, never())).toMatchObject({ key: group.key });
        expect(await calls.join(url, never())).toMatchObject({ key: group.key });
        await world.eventually(async () => expect(Object.keys(await rolesSeen(group))).toContain(self));
      },
    );

    proof('group_invite_revoke', 'the old one is worth nothing', async (given) => {
      const { calls, ours, other, sees, world } = given;
      const group = await ours(world.harness.invitesIntoClosed ? { membersOnly: true } : {});
      const { inviteUrl: old } = await calls.get(group.key, never());
      const fresh = await calls.revokeInvite!(group.key, never());
      expect(fresh).not.toBe(old);
      expect((await calls.get(group.key, never())).inviteUrl).toBe(fresh);
      await expect(other.groups.join(old!)).rejects.toThrow(Refused);
      await other.groups.join(fresh!);
      await sees(group, {}, other);
    });

    proof('group_announce_only', 'only admins write', async (given) => {
      const { ours, theirs, peer, opened, sees, knows, calls } = given;
      await settles(given, 'announceOnly');
      const group = await ours({ announceOnly: true });
      await sees(group, { settings: { announceOnly: true } });
      await expect(peer.groups.within(group).send(opened.account, textMessage('hush'))).rejects.toThrow(
        Refused,
      );
      await calls.changeParticipants(group.key, 'promote', [peer.address], never());
      await given.world.eventually(() => peer.groups.within(group).send(opened.account, textMessage('now')));
      await given.world.told(opened, 'message', ({ text }) => text === 'now');
      const other = await theirs({ announceOnly: true });
      await knows(other, { about: { settings: { announceOnly: true } } });
      const message = outbound(peer.groups.within(other), { text: 'hush' });
      await expect(opened.send(message)).rejects.toMatchObject(rejected);
    });

    proof('group_locked', 'only admins change it', async (given) => {
      const { ours, theirs, peer, sees, knows, calls } = given;
      await settles(given, 'locked');
      const group = await ours({ locked: true });
      await sees(group, { settings: { locked: true } });
      await expect(peer.groups.update(group, { subject: 'By nobody' })).rejects.toThrow(Refused);
      const other = await theirs({ locked: true });
      await knows(other, { about: { settings: { locked: true } } });
      await expect(calls.update(other.key, { subject: 'By nobody' }, never())).rejects.toMatchObject(
        rejected,
      );
      await sees(other, { subject: 'Theirs' });
    });

    proof('group_members_only', 'nobody comes uninvited', async (given) => {
      const { ours, other, sees, peer, calls } = given;
      await settles(given, 'membersOnly');
      const group = await ours({ membersOnly: true });
      await sees(group, { settings: { membersOnly: true } });
      await expect(other.groups.join(group.address)).rejects.toThrow(Refused);
      const closed = await peer.groups.create({ subject: 'Closed', settings: { membersOnly: true } }, []);
      await expect(calls.join(closed.address, never())).rejects.toMatchObject(rejected);
    });
    proof('group_members_only', 'a removed member is out and stays out', async (given) => {
      const { calls, ours, other, sees } = given;
      const group = await ours({ membersOnly: true });
      await calls.changeParticipants(group.key, 'add', [other.address], never());
      await sees(group, {}, other);
      for (let time = 0; time < 2; time++)
        expect(await calls.changeParticipants(group.key, 'remove', [other.address], never())).toEqual([
          { address: other.address, error: null },
        ]);
      await sees(group, null, other);
      await expect(other.groups.join(group.address)).rejects.toThrow(Refused);
    });
  });
}
