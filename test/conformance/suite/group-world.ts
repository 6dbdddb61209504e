/** What cases about groups share: groups of ours and of others, and what the account knows of them by what it was told. */
import { expect } from 'vitest';
import type { ChannelOperation } from '../../../src/channels/contract/capabilities.ts';
import type {
  ChatRef,
  GroupAbout,
  GroupCalls,
  GroupRole,
  GroupSettings,
} from '../../../src/channels/contract/connection.ts';
import type { GroupMembership, InboundMessage, Signal } from '../../../src/channels/contract/signal.ts';
import type { GroupSight, PeerGroups } from './group-harness.ts';
import type { Peer } from './harness.ts';
import { newUuid } from '../../../src/platform/http/ids.ts';
import { publicId } from '../../../src/core/vocabulary/ids.ts';
import { never, type Opened, type World } from './world.ts';

export type GroupPeer = Peer & { groups: PeerGroups };

/** What is known of a group by what was told of it: as the engine reckons. */
export interface KnownGroup {
  membership: GroupMembership | null;
  about: Partial<GroupAbout>;
  roles: Record<string, GroupRole>;
  /** Who did any of it. */
  by: Set<string>;
}

export function knownGroup(signals: readonly Signal[], key: string): KnownGroup {
  const known: KnownGroup = { membership: null, about: {}, roles: {}, by: new Set() };
  for (const signal of signals) {
    if (signal.kind !== 'group' || signal.key !== key) continue;
    const { membership, about, participants, by } = signal;
    if (membership) known.membership = membership;
    Object.assign(known.about, about);
    if (by !== null) known.by.add(by);
    if (participants && 'all' in participants)
      known.roles = Object.fromEntries(participants.all.map(({ address, role }) => [address, role]));
    else
      for (const { address, role } of participants?.changed ?? [])
        if (role === null) delete known.roles[address];
        else known.roles[address] = role;
  }
  return known;
}

/** Names by which a message may be meant later on. */
export const getNames = ({ externalId, uniqueId, aliases = [] }: InboundMessage): string[] => [
  externalId,
  ...(uniqueId === undefined ? [] : [uniqueId]),
  ...aliases,
];

/** By what a message is taken in once. */
export const takenBy = ({ externalId, uniqueId }: InboundMessage): string => uniqueId ?? externalId;

/** Of channels on which the account creates groups and joins them. */
export type FullGroupCalls = GroupCalls & Required<Pick<GroupCalls, 'create' | 'join'>>;

export interface GroupCase {
  world: World;
  opened: Opened;
  /** Somebody at the other end. */
  peer: GroupPeer;
  /** Somebody else there. */
  other: GroupPeer;
  calls: FullGroupCalls;
  /** Of the account. */
  self: string;
  /** Makes a group of the account's with the peer in it, who has come. */
  ours(settings?: Partial<GroupSettings>): Promise<ChatRef>;
  /** Makes a group of the peer's with the account in it, which was told so. */
  theirs(settings?: Partial<GroupSettings>): Promise<ChatRef>;
  /** Waits until the peer, or another, sees the group so. */
  sees(group: ChatRef, wanted: object | null, who?: GroupPeer): Promise<GroupSight | null>;
  /** Waits until the account knows the group so; `by` what it must have been told of who did it, where that is told. */
  knows(group: ChatRef, wanted: object): Promise<KnownGroup>;
  rolesSeen(group: ChatRef): Promise<Record<string, GroupRole>>;
}

export const getRoles = (sight: GroupSight | null): Record<string, GroupRole> =>
  Object.fromEntries((sight?.participants ?? []).map(({ address, role }) => [address, role]));

/** @param skip ends the case where the channel has no groups, or the harness can't see them */
export async function groupCase(
  world: World,
  capability: ChannelOperation,
  skip: (why: string) => never,
): Promise<GroupCase> {
  if (!world.claims(capability)) skip('not applicable: it does not claim to');
  for (const needed of ['group_create', 'group_join', 'group_add'] as const)
    if (!world.claims(needed)) skip(`not applicable: it does not claim ${needed}`);
  const opened = await world.pair();
  const other = await world.harness.makePeer();
  const { peer, account, connection } = opened;
  if (!peer.groups || !other.groups) skip('the harness cannot be in groups');
  const calls = connection.groups as FullGroupCalls;
  const one = peer as GroupPeer;
  const given: GroupCase = {
    world,
    opened,
    peer: one,
    other: other as GroupPeer,
    calls,
    self: account.address,
    async ours(settings = {}) {
      const { group } = await calls.create(
        {
          clientId: publicId('group', newUuid()),
          subject: 'Ours',
          description: null,
          settings,
          participants: [peer.address],
        },
        never(),
      );
      const chat: ChatRef = { kind: 'group', key: group.key, address: group.address, title: group.subject };
      await given.sees(chat, {});
      return chat;
    },
    async theirs(settings) {
      const chat = await one.groups.create({ subject: 'Theirs', ...(settings ? { settings } : {}) }, [
        account.address,
      ]);
      await given.knows(chat, { membership: 'joined', about: { subject: 'Theirs' } });
      return chat;
    },
    sees: (group, wanted, who = one) =>
      world.eventually(async () => {
        const sight = await who.groups.see(group);
        if (wanted === null) expect(sight).toBeNull();
        else {
          // Who has not come yet sees null, which the matcher takes for {}.
          expect(sight).not.toBeNull();
          expect(sight).toMatchObject(wanted);
        }
        return sight;
      }),
    knows: (group, wanted) =>
      world.eventually(() => {
        const known = knownGroup(opened.context.store.signals, group.key);
        expect(known).toMatchObject(wanted);
        return known;
      }),
    rolesSeen: async (group) => getRoles(await one.groups.see(group)),
  };
  return given;
}

/** Nobody but these did anything, as far as it was told. */
export const expectBy = ({ by }: KnownGroup, ...people: string[]): void => {
  for (const address of by) expect(people).toContain(address);
};
