/** Names that writers choose: two messages may have the same, and nobody reaches another's by it. */
import { describe, expect, test } from 'vitest';
import { getNames, takenBy } from './group-world.ts';
import type { Peer } from './harness.ts';
import { textMessage } from './samples.ts';
import type { Opened, World } from './world.ts';

export function describeNames(get: () => World): void {
  describe('names that writers choose', () => {
    const expectTexts = async (opened: Opened, texts: readonly string[]): Promise<void> => {
      const { eventually } = get();
      await eventually(() =>
        expect(opened.context.messages().map(({ text }) => text)).toEqual(expect.arrayContaining([...texts])),
      );
      const heard = opened.context.messages().filter(({ text }) => texts.includes(text!));
      // Each is taken in, once.
      expect(new Set(heard.map(takenBy)).size).toBe(texts.length);
    };

    interface Writer extends Peer {
      sendUnder: NonNullable<Peer['sendUnder']>;
    }
    const writer = (peer: Peer, skip: (why: string) => never): Writer => {
      const sendUnder = peer.sendUnder ?? skip('not applicable: writers choose no names');
      return { ...peer, sendUnder };
    };

    test('may come twice, from one and from others: all are taken in', async ({ skip }) => {
      const { pair, harness } = get();
      const opened = await pair();
      const { account } = opened;
      const one = writer(opened.peer, skip);
      const other = writer(await harness.makePeer(), skip);
      await one.sendUnder(account, 'the-same', 'the first');
      await one.sendUnder(account, 'the-same', 'the second');
      await other.sendUnder(account, 'the-same', 'from another');
      await expectTexts(opened, ['the first', 'the second', 'from another']);
    });

    /** The forger writes under the same name, and changes what has it. */
    const expectNoReach = async (opened: Opened, one: Writer, forger: Writer): Promise<void> => {
      const { told } = get();
      const { account } = opened;
      await one.sendUnder(account, 'wanted', 'not yours');
      const theirs = await told(opened, 'message', ({ text }) => text === 'not yours');
      await forger.sendUnder(account, 'wanted', 'mine');
      await forger.edit?.(account, 'wanted', 'forged');
      await forger.revoke?.(account, 'wanted');
      const last = await forger.send(account, textMessage('the end'));
      await told(opened, 'message', ({ externalId }) => externalId === last);
      for (const signal of opened.context.store.signals)
        if (signal.kind === 'edited' || signal.kind === 'revoked')
          expect(getNames(theirs)).not.toContain(signal.externalId);
    };

    test('reach no message of another', async ({ skip }) => {
      const { pair, harness } = get();
      const opened = await pair();
      const other = await harness.makePeer();
      await expectNoReach(opened, writer(opened.peer, skip), writer(other, skip));
    });

    test('reach no message of another in a group', async ({ skip }) => {
      const { pair, harness, claims, told, eventually } = get();
      if (!claims('groups')) skip('not applicable: it has no groups');
      if (!claims('group_create')) skip('not applicable: it does not claim group_create');
      const opened = await pair();
      const { peer, account } = opened;
      const other = await harness.makePeer();
      const groups = peer.groups ?? skip('the harness cannot be in groups');
      const others = other.groups ?? skip('the harness cannot be in groups');
      const group = await groups.create({ subject: 'Names' }, [account.address, other.address]);
      await told(opened, 'group', ({ key, membership }) => key === group.key && membership === 'joined');
      await eventually(async () => expect(await others.see(group)).not.toBeNull());
      await expectNoReach(opened, writer(groups.within(group), skip), writer(others.within(group), skip));
    });
  });
}
