/** Hostile input from a server, or from an attacker in between, during sign-in and while connected. */
import { setTimeout as delay } from 'node:timers/promises';
import xml, { type Element } from '@xmpp/xml';
import { expect, onTestFinished, test, vi } from 'vitest';
import { allowing, startEgress } from '../../../test/support/egress.ts';
import type { DriverError } from '../contract/driver-error.ts';
import { type OpenStream, openStream } from './open-stream.ts';
import { readSettings } from './wire/settings.ts';
import {
  challenge,
  features,
  HEADER,
  letIn,
  type Line,
  mechanisms,
  type Script,
  STARTTLS,
  startScriptedServer,
  success,
} from '../../../test/support/channels/xmpp/scripted-server.ts';

const PASSWORD = 'correct horse';

interface Opened {
  stream: OpenStream;
  endings: DriverError[];
  received: Element[];
  line: Line;
}

/** @param more settings besides the server's address */
async function connect(script: Script, more: object = {}) {
  const server = await startScriptedServer(script);
  const endings: DriverError[] = [];
  const opening = openStream({
    context: {
      egress: startEgress({ allow: allowing('127.0.0.1') }),
      instanceId: 'ins_01h455vb4pex5vsknk084sn02q',
      signal: new AbortController().signal,
      log: { debug: () => undefined, warn: () => undefined },
    },
    settings: readSettings({
      jid: 'ada@bad.test',
      host: '127.0.0.1',
      port: server.port,
      security: 'none',
      ...more,
    }),
    password: PASSWORD,
    onEnd: (fault) => endings.push(fault),
  });
  return { server, endings, opening };
}

/** Connects to a server that runs `then` after sign-in. */
async function connected(then: Script = (line) => line.gone): Promise<Opened> {
  const given = Promise.withResolvers<Line>();
  const { opening, endings } = await connect(
    async (line) => {
      await letIn(line);
      given.resolve(line);
      await then(line);
    },
    { plain_password: true },
  );
  const stream = await opening;
  onTestFinished(() => stream.close());
  const received: Element[] = [];
  stream.onStanza((stanza) => {
    received.push(stanza);
    return stanza.is('message');
  });
  return { stream, endings, received, line: await given.promise };
}

const expectRefusal = (opening: Promise<unknown>, kind: string, code: string): Promise<void> =>
  expect(opening).rejects.toMatchObject({ kind, code });
const expectEnd = async (endings: DriverError[], code: string): Promise<void> => {
  await vi.waitFor(() => expect(endings).toHaveLength(1));
  expect(endings[0]).toMatchObject({ kind: 'lost', code });
};

/** Returns everything the client sends before it disconnects. */
async function afterOffer(line: Line, offer: string): Promise<string> {
  let said = '';
  line.socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await line.until(/<stream:stream[^>]*>/);
  line.say(HEADER + offer);
  await line.gone;
  return said;
}

test('a server that does not offer STARTTLS gets no password', async () => {
  let said = '';
  const { opening } = await connect(
    async (line) => void (said = await afterOffer(line, features(mechanisms('PLAIN', 'SCRAM-SHA-1')))),
    { security: 'starttls', plain_password: true },
  );
  await expectRefusal(opening, 'refused', 'starttls_unavailable');
  await vi.waitFor(() => expect(said).toContain('<stream:stream'));
  expect(said).not.toContain('<auth');
});

test('a server that offers only PLAIN without TLS gets no password unless the settings allow it', async () => {
  let said = '';
  const { opening } = await connect(
    async (line) => void (said = await afterOffer(line, features(mechanisms('PLAIN', 'X-OTHER')))),
  );
  await expectRefusal(opening, 'refused', 'plain_refused');
  await vi.waitFor(() => expect(said).toContain('<stream:stream'));
  expect(said).not.toContain('<auth');
});

