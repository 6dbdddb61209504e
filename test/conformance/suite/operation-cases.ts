/** What can be done besides sending, in both directions; and that nothing is claimed which is not there. */
import { describe, expect, test } from 'vitest';
import type { ChannelOperation } from '../../../src/channels/contract/capabilities.ts';
import type { Connection, MessageRef } from '../../../src/channels/contract/connection.ts';
import { getNames } from './group-world.ts';
import { outbound, textMessage } from './samples.ts';
import { never, type Opened, type World } from './world.ts';
import type { Peer } from './harness.ts';

const METHODS: Partial<Record<ChannelOperation, (connection: Connection) => unknown>> = {
  edit: ({ edit }) => edit,
  revoke: ({ revoke }) => revoke,
  react: ({ react }) => react,
  pin: ({ setPinned }) => setPinned,
  read: ({ markRead }) => markRead,
  typing: ({ setTyping }) => setTyping,
  groups: ({ groups }) => groups,
  group_create: ({ groups }) => groups?.create,
  group_join: ({ groups }) => groups?.join,
  group_invite_revoke: ({ groups }) => groups?.revokeInvite,
  check_address: ({ contacts }) => contacts?.check,
  block: ({ contacts }) => contacts?.setBlocked,
  contact_list: ({ contacts }) => contacts?.list,
};

interface Case {
  opened: Opened;
  peer: Peer;
  /** A message of ours, and one of theirs, as a caller has them. */
  ours: MessageRef;
  theirs: MessageRef;
  ourId: string;
  theirId: string;
  /** Names by which a change may mean theirs. */
  theirNames: string[];
}

