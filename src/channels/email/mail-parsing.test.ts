/**
 * Parsing mails from strangers without a server: headers, threads, addresses, and delivery reports. Also composing
 * mails.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publicId } from '../../core/vocabulary/ids.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import { cpuMs } from '../../../test/support/cpu.ts';
import { isUnknown, normalizeEmail, readEmail } from './address.ts';
import { readReport } from './bounce.ts';
import { compose, getSubject, getThread } from './compose.ts';
import { readHeaders } from './headers.ts';
import { getClientId, getMessageId, readMessageIds } from './message-id.ts';
import { threadTitle } from './read-mail.ts';
import { readSettings } from './settings.ts';
import { outbound } from '../../../test/support/channels/email/account.ts';

const OWN = 'support@example.com';
const toHeaders = (...lines: string[]) => readHeaders(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));

describe('Message-IDs', () => {
  test('can be converted back to the client ID', () => {
    const clientId = publicId('message', newUuid());
    expect(getMessageId(clientId, OWN)).toBe(`${clientId}@example.com`);
    expect(getClientId(getMessageId(clientId, OWN), OWN)).toBe(clientId);
    expect(getClientId(`${clientId}@elsewhere.test`, OWN)).toBeNull();
    expect(getClientId('something@example.com', OWN)).toBeNull();
    expect(getMessageId(clientId, 'a@bücher.example')).toBe(`${clientId}@xn--bcher-kva.example`);
  });

  test('are read from headers of any form', () => {
    expect(readMessageIds(' <a@x>\r\n\t<b@y> (a comment) <a@x>')).toEqual(['a@x', 'b@y']);
    expect(readMessageIds('bare@x')).toEqual(['bare@x']);
    expect(readMessageIds('no id at all')).toEqual([]);
    expect(readMessageIds(undefined)).toEqual([]);
    const [long] = readMessageIds(`<${'x'.repeat(5000)}@y>`);
    expect(long).toMatch(/^[\da-f]{64}@long\.invalid$/);
    const many = readMessageIds(Array.from({ length: 500 }, (_, index) => `<${index}@x>`).join(' '));
    expect([many.length, many[0], many.at(-1)]).toEqual([50, '0@x', '499@x']);
    expect(readMessageIds('@ a@ @b <@> a@b@c')).toEqual(['a@b@c']);
  });

  test('are searched in linear time in a long word', async () => {
    const long = 'a'.repeat(65_000);
    expect(cpuMs(() => expect(readMessageIds(long)).toEqual([]))).toBeLessThan(1_000);
    expect((await toHeaders(`References: ${long}`)).parent).toBeNull();
  });
});

describe('headers', () => {
  test('determine the thread', async () => {
    const thread = async (...lines: string[]) => {
      const { root, parent, messageId } = await toHeaders('Message-ID: <me@x>', ...lines);
      return [root, parent, messageId];
    };
    expect(await thread()).toEqual(['me@x', null, 'me@x']);
    expect(await thread('References: <root@x> <mid@x>', 'In-Reply-To: <mid@x>')).toEqual([
      'root@x',
      'mid@x',
      'me@x',
    ]);
    expect(await thread('In-Reply-To: <mid@x>')).toEqual(['mid@x', 'mid@x', 'me@x']);
    expect(await thread('References: <root@x>\r\n <last@x>')).toEqual(['root@x', 'last@x', 'me@x']);
    expect(await thread('References: <me@x>', 'In-Reply-To: <me@x>')).toEqual(['me@x', null, 'me@x']);
    expect(await thread('In-Reply-To: your mail of Monday')).toEqual(['me@x', null, 'me@x']);
  });

  test('without a Message-ID get the same ID each time they are read', async () => {
    const { messageId, root } = await toHeaders('From: a@x.test', 'Subject: none');
    expect(messageId).toMatch(/^[\da-f]{64}@unnamed\.invalid$/);
    expect(root).toBe(messageId);
    expect((await toHeaders('From: a@x.test', 'Subject: none')).messageId).toBe(messageId);
  });

  test('are decoded to one line', async () => {
    const { from, replyTo, to, subject } = await toHeaders(
      `From: =?utf-8?B?${Buffer.from('Bøb 灯台').toString('base64')}?= <BOB@Example.COM>`,
      'Reply-To: "help" <help@example.com>',
      'To: undisclosed-recipients:;, Ann <ann@example.com>, Team: carl@example.com, dora@example.com;',
      'Subject: =?utf-8?Q?one=0D=0ABcc:_all@example.com?=\r\n =?utf-8?Q?_two=E2=80=AE?=',
    );
    expect(from).toEqual({ address: 'bob@example.com', name: 'Bøb 灯台' });
    expect(replyTo).toEqual({ address: 'help@example.com', name: 'help' });
    expect(to.map(({ address }) => address)).toEqual([
      'ann@example.com',
      'carl@example.com',
      'dora@example.com',
    ]);
    expect(subject).toBe('one Bcc: all@example.com two');
  });

  test.each([
    [['Auto-Submitted: auto-replied (vacation)'], 'auto_replied'],
    [['Auto-Submitted: auto-generated'], 'auto_generated'],
    [['Auto-Submitted: no'], null],
    [['X-Autoreply: yes'], 'auto_replied'],
    [['Precedence: auto_reply'], 'auto_replied'],
    [['Precedence: bulk'], 'auto_generated'],
    [['Return-Path: <>'], 'auto_generated'],
    [['Return-Path: <a@b.test>'], null],
    [['List-Id: Friends <friends.example.com>'], 'list'],
    [['List-Unsubscribe: <mailto:off@example.com>', 'Precedence: bulk'], 'list'],
    [[], null],
  ])('%j: automatic is %s', async (lines, automatic) => {
    expect((await toHeaders('Message-ID: <a@b>', ...lines)).automatic).toBe(automatic);
  });

  test('with arbitrary bytes are read without errors', async () => {
    const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array));
    const lines = fc
      .array(
        fc.tuple(
          fc.constantFrom('From', 'To', 'Subject', 'References', 'Message-ID', 'Content-Type'),
          fc.string(),
        ),
      )
      .map((pairs) => Buffer.from(pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')));
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, lines), async (block) => {
        const { messageId, root, subject, from } = await readHeaders(block);
        expect(`${messageId}${root}`).not.toMatch(/[\s<>\p{Cc}]/u);
        expect(subject ?? '').not.toMatch(/\p{Cc}/u);
        expect(readEmail(from.address)).toBe(from.address);
      }),
      { numRuns: 300 },
    );
  });
});

test('prefixes of replies are removed from a subject', () => {
  expect(threadTitle('Re: AW: Fwd[2]: Order 7')).toBe('Order 7');
  expect(threadTitle('Return of the parcel')).toBe('Return of the parcel');
  expect(threadTitle('Re:')).toBe('Re:');
  expect(threadTitle(null)).toBeNull();
});

test('addresses are normalized, and invalid ones and lists are rejected', () => {
  expect(normalizeEmail(' Ada.Lovelace+x@BÜCHER.example ')).toBe('ada.lovelace+x@xn--bcher-kva.example');
  for (const bad of ['a@b@c', 'a@b c', 'a,b@c', '<a@b>', 'a@b\n', 'a@[127.0.0]', 'a@[::1]', 'a@.b', ''])
    expect(() => normalizeEmail(bad.replace('\n', '\r\nX: y')), bad).toThrow(InvalidAddressError);
  expect(readEmail(undefined)).toBeNull();
});

test('unusual addresses from other programs are kept in full', async () => {
  const long = `${'a'.repeat(300)}@x.test`;
  for (const same of [
    long,
    '"jane doe"@x.test',
    'root@[192.0.2.7]',
    'root@[ipv6:2001:db8::1]',
    '"a@b"@x.test',
  ])
    expect([normalizeEmail(same), readEmail(same)], same).toEqual([same, same]);
  expect(normalizeEmail('"ada"@x.test')).toBe('ada@x.test');
  expect(normalizeEmail(String.raw`"a\"b\c"@x.test`)).toBe(String.raw`"a\"bc"@x.test`);
  expect(() => normalizeEmail(`${'a'.repeat(1000)}@x.test`)).toThrow(InvalidAddressError);
  const from = async (line: string) => (await toHeaders('Message-ID: <a@b>', `From: ${line}`)).from.address;
  expect(await from('"Jane" <"jane doe"@x.test>')).toBe('"jane doe"@x.test');
  expect(await from('"victim@example.com"@evil.test')).toBe('"victim@example.com"@evil.test');
  expect(await from('<root@[192.0.2.7]>')).toBe('root@[192.0.2.7]');
});

test('senders without an address are different contacts, and an unusable Reply-To prevents replies', async () => {
  const senders = await Promise.all(
    ['From: root', 'From: cron', 'From: <>', 'Subject: x'].map((line, index) =>
      toHeaders(`Message-ID: <${index}@x>`, line),
    ),
  );
  expect(new Set(senders.map(({ from }) => from.address)).size).toBe(4);
  for (const { from } of senders) expect(isUnknown(from.address), from.address).toBe(true);
  expect((await toHeaders('Message-ID: <other@x>', 'From: root')).from).toEqual(senders[0]!.from);
  expect(senders[0]!.from.name).toBe('root');
  const { replyTo } = await toHeaders('From: a@x.test', 'Reply-To: do not reply');
  expect(isUnknown(replyTo!.address)).toBe(true);
  expect((await toHeaders('From: a@x.test', 'Reply-To:')).replyTo).toBeNull();
});

describe('delivery reports', () => {
  const report = (status: string, original = 'Message-ID: <orig@example.com>\r\nSubject: x') =>
    Buffer.from(
      [
        'From: MAILER-DAEMON@mx.test',
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
        'MIME-Version: 1.0',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'Sorry.',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.test',
        '',
        status,
        '',
        '--b',
        'Content-Type: text/rfc822-headers',
        '',
        original,
        '',
        '--b--',
        '',
      ].join('\r\n'),
    );

  test('name the mail that failed and the reason', async () => {
    const failed =
      'Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n  No such\r\n user';
    expect(await readReport(report(failed))).toEqual({
      messageIds: ['orig@example.com'],
      status: 'failed',
      error: { code: 'recipient_unknown', detail: '550 5.1.1 No such user' },
    });
    const folded = 'X: y\r\nMessage-Id:\r\n <orig@example.com>';
    expect(await readReport(report(failed, folded))).toMatchObject({ messageIds: ['orig@example.com'] });
  });

  test.each([
    ['Action: failed\r\nStatus: 4.4.1', 'failed', 'delivery_timed_out'],
    ['Action: failed\r\nStatus: 5.2.2', 'failed', 'mailbox_full'],
    ['Action: Failed\r\nStatus: 5.7.26 (DMARC)', 'failed', 'not_allowed'],
    ['Action: failed', 'failed', 'refused_by_server'],
    ['Action: delivered\r\nStatus: 2.0.0', undefined, undefined],
    ['Action: delayed\r\nStatus: 4.4.1', undefined, undefined],
    ['Action: relayed', undefined, undefined],
    ['nothing of use', undefined, undefined],
  ])('%s: %s %s', async (status, outcome, code) => {
    const read = await readReport(report(status));
    expect([read?.status, read?.error?.code]).toEqual([outcome, code]);
  });

  test('with two parts or wrapped by gateways name our mail in their headers', async () => {
    const bounce = (head: string) =>
      `${head}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nSorry.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n`;
    const named = bounce('In-Reply-To: <ours@example.com>\r\nReferences: <root@x> <ours@example.com>\r\n');
    const found = { status: 'failed', error: { code: 'recipient_unknown' } };
    expect(await readReport(Buffer.from(named))).toMatchObject({
      ...found,
      messageIds: ['ours@example.com', 'root@x'],
    });
    const wrapped = `Content-Type: multipart/mixed; boundary=w\r\n\r\n--w\r\n\r\nScanned.\r\n--w\r\nContent-Type: message/rfc822\r\n\r\n${named}\r\n--w--\r\n`;
    expect(await readReport(Buffer.from(wrapped))).toMatchObject(found);
    expect(await readReport(Buffer.from(bounce('')))).toBeNull();
    const exchange = report(
      'X-Original-Message-ID: <e@x>\r\n\r\nAction: failed\r\nStatus: 5.1.1',
      'Subject: x',
    );
    expect(await readReport(exchange)).toMatchObject({ ...found, messageIds: ['e@x'] });
  });

  test('without the Message-ID of a mail give null', async () => {
    expect(await readReport(report('Action: failed\r\nStatus: 5.1.1', 'Subject: x'))).toBeNull();
    expect(await readReport(Buffer.from('Subject: x\r\n\r\nx'))).toBeNull();
    expect(await readReport(Buffer.alloc(0))).toBeNull();
  });
});

describe('composed mails', () => {
  const settings = readSettings({
    address: OWN,
    display_name: 'Support\r\nBcc: all@example.com',
    imap: { host: 'i', port: 1, security: 'tls' },
    smtp: { host: 's', port: 1, security: 'tls' },
  });
  const getSource = async (message: Parameters<typeof compose>[0]) => {
    const { source } = await compose(message, settings);
    let text = '';
    for await (const chunk of source) text += String(chunk);
    return text;
  };

  test('reference their thread', () => {
    const parent = { clientId: null, externalId: 'two@x', fromMe: false, author: null };
    const chat = { kind: 'direct' as const, key: 'root@x', address: 'a@b.test' };
    expect(getThread(outbound('a@b.test'), OWN)).toEqual({ inReplyTo: null, references: [] });
    expect(getThread(outbound('a@b.test', { chat }), OWN)).toEqual({
      inReplyTo: 'root@x',
      references: ['root@x'],
    });
    expect(getThread(outbound('a@b.test', { chat, references: ['root@x', 'one@x'] }), OWN)).toEqual({
      inReplyTo: 'one@x',
      references: ['root@x', 'one@x'],
    });
    expect(getThread(outbound('a@b.test', { chat, replyTo: parent, references: ['one@x'] }), OWN)).toEqual({
      inReplyTo: 'two@x',
      references: ['root@x', 'one@x', 'two@x'],
    });
    const begun = { ...chat, key: publicId('message', newUuid()) };
    const root = getMessageId(begun.key, OWN);
    expect(getThread(outbound('a@b.test', { chat: begun }), OWN)).toEqual({
      inReplyTo: root,
      references: [root],
    });
    const first = outbound('a@b.test', { chat: begun, clientId: begun.key });
    expect(getThread(first, OWN)).toEqual({ inReplyTo: null, references: [] });
    const ours = { ...parent, externalId: null, clientId: 'c', fromMe: true };
    expect(getThread(outbound('a@b.test', { replyTo: ours }), OWN).inReplyTo).toBe('c@example.com');
  });

  test('always have a subject', () => {
    const subject = (text: string | null, given: string | null = null) =>
      getSubject(outbound('a@b.test', { subject: given, content: { text, file: null, data: null } }));
    expect(subject('x', 'Given')).toBe('Given');
    expect(subject('\n  first line\nsecond')).toBe('first line');
    expect(subject('🙂'.repeat(100))).toBe('🙂'.repeat(78));
    expect(subject(null)).toBe('(no subject)');
    const chat = { kind: 'direct' as const, key: 'root@x', address: 'a@b.test', title: 'Order 7' };
    const answer = outbound('a@b.test', { chat, text: 'It is on its way' });
    expect(getSubject(answer)).toBe('Re: Order 7');
    expect(getSubject({ ...answer, subject: 'Order 8' })).toBe('Order 8');
    expect(getSubject({ ...answer, chat: { ...chat, key: answer.clientId } })).toBe('Order 7');
  });

  test.each(['"jane doe"@x.test', 'root@[192.0.2.7]', `${'a'.repeat(200)}@x.test`])(
    'have %s unchanged as recipient',
    async (address) => {
      const composed = await compose(outbound(address), settings);
      expect(composed.envelope.to).toEqual([address]);
      const head = (await getSource(outbound(address))).split('\r\n\r\n')[0]!;
      expect((await readHeaders(Buffer.from(head))).to).toEqual([{ address, name: null }]);
    },
  );

  test('cannot get headers injected by callers', async () => {
    const evil = 'x\r\nBcc: all@example.com\r\n\r\nbody';
    const source = await getSource(
      outbound('a@b.test', {
        subject: evil,
        references: [evil],
        replyTo: { clientId: null, externalId: `a@b>${evil}`, fromMe: false, author: evil },
      }),
    );
    const [head] = source.split('\r\n\r\n');
    expect(head).not.toMatch(/^bcc:/im);
    expect(head!.match(/^To: (.*)$/m)![1]).toBe('a@b.test');
    expect(head).toMatch(/^X-Auto-Response-Suppress: OOF, AutoReply$/m);
    expect(head).not.toMatch(/^(Precedence|Auto-Submitted):/im);
  });

  test.each([
    [{}, 'auto_generated'],
    [{ references: ['a@b.test'] }, 'auto_replied'],
  ])('from rules are marked as automatic: %j', async (more, automatic) => {
    const source = await getSource(outbound('a@b.test', { automatic: true, ...more }));
    expect(await readHeaders(Buffer.from(source.split('\r\n\r\n')[0]!))).toMatchObject({ automatic });
  });
});