test('plain text sent after the STARTTLS response ends the connection', async () => {
  const { opening } = await connect(
    async (line) => {
      await line.until(/<stream:stream[^>]*>/);
      line.say(HEADER + features(STARTTLS));
      await line.until(/<starttls[^>]*>/);
      line.say(`<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>${features(mechanisms('PLAIN'))}`);
      await line.gone;
    },
    { security: 'starttls' },
  );
  await expectRefusal(opening, 'lost', 'invalid_stream');
});

test.each([
  ['far too many', 'i=1000000000'],
  ['too few', 'i=1'],
  ['an invalid number of', 'i=abc'],
])('a server that requests %s rounds of hashing is rejected', async (_, rounds) => {
  const { opening } = await connect(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.say(HEADER + features(mechanisms('SCRAM-SHA-1')));
    const [, first] = />([^<]+)<\/auth>/.exec(await line.until(/<auth.*<\/auth>/)) ?? [];
    const nonce = Buffer.from(first!, 'base64').toString().split('r=')[1];
    line.say(challenge(`r=${nonce}theirs,s=c2FsdA==,${rounds}`));
    await line.gone;
  });
  await expectRefusal(opening, 'refused', 'server_not_trusted');
});

test('a server that does not know the password is rejected', async () => {
  const { opening } = await connect(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.say(HEADER + features(mechanisms('SCRAM-SHA-256')));
    const [, first] = />([^<]+)<\/auth>/.exec(await line.until(/<auth.*<\/auth>/)) ?? [];
    const nonce = Buffer.from(first!, 'base64').toString().split('r=')[1];
    line.say(challenge(`r=${nonce}theirs,s=c2FsdA==,i=4096`));
    await line.until(/<\/response>/);
    line.say(success(Buffer.from(`v=${Buffer.alloc(32).toString('base64')}`).toString('base64')));
    await line.gone;
  });
  await expectRefusal(opening, 'refused', 'server_not_trusted');
});

test('a different account than requested is rejected', async () => {
  const { opening } = await connect((line) => letIn(line, 'eve@bad.test'), { plain_password: true });
  await expectRefusal(opening, 'refused', 'wrong_account');
});

test('a server that sends stanzas before sign-in is disconnected', async () => {
  const { opening } = await connect(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.say(HEADER + features(mechanisms('SCRAM-SHA-1')) + '<message/>'.repeat(100));
    await line.gone;
  });
  await expectRefusal(opening, 'lost', 'invalid_stream');
});

test('a server without a supported sign-in mechanism is reported', async () => {
  const { opening } = await connect(
    async (line) => void (await afterOffer(line, features(mechanisms('X-OAUTH2', 'SCRAM-SHA-1-PLUS')))),
    { plain_password: true },
  );
  await expectRefusal(opening, 'refused', 'no_mechanism');
});

test.each([
  ['not-authorized', 'refused', 'authentication_failed'],
  ['account-disabled', 'refused', 'account_disabled'],
  ['credentials-expired', 'refused', 'credentials_expired'],
  ['temporary-auth-failure', 'lost', 'temporary_auth_failure'],
  ['anything-else', 'refused', 'authentication_failed'],
  ['constructor', 'refused', 'authentication_failed'],
])('a rejected password is reported without the text of the server (%s)', async (condition, kind, code) => {
  const { opening } = await connect(
    async (line) => {
      await line.until(/<stream:stream[^>]*>/);
      line.say(HEADER + features(mechanisms('PLAIN')));
      await line.until(/<auth.*<\/auth>/);
      line.say(
        `<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><${condition}/><text>an inner secret</text></failure>`,
      );
      await line.gone;
    },
    { plain_password: true },
  );
  await expectRefusal(opening, kind, code);
  await expect(opening).rejects.not.toThrow(/secret/);
});

test('the text of a stream error before sign-in is not reported', async () => {
  const { opening } = await connect(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.say(
      `${HEADER}<stream:error><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>secret of an inner service</text></stream:error>`,
    );
    await line.gone;
  });
  const fault = await opening.catch((error: unknown) => error as DriverError);
  expect(fault).toMatchObject({ kind: 'lost', code: 'internal_server_error' });
  expect((fault as DriverError).message).not.toContain('secret');
});