export function describeOperations(get: () => World): void {
  describe('operations', () => {
    /** A test of a capability; skipped where it is not claimed. */
    const proof = (
      capability: ChannelOperation,
      title: string,
      expectIt: (world: World, given: Case) => Promise<void>,
      needs: (peer: Peer) => unknown = () => true,
    ): void => {
      test(`${capability}: ${title}`, async ({ skip }) => {
        const world = get();
        if (!world.claims(capability)) skip('not applicable: it does not claim to');
        const opened = await world.pair();
        const { peer, account, send } = opened;
        if (!needs(peer)) skip('not applicable: nobody else does it on this channel, or it is not told');
        const message = outbound(peer, { text: 'ours' });
        const { externalId } = await send(message);
        const ourId = externalId ?? message.clientId;
        await world.seenBy(peer, 'message', (sight) => sight.externalId === ourId);
        const theirId = await peer.send(account, textMessage('theirs'));
        const heard = await world.told(opened, 'message', ({ externalId: id }) => id === theirId);
        const theirNames = getNames(heard);
        const ours = { clientId: message.clientId, externalId, fromMe: true, author: account.address };
        const theirs = { clientId: null, externalId: theirId, fromMe: false, author: peer.address };
        await world.proves(capability, () =>
          expectIt(world, { opened, peer, ours, theirs, ourId, theirId, theirNames }),
        );
      });
    };

    test('are there exactly where they are claimed', async () => {
      const { claims, open } = get();
      const { connection } = await open();
      for (const [capability, method] of Object.entries(METHODS))
        expect(method(connection) !== undefined, capability).toBe(claims(capability as ChannelOperation));
      const { operations, limits } = get().capabilities;
      const ofGroups = operations.filter((name) => name.startsWith('group_'));
      if (!claims('groups')) expect([ofGroups, limits.groupMembers]).toEqual([[], null]);
      if (claims('group_invite_revoke')) expect(operations).toContain('group_invite');
    });

    proof('edit', 'the other end sees the change', async ({ seenBy }, { opened, peer, ours, ourId }) => {
      await opened.connection.edit!(peer.chat, ours, 'changed', never());
      const seen = await seenBy(peer, 'edited', ({ externalId }) => externalId === ourId);
      expect(seen.text).toBe('changed');
    });
    proof(
      'edit',
      'theirs is told',
      async ({ told }, { opened, peer, theirId, theirNames }) => {
        await peer.edit!(opened.account, theirId, 'changed by them');
        expect(theirNames).toContain((await told(opened, 'edited')).externalId);
        expect((await told(opened, 'edited')).text).toBe('changed by them');
      },
      ({ edit }) => edit,
    );
    proof('revoke', 'the other end sees it', async ({ seenBy }, { opened, peer, ours, ourId }) => {
      await opened.connection.revoke!(peer.chat, ours, never());
      await seenBy(peer, 'revoked', ({ externalId }) => externalId === ourId);
    });
    proof(
      'revoke',
      'theirs is told',
      async ({ told }, { opened, peer, theirId, theirNames }) => {
        await peer.revoke!(opened.account, theirId);
        expect(theirNames).toContain((await told(opened, 'revoked')).externalId);
      },
      ({ revoke }) => revoke,
    );
    proof('react', 'the other end sees it, and that it is gone', async (world, given) => {
      const { opened, peer, theirs, theirId } = given;
      const { seenBy, capabilities } = world;
      const sees = async (): Promise<void> => {
        await opened.connection.react!(peer.chat, theirs, '👍', never());
        await seenBy(peer, 'reacted', (seen) => seen.externalId === theirId && seen.emoji === '👍');
      };
      if (capabilities.types.reaction) await world.proves('reaction', sees);
      else await sees();
      await opened.connection.react!(peer.chat, theirs, null, never());
      await seenBy(peer, 'reacted', (seen) => seen.externalId === theirId && seen.emoji === null);
    });
    proof(
      'react',
      'theirs is told',
      async ({ told }, { opened, peer, ourId }) => {
        await peer.react!(opened.account, ourId, '🎉');
        const reacted = await told(opened, 'reacted');
        expect(reacted).toMatchObject({ emoji: '🎉', author: peer.address, fromMe: false });
        expect([reacted.externalId, reacted.clientId]).toContain(ourId);
      },
      ({ react }) => react,
    );
    proof('pin', 'the other end sees it, and that it is gone', async ({ seenBy }, given) => {
      const { opened, peer, ours, theirs, ourId, theirId } = given;
      const { setPinned } = opened.connection;
      for (const [message, id] of [
        [ours, ourId],
        [theirs, theirId],
      ] as const)
        for (const isPinned of [true, false]) {
          await setPinned!(peer.chat, message, isPinned, never());
          // As after a crash.
          await setPinned!(peer.chat, message, isPinned, never());
          await seenBy(peer, 'pinned', (seen) => seen.externalId === id && seen.isPinned === isPinned);
        }
    });
    proof(
      'pin',
      'theirs is told',
      async ({ told }, { opened, peer, ourId }) => {
        await peer.pin!(opened.account, ourId);
        const pinned = await told(opened, 'pinned');
        expect(pinned.isPinned).toBe(true);
        expect([pinned.externalId, pinned.clientId]).toContain(ourId);
      },
      ({ pin }) => pin,
    );
    proof('reply', 'the other end sees what it answers', async ({ seenBy }, given) => {
      const { opened, peer, theirs, theirId } = given;
      await opened.send(outbound(peer, { text: 'an answer', replyTo: theirs, references: [theirId] }));
      const seen = await seenBy(peer, 'message', ({ text }) => text === 'an answer');
      expect(seen.replyTo).toBe(theirId);
    });
    proof('reply', 'theirs is told with what it answers', async ({ told }, { opened, peer, ourId }) => {
      const id = await peer.send(opened.account, { ...textMessage('their answer'), replyTo: ourId });
      const heard = await told(opened, 'message', ({ externalId }) => externalId === id);
      expect(heard.replyTo?.externalId).toBe(ourId);
    });
    proof('thread_ids', 'the other end sees the thread', async ({ seenBy }, { opened, peer }) => {
      await opened.send(outbound(peer, { text: 'in a thread', threadId: '7' }));
      const seen = await seenBy(peer, 'message', ({ text }) => text === 'in a thread');
      expect(seen.threadId).toBe('7');
    });
    proof('thread_ids', 'theirs is told with the thread', async ({ told }, { opened, peer }) => {
      const id = await peer.send(opened.account, { ...textMessage('in a thread'), threadId: '7' });
      const heard = await told(opened, 'message', ({ externalId }) => externalId === id);
      expect(heard).toMatchObject({ threadId: '7', chat: { key: peer.chat.key } });
    });
    proof('mention', 'the other end sees who', async ({ seenBy }, { opened, peer }) => {
      await opened.send(outbound(peer, { text: 'you there', mentions: [peer.address] }));
      const seen = await seenBy(peer, 'message', ({ text }) => text === 'you there');
      expect(seen.mentions).toEqual([peer.address]);
    });
    proof('read', 'the other end sees it', async ({ seenBy }, { opened, peer, theirs, theirId }) => {
      await opened.connection.markRead!(peer.chat, theirs, never());
      await seenBy(peer, 'receipt', (seen) => seen.externalId === theirId && seen.status === 'read');
    });
    proof(
      'read_receipts',
      'reading is told',
      async ({ told }, { opened, peer, ourId }) => {
        await peer.markRead!(opened.account, ourId);
        const receipt = await told(opened, 'receipt', ({ status }) => status === 'read');
        expect([receipt.externalId, receipt.clientId]).toContain(ourId);
      },
      ({ markRead }) => markRead,
    );
    proof(
      'delivery_receipts',
      'delivery is told, and the other end is told of it',
      async ({ told, seenBy, harness }, { opened, peer, ourId, theirId }) => {
        await peer.markDelivered!(opened.account, ourId);
        const receipt = await told(opened, 'receipt', ({ status }) => status === 'delivered');
        expect([receipt.externalId, receipt.clientId]).toContain(ourId);
        // A channel that sends requests gets its receipt as the response to them.
        if (harness.driver.ingress) return;
        await seenBy(peer, 'receipt', (seen) => seen.externalId === theirId && seen.status === 'delivered');
      },
      ({ markDelivered }) => markDelivered,
    );
    proof(
      'presence',
      'theirs is told',
      async ({ told }, { opened, peer }) => {
        await peer.comeOnline!(opened.account);
        expect(await told(opened, 'presence')).toMatchObject({ address: peer.address, isOnline: true });
      },
      ({ comeOnline }) => comeOnline,
    );
    proof('typing', 'the other end sees it', async ({ seenBy, harness }, { opened, peer }) => {
      await opened.connection.setTyping!(peer.chat, true, never());
      await seenBy(peer, 'typing', ({ isTyping }) => isTyping);
      await opened.connection.setTyping!(peer.chat, false, never());
      if (harness.stopsTyping === false) return;
      await seenBy(peer, 'typing', ({ isTyping }) => !isTyping);
    });
    proof(
      'typing',
      'theirs is told',
      async ({ told }, { opened, peer }) => {
        await peer.setTyping!(opened.account);
        expect(await told(opened, 'typing')).toMatchObject({ address: peer.address, isTyping: true });
      },
      ({ setTyping }) => setTyping,
    );
    proof('templates', 'are told after opening', async ({ told }, { opened }) => {
      const { all } = await told(opened, 'templates');
      expect(all).not.toEqual([]);
    });
    proof('check_address', 'an answer for each, in order', async ({ harness }, { opened, peer }) => {
      const { unknownAddress: unknown } = harness;
      const asked = unknown === undefined ? [peer.address] : [unknown, peer.address];
      const known = await opened.connection.contacts!.check!(asked, never());
      expect(known).toEqual(unknown === undefined ? [true] : [false, true]);
    });
    proof('contact_list', 'addresses are normalized', async ({ harness }, { opened }) => {
      const list = await opened.connection.contacts!.list!(never());
      for (const { address } of list) expect(harness.driver.normalizeAddress(address, {})).toBe(address);
    });
    proof('block', 'who is blocked is not heard', async ({ told }, { opened, peer }) => {
      const { contacts } = opened.connection;
      await contacts!.setBlocked!(peer.address, true, never());
      await peer.send(opened.account, textMessage('from somebody blocked'));
      await contacts!.setBlocked!(peer.address, false, never());
      const id = await peer.send(opened.account, textMessage('not blocked any more'));
      await told(opened, 'message', ({ externalId }) => externalId === id);
      const texts = opened.context.messages().map(({ text }) => text);
      expect(texts).not.toContain('from somebody blocked');
    });
  });
}
