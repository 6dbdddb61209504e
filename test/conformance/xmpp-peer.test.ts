/** The server of the tests and those who use it, tried without the product. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import type { Sight, TestAccount } from './suite/harness.ts';
import { getInbound, textMessage } from './suite/samples.ts';
import { readArchiveFor } from '../support/channels/xmpp/archive-reader.ts';
import { startPeer, type XmppPeer } from '../support/channels/xmpp/peer.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import type { XmppServer } from '../support/channels/xmpp/xmpp-server.ts';
import { openSession, settled } from '../support/channels/xmpp/session.ts';

describe('Prosody', needs(PROSODY, HAS_PROSODY), () => {
  let prosody: XmppServer;
  let ann: XmppPeer;
  let bob: XmppPeer;
  const getAccount = ({ address }: XmppPeer) => ({ address }) as TestAccount;
  const seen = (peer: Pick<XmppPeer, 'seen'>, matches: Partial<Sight>): Promise<Sight> =>
    vi.waitFor(async () => {
      const sights = await peer.seen();
      expect(sights).toContainEqual(expect.objectContaining(matches));
      return sights.find((sight) =>
        Object.entries(matches).every(([key, value]) => Reflect.get(sight, key) === value),
      )!;
    }, PATIENCE);

  beforeAll(async () => {
    prosody = await startProsody();
    ann = await startPeer(prosody, await prosody.addUser('ann'));
    bob = await startPeer(prosody, await prosody.addUser('bob'));
  });
  afterAll(async () => {
    await Promise.all([ann?.close(), bob?.close()]);
    await prosody?.stop();
  });

  test('takes what one says to the other, and all that is said about it', async () => {
    const to = getAccount(bob);
    const id = await ann.send(to, textMessage('hello'));
    await seen(bob, { kind: 'message', externalId: id, text: 'hello' });
    await bob.markDelivered!(getAccount(ann), id);
    await bob.markRead!(getAccount(ann), id);
    await seen(ann, { kind: 'receipt', externalId: id, status: 'delivered' });
    await seen(ann, { kind: 'receipt', externalId: id, status: 'read' });
    await bob.react!(getAccount(ann), id, '👍');
    await seen(ann, { kind: 'reacted', externalId: id, emoji: '👍' });
    await bob.setTyping!(getAccount(ann));
    await seen(ann, { kind: 'typing', isTyping: true });
    const reply = await bob.send(getAccount(ann), { ...textMessage('an answer 👍'), replyTo: id });
    await seen(ann, { kind: 'message', externalId: reply, text: 'an answer 👍', replyTo: id });
    await ann.edit!(to, id, 'changed');
    await seen(bob, { kind: 'edited', externalId: id, text: 'changed' });
    await ann.revoke!(to, id);
    await seen(bob, { kind: 'revoked', externalId: id });
    const bytes = randomBytes(5_000);
    const file = createHash('sha256').update(bytes).digest('hex');
    await ann.send(to, getInbound('image', bytes));
    await seen(bob, { kind: 'message', type: 'image', file });
    await ann.send(to, getInbound('location', bytes));
    const { data } = (await seen(bob, { kind: 'message', type: 'location' })) as Extract<
      Sight,
      { kind: 'message' }
    >;
    expect(data).toEqual({ latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate', address: null });
  });

  test('has rooms, into which people come who are added, and out of which they are thrown', async () => {
    const chat = await ann.groups.create({ subject: 'Tea', settings: { membersOnly: true } }, [bob.address]);
    await vi.waitFor(async () => expect(await bob.groups.see(chat)).not.toBeNull(), PATIENCE);
    expect(await bob.groups.see(chat)).toEqual({
      subject: 'Tea',
      description: null,
      picture: null,
      settings: { announceOnly: false, locked: false, membersOnly: true },
      participants: expect.arrayContaining([
        { address: ann.address, role: 'owner' },
        { address: bob.address, role: 'member' },
      ]),
    });
    const [mine, theirs] = [ann.groups.within(chat), bob.groups.within(chat)];
    const id = await mine.send(getAccount(bob), textMessage('hello all'));
    await seen(theirs, { kind: 'message', externalId: id, text: 'hello all', from: ann.address });
    await mine.edit!(getAccount(bob), id, 'hello everybody');
    await seen(theirs, { kind: 'edited', externalId: id, text: 'hello everybody' });
    await theirs.react!(getAccount(ann), id, '🎉');
    await seen(mine, { kind: 'reacted', externalId: id, emoji: '🎉' });
    await mine.revoke!(getAccount(bob), id);
    await seen(theirs, { kind: 'revoked', externalId: id });
    await ann.groups.update(chat, { subject: 'Coffee', description: 'not tea', settings: { locked: true } });
    await vi.waitFor(
      async () =>
        expect(await bob.groups.see(chat)).toMatchObject({ subject: 'Coffee', description: 'not tea' }),
      PATIENCE,
    );
    await ann.groups.changeParticipants(chat, 'ban', bob.address);
    await vi.waitFor(async () => expect(await bob.groups.see(chat)).toBeNull(), PATIENCE);
    await expect(bob.groups.join(`xmpp:${chat.key}?join`)).rejects.toThrow('registration-required');
  });

  test('who was away reads what a room took meanwhile, also where nothing had been said before', async () => {
    const chat = await ann.groups.create({ subject: 'Silent' }, [bob.address]);
    await vi.waitFor(async () => expect(await bob.groups.see(chat)).not.toBeNull(), PATIENCE);
    // The server lets an account be there once under a name: this one throws the other out, and is thrown out by it.
    const stranger = openSession(prosody, bob.user, { resource: 'peer', onStanza: () => undefined });
    await stranger.use(settled);
    for (const text of ['one', 'two']) await ann.groups.within(chat).send(getAccount(bob), textMessage(text));
    await stranger.close();
    await seen(bob.groups.within(chat), { kind: 'message', text: 'two' });
    expect(await bob.groups.within(chat).seen()).toMatchObject([{ text: 'one' }, { text: 'two' }]);
  });

  test('loses nothing when it is killed: each goes on where it was, and says nothing twice', async () => {
    const to = getAccount(bob);
    const chat = await ann.groups.create({ subject: 'Kept' }, [bob.address]);
    await vi.waitFor(async () => expect(await bob.groups.see(chat)).not.toBeNull(), PATIENCE);
    const texts = Array.from({ length: 12 }, (_, nth) => `number ${nth}`);
    const saying = (async () => {
      for (const text of texts) {
        await ann.send(to, textMessage(text));
        await ann.groups.within(chat).send(to, textMessage(text));
      }
    })();
    await seen(bob, { kind: 'message', text: 'number 3' });
    await prosody.killServer();
    await prosody.startServer();
    await saying;
    await prosody.freeze();
    await prosody.thaw();
    const toTexts = (sights: Sight[]): (string | null)[] =>
      sights.flatMap((sight) =>
        sight.kind === 'message' && texts.includes(sight.text ?? '') ? [sight.text] : [],
      );
    await vi.waitFor(async () => {
      expect(toTexts(await bob.seen())).toEqual(texts);
      expect(toTexts(await bob.groups.within(chat).seen())).toEqual(texts);
    }, PATIENCE);
    const kept = (await readArchiveFor(prosody, bob.user)).map(({ message }) => message.getChildText('body'));
    expect(kept.filter((text) => texts.includes(text ?? ''))).toEqual(texts);
  });
});