test('a redirect to another host is not followed', async () => {
  const elsewhere = `<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>169.254.169.254:80</see-other-host></stream:error>`;
  const { opening, server } = await connect(async (line) => {
    await line.until(/<stream:stream[^>]*>/);
    line.say(HEADER + elsewhere);
    await line.gone;
  });
  await expectRefusal(opening, 'lost', 'see_other_host');
  expect(server.count()).toBe(1);
  const { endings, line } = await connected();
  line.say(elsewhere);
  await expectEnd(endings, 'see_other_host');
});

test.each([
  ['is too long', () => `<message><body>${'x'.repeat(4_300_000)}</body></message>`],
  ['is nested too deeply', () => `<message>${'<a>'.repeat(100)}${'</a>'.repeat(100)}</message>`],
  ['has too many parts', () => `<message>${'<a/>'.repeat(210_000)}</message>`],
  ['has a DOCTYPE', () => `<!DOCTYPE a [<!ENTITY b "c">]><message/>`],
  ['has a custom entity', () => '<message><body>&b;</body></message>'],
  ['has a comment', () => '<message><!-- a --></message>'],
  ['has a processing instruction', () => '<?php a ?>'],
  ['is not well-formed XML', () => '<message><body></message>'],
  ['has a character that XML forbids', () => '<message><body>\u0007</body></message>'],
  ['references such a character', () => '<message><body>&#0;</body></message>'],
  ['has an attribute twice', () => "<message id='a' id='b'/>"],
])('a stanza that %s ends the connection and is not delivered', async (_, stanza) => {
  const { endings, line, received } = await connected();
  line.say(stanza());
  await expectEnd(endings, 'invalid_stream');
  expect(received).toEqual([]);
});

test('a stanza that never ends closes the connection', async () => {
  const { endings, line } = await connected(async ({ say, socket, gone }) => {
    say('<message><body>');
    let isGone = false;
    void gone.then(() => (isGone = true));
    while (!isGone) {
      const more = socket.write('y'.repeat(65_536));
      if (!more) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone]);
    }
  });
  await expectEnd(endings, 'invalid_stream');
  await line.gone;
});

test('opening a silent server can be canceled', async () => {
  const giveUp = new AbortController();
  const server = await startScriptedServer((line) => line.gone);
  const opening = openStream({
    context: {
      egress: startEgress({ allow: allowing('127.0.0.1') }),
      instanceId: 'ins_01h455vb4pex5vsknk084sn02q',
      signal: giveUp.signal,
      log: { debug: () => undefined, warn: () => undefined },
    },
    settings: readSettings({ jid: 'ada@bad.test', host: '127.0.0.1', port: server.port, security: 'none' }),
    password: PASSWORD,
    onEnd: () => undefined,
  });
  opening.catch(() => undefined);
  await vi.waitFor(() => expect(server.count()).toBe(1));
  giveUp.abort();
  await expectRefusal(opening, 'lost', 'given_up');
});

test('characters split between packets are decoded correctly', async () => {
  const { line, received } = await connected();
  const text = 'Grüße 👩‍👩‍👧 日本語 𝔘';
  const bytes = Buffer.from(`<message from='bob@bad.test'><body>${text}</body></message>`);
  line.socket.setNoDelay(true);
  for (const byte of bytes) {
    line.socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(received).toHaveLength(1));
  expect(received[0]!.getChildText('body')).toBe(text);
});

test('characters that XML forbids are replaced before sending', async () => {
  const { stream, line } = await connected();
  await stream.send(xml('message', { to: 'bob@bad.test' }, xml('body', {}, 'a\u0000b\ud800c<&>"')));
  const said = Buffer.from(await line.until(/<\/message>/), 'latin1').toString();
  expect(said).toContain('a\ufffdb\ufffdc&lt;&amp;');
});

