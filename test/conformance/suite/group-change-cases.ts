/** What is done to messages in groups, in both directions. */
import { describe, expect } from 'vitest';
import { hear, namesOfOurs, getRef, say, talkCases } from './group-talk.ts';
import { getNames } from './group-world.ts';
import { outbound, textMessage } from './samples.ts';
import { never, type World } from './world.ts';

export function describeGroupChanges(get: () => World): void {
  const talk = talkCases(get);
  describe('what is done to messages in a group', () => {
    talk(
      'answers name what they answer',
      async (given) => {
        const { one, opened, world } = given;
        const theirs = await hear(given, one, 'a question');
        await opened.send(
          outbound(one, {
            text: 'an answer',
            replyTo: getRef(theirs),
            references: [theirs.externalId],
          }),
        );
        const seen = await world.seenBy(one, 'message', ({ text }) => text === 'an answer');
        expect(seen.replyTo).toBe(theirs.externalId);
        const ours = await say(given, 'our question');
        const id = await one.send(opened.account, { ...textMessage('their answer'), replyTo: ours.id });
        const heard = await world.told(opened, 'message', ({ externalId }) => externalId === id);
        expect(namesOfOurs(given, ours)).toContain(heard.replyTo?.externalId);
      },
      ['reply'],
    );

    talk(
      'mentions name who is meant',
      async (given) => {
        const { one, two, opened, world, self } = given;
        await opened.send(outbound(one, { text: 'you there', mentions: [two.address] }));
        for (const peer of [one, two]) {
          const seen = await world.seenBy(peer, 'message', ({ text }) => text === 'you there');
          expect(seen.mentions).toEqual([two.address]);
        }
        const id = await one.send(opened.account, { ...textMessage('and you'), mentions: [self] });
        const heard = await world.told(opened, 'message', ({ externalId }) => externalId === id);
        expect(heard.mentions).toEqual([self]);
      },
      ['mention'],
    );

    talk(
      'reactions are seen, and that they are gone; theirs are told',
      async (given) => {
        const { one, two, opened, world, group } = given;
        const theirs = await hear(given, one, 'react to it');
        for (const emoji of ['👍', null]) {
          await opened.connection.react!(group, getRef(theirs), emoji, never());
          for (const peer of [one, two])
            await world.seenBy(
              peer,
              'reacted',
              (seen) => seen.externalId === theirs.externalId && seen.emoji === emoji,
            );
        }
        const ours = await say(given, 'ours to react to');
        await two.react!(opened.account, ours.id, '🎉');
        const reacted = await world.told(opened, 'reacted', ({ emoji }) => emoji === '🎉');
        expect(reacted).toMatchObject({ author: two.address, fromMe: false });
        expect(namesOfOurs(given, ours)).toContain(reacted.clientId ?? reacted.externalId);
      },
      ['react'],
    );

    talk(
      'changes are seen; theirs are told',
      async (given) => {
        const { one, two, opened, world, group } = given;
        const ours = await say(given, 'ours to change');
        await opened.connection.edit!(group, ours.ref, 'changed', never());
        for (const peer of [one, two]) {
          const seen = await world.seenBy(peer, 'edited', ({ externalId }) => externalId === ours.id);
          expect(seen.text).toBe('changed');
        }
        const theirs = await hear(given, two, 'theirs to change');
        await two.edit!(opened.account, theirs.externalId, 'changed by them');
        const edited = await world.told(opened, 'edited', ({ text }) => text === 'changed by them');
        expect(getNames(theirs)).toContain(edited.externalId);
      },
      ['edit'],
    );

    talk(
      'what is taken back is seen; theirs is told',
      async (given) => {
        const { one, two, opened, world, group } = given;
        const ours = await say(given, 'ours to take back');
        await opened.connection.revoke!(group, ours.ref, never());
        for (const peer of [one, two])
          await world.seenBy(peer, 'revoked', ({ externalId }) => externalId === ours.id);
        const theirs = await hear(given, two, 'theirs to take back');
        await two.revoke!(opened.account, theirs.externalId);
        await world.told(opened, 'revoked', ({ externalId }) => getNames(theirs).includes(externalId));
      },
      ['revoke'],
    );

    talk(
      'typing is seen, and told with who types where',
      async (given, skip) => {
        const { one, opened, world, group } = given;
        await opened.connection.setTyping!(group, true, never());
        await world.seenBy(one, 'typing', ({ isTyping }) => isTyping);
        const type = one.setTyping ?? skip('not applicable: nobody else types in its groups');
        await type(opened.account);
        const typing = await world.told(opened, 'typing');
        expect(typing).toMatchObject({ address: one.address, isTyping: true, chat: { key: group.key } });
      },
      ['typing'],
    );
  });
}
