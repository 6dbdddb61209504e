/** Messages in groups: to all, from each. */
import { randomBytes } from 'node:crypto';
import { describe, expect } from 'vitest';
import { isMediaType } from '../../../src/channels/contract/capabilities.ts';
import { hear, say, talkCases } from './group-talk.ts';
import { getNames, takenBy } from './group-world.ts';
import { HOSTILE_TEXTS, shownAs } from './hostile-texts.ts';
import { toMessages } from './recorded-context.ts';
import { getInbound, outbound, getOutbound, sha256, textMessage } from './samples.ts';
import { getMessageTypes, never, type World } from './world.ts';

const MANY = 10;

export function describeGroupMessages(get: () => World): void {
  const talk = talkCases(get);
  describe('in a group', () => {
    talk('every type arrives at everybody with all it has', async ({ one, two, opened, world }) => {
      const { capabilities } = world;
      for (const type of getMessageTypes(capabilities)) {
        const bytes = randomBytes(2_000);
        const message = getOutbound(one, type, bytes, capabilities.types[type]!.text !== null);
        const result = await opened.send(message);
        const id = result.externalId ?? message.clientId;
        for (const peer of [one, two]) {
          const seen = await world.seenBy(peer, 'message', ({ externalId }) => externalId === id);
          const { text, data } = message.content;
          const shown = world.harness.shownAs?.[type] ?? type;
          expect(seen).toMatchObject({
            type: shown,
            text,
            data,
            file: isMediaType(type) ? sha256(bytes) : null,
          });
          if (seen.from !== undefined) expect(seen.from).toBe(opened.account.address);
        }
      }
    });

    talk('every type that somebody sends arrives, with who wrote it', async (given) => {
      const { one, two, group, opened, world } = given;
      for (const type of one.sends) {
        const bytes = randomBytes(2_000);
        const message = getInbound(type, bytes);
        const id = await one.send(opened.account, message);
        const heard = await world.told(opened, 'message', ({ externalId }) => externalId === id);
        expect(heard).toMatchObject({ type, from: one.address, fromMe: false, data: message.data });
        expect(heard.chat).toMatchObject({ kind: 'group', key: group.key, address: group.address });
        if (isMediaType(type))
          expect(await world.fileTold(heard.file)).toMatchObject({
            size: bytes.length,
            sha256: sha256(bytes),
          });
      }
      expect(await hear(given, two, 'from another')).toMatchObject({ from: two.address });
    });

    talk('messages arrive in their order, each once, there and here', async (given) => {
      const { one, two, opened, world } = given;
      const texts = Array.from({ length: MANY }, (_, nth) => `number ${nth}`);
      for (const text of texts) await opened.send(outbound(one, { text }));
      for (const peer of [one, two])
        await world.eventually(async () => {
          const seen = (await peer.seen()).flatMap((sight) => (sight.kind === 'message' ? [sight.text] : []));
          expect(seen.filter((text) => texts.includes(text!))).toEqual(texts);
        });
      const ids: string[] = [];
      for (let nth = 0; nth < MANY; nth++)
        ids.push(await [one, two][nth % 2]!.send(opened.account, textMessage(`theirs ${nth}`)));
      await world.eventually(() => {
        const heard = opened.context.messages().filter(({ fromMe }) => !fromMe);
        expect(heard.map(({ externalId }) => externalId)).toEqual(ids);
      });
    });

    talk('a message of ours is no message of others', async (given) => {
      const { opened, one } = given;
      const { message, id } = await say(given, 'from us');
      await hear(given, one, 'from them');
      const copies = opened.context.messages().filter(({ text }) => text !== 'from them');
      for (const copy of copies) {
        expect(copy.fromMe).toBe(true);
        expect([copy.clientId, ...getNames(copy)]).toContain(copy.clientId ? message.clientId : id);
      }
    });

    talk('what was sent before is sent again as the driver promises', async (given) => {
      const { opened, one, two, world } = given;
      const { resend } = world.harness.driver;
      const { message, ref } = await say(given, 'only once');
      if (resend === 'deduplicated') {
        const again = await opened.send({ ...message, attempt: 1 });
        expect(again.externalId).toBe(ref.externalId);
      }
      if (resend === 'lookup') {
        const found = await opened.connection.lookup!(message.clientId, message.chat, never());
        expect(found).toMatchObject({ externalId: ref.externalId });
        const { clientId } = outbound(one);
        expect(await opened.connection.lookup!(clientId, message.chat, never())).toBeNull();
      }
      await say(given, 'the next');
      for (const peer of [one, two]) {
        const seen = (await peer.seen()).filter(
          (sight) => sight.kind === 'message' && sight.text === 'only once',
        );
        expect(seen).toHaveLength(1);
      }
    });

    talk('what was told but not stored is told again, under the same name', async (given) => {
      const { opened, one, world } = given;
      const before = await hear(given, one, 'stored');
      opened.context.crash();
      const lost = await one.send(opened.account, textMessage('not stored'));
      await world.eventually(() =>
        expect(toMessages(opened.context.dropped).map(({ externalId }) => externalId)).toContain(lost),
      );
      await opened.connection.close();
      const again = await world.open(opened.account, opened.context.store);
      const told = await world.told(again, 'message', ({ externalId }) => externalId === lost);
      const heard = opened.context.messages();
      expect(new Set(heard.map(takenBy))).toEqual(new Set([takenBy(before), takenBy(told)]));
    });

    talk(
      'what was written while the account was away arrives afterwards',
      async ({ opened, one, two, world }) => {
        await opened.connection.close();
        const ids: string[] = [];
        for (let nth = 0; nth < 4; nth++)
          ids.push(await [one, two][nth % 2]!.send(opened.account, textMessage(`missed ${nth}`)));
        await world.open(opened.account, opened.context.store);
        await world.eventually(() => {
          const heard = opened.context.messages().map(({ externalId }) => externalId);
          expect(heard.filter((id) => ids.includes(id))).toEqual(ids);
        });
      },
      ['history'],
    );

    talk(
      "the account's own messages from elsewhere arrive as its own",
      async ({ opened, group, world }, skip) => {
        const write = world.harness.writeToGroupElsewhere ?? skip('the harness cannot write elsewhere');
        await write(opened.account, group, 'written elsewhere');
        const copy = await world.told(opened, 'message', ({ text }) => text === 'written elsewhere');
        expect(copy).toMatchObject({ fromMe: true, from: opened.account.address });
        expect(copy.chat).toMatchObject({ kind: 'group', key: group.key });
      },
      ['own_copies'],
    );

    talk('hostile text arrives as text, there and here', async (given) => {
      for (const text of HOSTILE_TEXTS) {
        const { id } = await say(given, text);
        const seen = await given.world.seenBy(given.one, 'message', ({ externalId }) => externalId === id);
        expect(shownAs(seen.text!)).toBe(shownAs(text));
        const heard = await hear(given, given.one, text);
        expect(shownAs(heard.text!)).toBe(shownAs(text));
      }
    });

    talk('nothing is written by who is not in it', async ({ group, peer, world, one }) => {
      const stranger = await world.open();
      await expect(stranger.send(outbound(one, { text: 'let me in' }))).rejects.toMatchObject({
        kind: 'rejected',
      });
      await expect(peer.groups.see(group)).resolves.not.toBeNull();
    });
  });
}