test('a stanza that is too large is rejected without ending the connection', async () => {
  const { stream, endings, line } = await connected();
  const stanza = xml('message', { to: 'bob@bad.test' }, xml('body', {}, '&'.repeat(60_000)));
  await expect(stream.send(stanza)).rejects.toMatchObject({ kind: 'rejected', code: 'too_large' });
  await stream.send(xml('presence'));
  await line.until(/<presence/);
  expect(endings).toEqual([]);
});

test('a response is accepted only from the entity asked and with the ID of the request', async () => {
  const { stream, line } = await connected();
  const asked = stream.ask({ to: null, type: 'get', payload: xml('query', { xmlns: 'jabber:iq:roster' }) });
  const [, id] = / id="([^"]+)"/.exec(await line.until(/<\/iq>/)) ?? [];
  const answer = (from: string, name: string): string =>
    `<iq type='result' id='${id}'${from}><query xmlns='jabber:iq:roster'><item jid='${name}@bad.test'/></query></iq>`;
  line.say(answer(" from='eve@evil.test'", 'eve'));
  line.say(answer(" from='ada@bad.test.evil.test'", 'eve'));
  line.say(`<iq type='result' id='x${id}'><query xmlns='jabber:iq:roster'/></iq>`);
  line.say(answer(" from='ada@bad.test'", 'bob'));
  const query = await asked;
  expect(query?.getChild('item')?.attrs['jid']).toBe('bob@bad.test');
});

test('a request without a handler gets an error response', async () => {
  const { line } = await connected();
  line.say("<iq type='get' id='q' from='eve@evil.test/x'><query xmlns='jabber:iq:version'/></iq>");
  const said = await line.until(/<\/iq>/);
  expect(said).toContain('to="eve@evil.test/x"');
  expect(said).toContain('service-unavailable');
});

test('a stanza is acknowledged only after it was released', async () => {
  const { stream, line } = await connected();
  const releases: (() => void)[] = [];
  stream.onStanza((stanza) => {
    if (stanza.is('presence')) releases.push(stream.hold());
    return true;
  });
  const ask = async (): Promise<string | undefined> => {
    line.say("<r xmlns='urn:xmpp:sm:3'/>");
    return / h="(\d+)"/.exec(await line.until(/<a [^>]*>/))?.[1];
  };
  line.say('<message/><presence/><presence/><message/>');
  await vi.waitFor(() => expect(releases).toHaveLength(2));
  expect(await ask()).toBe('1');
  releases[1]!();
  expect(await ask()).toBe('1');
  releases[0]!();
  expect(await ask()).toBe('4');
});

test('reading pauses while too many stanzas are held', async () => {
  const { stream, line } = await connected();
  const releases: (() => void)[] = [];
  stream.onStanza((stanza) => {
    if (stanza.is('presence')) releases.push(stream.hold());
    return true;
  });
  const many = '<presence/>'.repeat(100_000);
  line.say(many);
  await vi.waitFor(() => expect(releases.length).toBeGreaterThan(255));
  await delay(100); // time for further stanzas to be read
  expect(releases.length).toBeLessThan(20_000);
  let done = 0;
  await vi.waitFor(() => {
    for (const release of releases.splice(0)) {
      release();
      done += 1;
    }
    expect(done).toBe(100_000);
  });
});

test('when the connection ends, pending calls fail as unknown and later ones as lost', async () => {
  const { stream, endings, line } = await connected();
  const asked = stream.ask({ to: null, type: 'get', payload: xml('query', { xmlns: 'a' }) });
  const sent = stream.sendAcknowledged(xml('message', { to: 'bob@bad.test' }), AbortSignal.timeout(10_000));
  const outcomes = Promise.allSettled([asked, sent]);
  await line.until(/<message/);
  line.socket.destroy();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unknown' } });
  await expectEnd(endings, 'connection_lost');
  await expect(stream.send(xml('presence'))).rejects.toMatchObject({ kind: 'lost' });
});

test('a connection that was closed reports no end', async () => {
  const { stream, endings, line } = await connected();
  await stream.close();
  await stream.close();
  await line.gone;
  await expect(stream.send(xml('presence'))).rejects.toMatchObject({ kind: 'lost' });
  expect(endings).toEqual([]);
});
