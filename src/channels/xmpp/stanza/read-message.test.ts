/** Reading stanzas outside rooms. The stanzas follow the examples in the XEPs. */
import { describe, expect, test } from 'vitest';
import type { InboundMessage, Signal } from '../../contract/signal.ts';
import { readMessage } from './read-message.ts';
import type { About } from './spoken.ts';
import { AT, HER, ME, toStanza } from '../../../../test/support/channels/xmpp/stanza.ts';

const ID = 'msg_01h2xcejqtf2nbrexx3vqjhp41';

const read = (content: string, attributes = '', about: Partial<About> = {}): Signal[] =>
  readMessage(
    toStanza(
      `<message from='${HER}/balcony' to='${ME}' type='chat' id='m1' ${attributes}>${content}</message>`,
    ),
    { account: ME, stanzaId: 's1', at: AT, ...about },
  );
const readOne = (content: string): InboundMessage => {
  const [signal, ...others] = read(content);
  expect(others).toEqual([]);
  if (signal?.kind !== 'message') throw new Error(`no message, but ${JSON.stringify(signal)}`);
  return signal;
};
/** Reads a stanza from `from` with a different ID. */
const readFrom = (from: string, to: string, content: string, type = 'chat'): Signal[] =>
  readMessage(toStanza(`<message from='${from}' to='${to}' type='${type}' id='m9'>${content}</message>`), {
    account: ME,
    stanzaId: 's9',
    at: AT,
  });

describe('a message', () => {
  test('has a text, a sender, a chat and names', () => {
    expect(readOne('<body>Art thou not Romeo?</body>')).toEqual({
      kind: 'message',
      externalId: 'm1',
      uniqueId: `at:${ME} s1`,
      aliases: [`${HER} m1`, `by:${HER} ${HER} m1`],
      clientId: null,
      chat: { kind: 'direct', key: HER, address: HER, title: null },
      from: HER,
      fromName: null,
      fromMe: false,
      to: ME,
      type: 'text',
      text: 'Art thou not Romeo?',
      file: null,
      data: null,
      subject: null,
      replyTo: null,
      mentions: [],
      at: AT,
    });
  });

  test('is the account’s own if it is from the account, and ours if it also has a client ID', () => {
    const [own] = readFrom(`${ME}/orchard`, `${HER}/balcony`, '<body>Neither</body>');
    expect(own).toMatchObject({ fromMe: true, from: ME, to: HER, chat: { key: HER }, clientId: null });
    const [ours] = readMessage(
      toStanza(`<message from='${ME}/x' to='${HER}' id='${ID}'><body>Neither</body></message>`),
      { account: ME, stanzaId: 's1', at: AT },
    );
    expect(ours).toMatchObject({ fromMe: true, clientId: ID, externalId: ID });
  });

  test('from somebody else is never ours, whatever its ID', () => {
    const [heard] = readMessage(
      toStanza(`<message from='${HER}/x' to='${ME}' id='${ID}'><body>I am you</body></message>`),
      { account: ME, stanzaId: 's1', at: AT },
    );
    expect(heard).toMatchObject({ fromMe: false, clientId: null, from: HER });
  });

  test('without an ID uses the archive’s ID or else a generated one', () => {
    const [named] = readMessage(toStanza(`<message from='${HER}'><body>a</body></message>`), {
      account: ME,
      stanzaId: 's1',
      at: AT,
    });
    expect(named).toMatchObject({ externalId: 's1', aliases: [] });
    const about = { account: ME, stanzaId: null, at: AT };
    const unnamed = (at: Date) =>
      readMessage(toStanza(`<message from='${HER}'><body>a</body></message>`), { ...about, at })[0];
    expect(unnamed(AT)).toEqual(unnamed(AT));
    expect((unnamed(AT) as InboundMessage).uniqueId).not.toBe(
      (unnamed(new Date(AT.getTime() + 1)) as InboundMessage).uniqueId,
    );
  });

  test('sent privately in a room is from the person with that nick', () => {
    const [heard] = readMessage(
      toStanza(
        `<message from='coven@rooms.lit/first witch' to='${ME}/x' type='chat' id='p1'><body>psst</body></message>`,
      ),
      { account: ME, stanzaId: 's1', at: AT, isRoom: (bare) => bare === 'coven@rooms.lit' },
    );
    const address = 'coven@rooms.lit/first witch';
    expect(heard).toMatchObject({ from: address, chat: { kind: 'direct', key: address, address } });
  });

  test.each([
    ['nothing', ''],
    ['a chat state (0085)', "<composing xmlns='http://jabber.org/protocol/chatstates'/>"],
    ['markup alone (0071)', "<html xmlns='http://jabber.org/protocol/xhtml-im'><body>hi</body></html>"],
    ['a body of another namespace', "<body xmlns='urn:example'>hi</body>"],
    [
      'a key without a message (0384)',
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header/></encrypted>",
    ],
  ])('%s gives no signal', (_, content) => {
    expect(read(content)).toEqual([]);
  });

  test('an error with a copy of a message is not a message', () => {
    const error =
      "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>";
    const signals = readFrom(HER, ME, `<body>Hi</body>${error}`, 'error');
    expect(signals.map(({ kind }) => kind)).toEqual(['receipt']);
  });

  test('markup beside a text is ignored', () => {
    const html =
      "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'><b>no</b></body></html>";
    expect(readOne(`<body>&lt;b&gt;yes&lt;/b&gt;</body>${html}`).text).toBe('<b>yes</b>');
  });

  test('that is encrypted has the client’s notice or ours as text', () => {
    const omemo =
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header/><payload>x</payload></encrypted>";
    const eme = "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:openpgp:0' name='OpenPGP'/>";
    expect(readOne(`<body>I sent you OMEMO</body>${omemo}`).text).toBe('I sent you OMEMO');
    expect(readOne(omemo).text).toBe('[Encrypted message: OMEMO]');
    expect(readOne(eme).text).toBe('[Encrypted message: OpenPGP]');
  });
});

