/** A group in which the account talks with two others. */
import { test } from 'vitest';
import type { ChannelOperation } from '../../../src/channels/contract/capabilities.ts';
import type { ChatRef, MessageRef } from '../../../src/channels/contract/connection.ts';
import type { InboundMessage } from '../../../src/channels/contract/signal.ts';
import { type GroupCase, groupCase, getNames } from './group-world.ts';
import type { Peer } from './harness.ts';
import { outbound, textMessage } from './samples.ts';
import type { World } from './world.ts';

export interface Talk extends GroupCase {
  group: ChatRef;
  /** The two others, in the group. */
  one: Peer;
  two: Peer;
}

/** Makes cases in a group of the peer's with the account and another in it. */
export const talkCases =
  (get: () => World) =>
  (
    title: string,
    expectIt: (given: Talk, skip: (why: string) => never) => Promise<void>,
    needed: ChannelOperation[] = [],
  ): void => {
    test(`groups: ${title}`, async ({ skip }) => {
      const world = get();
      const given = await groupCase(world, 'groups', skip);
      for (const capability of needed)
        if (!world.claims(capability)) skip('not applicable: it does not claim to');
      const { peer, other, self } = given;
      const group = await peer.groups.create({ subject: 'Talk' }, [self, other.address]);
      await given.knows(group, { membership: 'joined' });
      await given.sees(group, {}, other);
      const [one, two] = [peer.groups.within(group), other.groups.within(group)];
      await world.proves('groups', () => expectIt({ ...given, group, one, two }, skip));
    });
  };

/** Sends a text from the account, which both others see. @returns it as a caller knows it, and its ID at the other end */
export async function say({ opened, one, two, world, self }: Talk, text: string) {
  const message = outbound(one, { text });
  const { externalId } = await opened.send(message);
  const id = externalId ?? message.clientId;
  for (const peer of [one, two]) await world.seenBy(peer, 'message', (sight) => sight.externalId === id);
  const ref: MessageRef = { clientId: message.clientId, externalId, fromMe: true, author: self };
  return { id, ref, message };
}

/** By what the others' changes may name a message of ours: as it was sent, and as its copy was told. */
export const namesOfOurs = (
  { opened }: Talk,
  { id, message: { clientId } }: Awaited<ReturnType<typeof say>>,
): string[] => [
  id,
  clientId,
  ...opened.context
    .messages()
    .filter((copy) => copy.clientId === clientId)
    .flatMap(getNames),
];

/** One of the others writes; the account is told. */
export async function hear({ opened, world }: Talk, peer: Peer, text: string): Promise<InboundMessage> {
  const id = await peer.send(opened.account, textMessage(text));
  return world.told(opened, 'message', ({ externalId }) => externalId === id);
}

/** As a caller knows what came in. */
export const getRef = ({ externalId, from }: InboundMessage): MessageRef => ({
  clientId: null,
  externalId,
  fromMe: false,
  author: from,
});
