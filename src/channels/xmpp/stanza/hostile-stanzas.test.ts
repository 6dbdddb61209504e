/** Random combinations of known elements are read without errors, and never forge anything. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../contract/signal.ts';
import { cpuMs } from '../../../../test/support/cpu.ts';
import { NS } from './namespaces.ts';
import { readMessage } from './read-message.ts';
import { AT, HER, ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';

const ID = 'msg_01h2xcejqtf2nbrexx3vqjhp41';
const RUNS = 1_000;

const TAGS: [name: string, namespace: string][] = [
  ['body', NS.client],
  ['subject', NS.client],
  ['error', NS.client],
  ['item-not-found', 'urn:ietf:params:xml:ns:xmpp-stanzas'],
  ['replace', NS.correct],
  ['retract', NS.retract],
  ['retract', NS.oldRetract],
  ['apply-to', NS.fasten],
  ['moderated', NS.moderate],
  ['reactions', NS.reactions],
  ['reaction', NS.reactions],
  ['received', NS.receipts],
  ['displayed', NS.markers],
  ['reply', NS.reply],
  ['fallback', NS.fallback],
  ['body', NS.fallback],
  ['x', NS.oob],
  ['url', NS.oob],
  ['geoloc', NS.geoloc],
  ['lat', NS.geoloc],
  ['lon', NS.geoloc],
  ['reference', NS.reference],
  ['media-sharing', NS.sims],
  ['sources', NS.sims],
  ['file-sharing', NS.sfs],
  ['file', NS.fileMetadata],
  ['sources', NS.sfs],
  ['url-data', NS.urlData],
  ['origin-id', NS.sid],
  ['encrypted', NS.omemo],
  ['payload', NS.omemo],
  ['encryption', NS.encryption],
  ['nick', NS.nick],
];

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    ID,
    ME,
    HER,
    `xmpp:${ME}`,
    'https://files.lit/a',
    'geo:1,2',
    '0',
    '2',
    '-1',
    '99999999999',
    '👍',
  ),
  fc.constantFrom('mention', 'data', NS.reply, NS.sfs),
);
const escaped = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r\u007f-\u009f])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll("'", '&apos;');
const attributes = fc
  .tuple(
    words,
    fc.dictionary(
      fc.constantFrom('to', 'for', 'uri', 'type', 'start', 'end', 'target', 'by', 'name'),
      words,
      { maxKeys: 4 },
    ),
  )
  .map(([id, others]) => ({ id, ...others }));
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .record({
      tag: fc.constantFrom(...TAGS),
      given: attributes,
      inside: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        words.map(escaped),
        fc.array(tie('element'), { maxLength: 3 }).map((all) => all.join('')),
      ),
    })
    .map(({ tag: [name, namespace], given, inside }) => {
      const pairs = Object.entries(given).map(([key, value]) => ` ${key}='${escaped(value)}'`);
      return `<${name} xmlns='${namespace}'${pairs.join('')}>${inside}</${name}>`;
    }),
}));

function expectHonest(signal: Signal): void {
  switch (signal.kind) {
    case 'message':
      expect(signal).toMatchObject({ fromMe: false, from: HER, clientId: null, chat: { key: HER } });
      expect(signal.text ?? signal.file ?? signal.data).not.toBeNull();
      if (signal.file) expect('url' in signal.file && signal.file.url).toMatch(/^https?:\/\//);
      for (const alias of signal.aliases!)
        expect(alias.startsWith(`${HER} `) || alias.startsWith(`by:${HER} ${HER} `)).toBe(true);
      expect(signal.uniqueId).toMatch(/^at:romeo@montague\.lit s1(?:\/\d+)?$/);
      break;
    case 'edited':
    case 'revoked':
      expect(signal.externalId.startsWith(`by:${HER} ${HER} `)).toBe(true);
      expect(signal.clientId ?? null).toBeNull();
      break;
    case 'receipt':
      expect(signal.externalId!.startsWith(`by:${ME} ${HER} `)).toBe(true);
      break;
    default:
      expect(signal).toMatchObject({ kind: 'reacted', author: HER, fromMe: false });
  }
}

describe('a stanza by a stranger', () => {
  test('is never the account’s own and never changes messages of others', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(element, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '<body>some words</body>'),
        fc.oneof(words, fc.constant(ID)),
        fc.constantFrom('chat', 'chat', 'normal', 'error', 'headline', 'groupchat'),
        (parts, body, id, type) => {
          const about = `from='${HER}/x' to='${ME}' type='${type}' id='${escaped(id)}'`;
          const signals = readMessage(toStanza(`<message ${about}>${body}${parts.join('')}</message>`), {
            account: ME,
            stanzaId: 's1',
            at: AT,
          });
          expect(signals.length).toBeLessThanOrEqual(14);
          if (type === 'groupchat' || type === 'headline') expect(signals).toEqual([]);
          for (const signal of signals) {
            kinds.add(signal.kind);
            expectHonest(signal);
          }
        },
      ),
      { numRuns: RUNS },
    );
    // Ensures that the property covers all kinds.
    expect([...kinds].toSorted()).toEqual(['edited', 'message', 'reacted', 'receipt', 'revoked']);
  });

  test('is read in linear time up to the limits of the stream', () => {
    const many = (text: string, count: number) => text.repeat(count);
    const stanzas = [
      many(
        "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='1'/></fallback>",
        8_000,
      ),
      many(`<stanza-id xmlns='urn:xmpp:sid:0' by='${ME}' id='x'/>`, 10_000),
      many("<reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:a@b.lit'/>", 8_000),
      many("<x xmlns='jabber:x:oob'><url>https://files.lit/a</url></x>", 10_000),
      `<body>${many('👍', 400_000)}</body><reply xmlns='urn:xmpp:reply:0' id='a'/>`,
    ];
    for (const content of stanzas) {
      const stanza = toStanza(`<message from='${HER}' to='${ME}' id='a'>${content}<body>x</body></message>`);
      const took = cpuMs(() => readMessage(stanza, { account: ME, stanzaId: 's1', at: AT }));
      // It takes milliseconds; quadratic time would be minutes.
      expect(took).toBeLessThan(10_000);
    }
  });
});