describe('a reply', () => {
  const reply = (attributes: string) => `<reply xmlns='urn:xmpp:reply:0' ${attributes}/>`;
  const fallback = (end: number) =>
    `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='${end}'/></fallback>`;

  test('names the message and omits the quote, which is counted in code points', () => {
    const quote = '&gt; 👍👍\n';
    const message = readOne(
      `<body>${quote}Great idea!</body>${reply(`to='${HER}/x' id='m0'`)}${fallback(5)}`,
    );
    expect(message).toMatchObject({ text: 'Great idea!', replyTo: { externalId: `${HER} m0` } });
  });

  test('omits a quote after a very long text', () => {
    const text = 'x'.repeat(130_500);
    const range = `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='130500' end='130505'/></fallback>`;
    expect(readOne(`<body>${text}quote</body>${reply(`id='m0'`)}${range}`).text).toBe(text);
  });

  test('to our own message names it by its client ID', () => {
    expect(readOne(`<body>Yes</body>${reply(`to='${ME}' id='${ID}'`)}`).replyTo).toEqual({ externalId: ID });
    // A reply that names another person as the author doesn't refer to our message.
    expect(readOne(`<body>Yes</body>${reply(`to='${HER}' id='${ID}'`)}`).replyTo).toEqual({
      externalId: `${HER} ${ID}`,
    });
  });

  test('keeps the whole text if the quote’s range is invalid', () => {
    for (const range of [
      "start='3' end='1'",
      "start='-1' end='4'",
      "start='x' end='y'",
      "start='90' end='95'",
    ])
      expect(
        readOne(
          `<body>whole</body>${reply("id='m0'")}<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body ${range}/></fallback>`,
        ).text,
      ).toBe('whole');
    // The fallback is for a reply, but there is none.
    expect(readOne(`<body>whole</body>${fallback(3)}`).text).toBe('whole');
  });
});

