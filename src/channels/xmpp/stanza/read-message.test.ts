/** What stanzas of people tell. The stanzas are those that the XEPs show as examples, in their own shapes. */
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
/** As `from`, with an ID of its own. */
const readFrom = (from: string, to: string, content: string, type = 'chat'): Signal[] =>
  readMessage(toStanza(`<message from='${from}' to='${to}' type='${type}' id='m9'>${content}</message>`), {
    account: ME,
    stanzaId: 's9',
    at: AT,
  });

describe('a message', () => {
  test('has its text, its writer, its chat and its names', () => {
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

  test('is the account’s own where the account is its writer, and ours where it has an ID of ours', () => {
    const [own] = readFrom(`${ME}/orchard`, `${HER}/balcony`, '<body>Neither</body>');
    expect(own).toMatchObject({ fromMe: true, from: ME, to: HER, chat: { key: HER }, clientId: null });
    const [ours] = readMessage(
      toStanza(`<message from='${ME}/x' to='${HER}' id='${ID}'><body>Neither</body></message>`),
      { account: ME, stanzaId: 's1', at: AT },
    );
    expect(ours).toMatchObject({ fromMe: true, clientId: ID, externalId: ID });
  });

  test('of somebody else is never ours, whatever it is called', () => {
    const [heard] = readMessage(
      toStanza(`<message from='${HER}/x' to='${ME}' id='${ID}'><body>I am you</body></message>`),
      { account: ME, stanzaId: 's1', at: AT },
    );
    expect(heard).toMatchObject({ fromMe: false, clientId: null, from: HER });
  });

  test('without an ID has the archive’s; without both, one of its own', () => {
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

  test('in a room, privately, is of the person that its resource names', () => {
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
  ])('%s tells nothing', (_, content) => {
    expect(read(content)).toEqual([]);
  });

  test('an error that has a copy of a message is no message', () => {
    const error =
      "<error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>";
    const signals = readFrom(HER, ME, `<body>Hi</body>${error}`, 'error');
    expect(signals.map(({ kind }) => kind)).toEqual(['receipt']);
  });

  test('markup beside a text is not looked at', () => {
    const html =
      "<html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'><b>no</b></body></html>";
    expect(readOne(`<body>&lt;b&gt;yes&lt;/b&gt;</body>${html}`).text).toBe('<b>yes</b>');
  });

  test('that is encrypted has its client’s words, or ours', () => {
    const omemo =
      "<encrypted xmlns='eu.siacs.conversations.axolotl'><header/><payload>x</payload></encrypted>";
    const eme = "<encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:openpgp:0' name='OpenPGP'/>";
    expect(readOne(`<body>I sent you OMEMO</body>${omemo}`).text).toBe('I sent you OMEMO');
    expect(readOne(omemo).text).toBe('[Encrypted message: OMEMO]');
    expect(readOne(eme).text).toBe('[Encrypted message: OpenPGP]');
  });
});

describe('an answer', () => {
  const reply = (attributes: string) => `<reply xmlns='urn:xmpp:reply:0' ${attributes}/>`;
  const fallback = (end: number) =>
    `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='${end}'/></fallback>`;

  test('names what it answers, and is without the quote, which is counted in code points', () => {
    const quote = '&gt; 👍👍\n';
    const message = readOne(
      `<body>${quote}Great idea!</body>${reply(`to='${HER}/x' id='m0'`)}${fallback(5)}`,
    );
    expect(message).toMatchObject({ text: 'Great idea!', replyTo: { externalId: `${HER} m0` } });
  });

  test('is without a quote behind a very long text', () => {
    const text = 'x'.repeat(130_500);
    const range = `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='130500' end='130505'/></fallback>`;
    expect(readOne(`<body>${text}quote</body>${reply(`id='m0'`)}${range}`).text).toBe(text);
  });

  test('to one of ours names it as we do', () => {
    expect(readOne(`<body>Yes</body>${reply(`to='${ME}' id='${ID}'`)}`).replyTo).toEqual({ externalId: ID });
    // Whoever says that it is somebody else's can't mean ours.
    expect(readOne(`<body>Yes</body>${reply(`to='${HER}' id='${ID}'`)}`).replyTo).toEqual({
      externalId: `${HER} ${ID}`,
    });
  });

  test('keeps its whole text where the quote is none', () => {
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
    // Of something that it doesn't do.
    expect(readOne(`<body>whole</body>${fallback(3)}`).text).toBe('whole');
  });
});

describe('mentions', () => {
  test('are addresses, each once; what is no mention is none', () => {
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

  test('a link that is the whole body is a file', () => {
    expect(readOne(`<body>${url}</body>${oob(url)}`)).toMatchObject({
      type: 'image',
      text: null,
      file: { url, fileName: 'Prüfung.png' },
    });
  });

  test('with words beside it, they are its caption', () => {
    expect(readOne(`<body>See this\n${url}</body>${oob(url)}`)).toMatchObject({
      type: 'image',
      text: 'See this',
      file: { url },
    });
  });

  test('what says more of the file is believed more (0447, 0385)', () => {
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

  test('several become messages of their own, ten at most', () => {
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
  ])('%s is no file, but text', (bad) => {
    expect(readOne(`<body>hello</body>${oob(bad)}`)).toMatchObject({
      type: 'text',
      text: 'hello',
      file: null,
    });
  });

  test('a place has its name (0080), or is a geo: address alone', () => {
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