describe('mentions', () => {
  test('are unique addresses, and other references are ignored', () => {
    const refer = (type: string, uri: string) =>
      `<reference xmlns='urn:xmpp:reference:0' begin='0' end='1' type='${type}' uri='${uri}'/>`;
    const message = readOne(
      `<body>hi</body>${refer('mention', `xmpp:${ME}`)}${refer('mention', `xmpp:${ME}/x?message`)}${refer('data', 'xmpp:a@b.lit')}${refer('mention', 'https://a.lit')}${refer('mention', 'xmpp:%zz@@')}`,
    );
    expect(message.mentions).toEqual([ME]);
  });
});

describe('files and places', () => {
  const oob = (url: string) => `<x xmlns='jabber:x:oob'><url>${url}</url></x>`;
  const url = 'https://files.lit/a/Pr%C3%BCfung.png';

  test('a body that is only the link becomes a file', () => {
    expect(readOne(`<body>${url}</body>${oob(url)}`)).toMatchObject({
      type: 'image',
      text: null,
      file: { url, fileName: 'Prüfung.png' },
    });
  });

  test('text beside the link becomes the caption', () => {
    expect(readOne(`<body>See this\n${url}</body>${oob(url)}`)).toMatchObject({
      type: 'image',
      text: 'See this',
      file: { url },
    });
  });

  test('the more detailed formats take precedence (0447, 0385)', () => {
    const sfs = `<file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><media-type>audio/ogg</media-type><name>note</name></file><sources><url-data xmlns='http://jabber.org/protocol/url-data' target='${url}'/></sources></file-sharing>`;
    expect(readOne(`<body>${url}</body>${sfs}${oob(url)}`)).toMatchObject({
      type: 'audio',
      file: { url, fileName: 'note' },
    });
    const sims = `<reference xmlns='urn:xmpp:reference:0' type='data' uri='x'><media-sharing xmlns='urn:xmpp:sims:1'><file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><media-type>video/mp4</media-type><name>film.mp4</name></file><sources><reference xmlns='urn:xmpp:reference:0' type='data' uri='${url}'/></sources></media-sharing></reference>`;
    expect(readOne(`<body>${url}</body>${sims}`)).toMatchObject({
      type: 'video',
      file: { url, fileName: 'film.mp4' },
    });
  });

  test('several files become separate messages, ten at most', () => {
    const many = Array.from({ length: 30 }, (_, nth) => oob(`https://files.lit/${nth}.pdf`)).join('');
    const messages = read(`<body>all</body>${many}`) as InboundMessage[];
    expect(messages.map(({ externalId }) => externalId)).toEqual([
      'm1',
      ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `m1/${n}`),
    ]);
    expect(new Set(messages.map(({ uniqueId }) => uniqueId)).size).toBe(10);
    expect(messages[0]).toMatchObject({ text: 'all', type: 'document' });
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'aesgcm://files.lit/a#00',
    'https://user:pw@files.lit/',
    'http://',
    '',
  ])('%s is ignored, and the text is kept', (bad) => {
    expect(readOne(`<body>hello</body>${oob(bad)}`)).toMatchObject({
      type: 'text',
      text: 'hello',
      file: null,
    });
  });

  test('a location is read with its name (0080), or from a geo: URI', () => {
    const geoloc =
      "<geoloc xmlns='http://jabber.org/protocol/geoloc'><lat>45.44</lat><lon>12.33</lon><description>Venice</description></geoloc>";
    expect(readOne(geoloc)).toMatchObject({
      type: 'location',
      text: null,
      data: { latitude: 45.44, longitude: 12.33, name: 'Venice', address: null },
    });
    expect(readOne('<body>geo:52.5,13.4;u=35</body>').data).toMatchObject({
      latitude: 52.5,
      longitude: 13.4,
    });
    for (const bad of ['geo:95,13', 'geo:1e3,2', 'geo:1', 'geo:1,2 and more', 'geo:.,.'])
      expect(readOne(`<body>${bad}</body>`)).toMatchObject({ type: 'text', text: bad });
  });
});
