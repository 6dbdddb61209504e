/** What strangers write into mails, read without a server: headers, threads, addresses, structures, HTML, reports. */
import fc from 'fast-check';
import type { MessageStructureObject } from 'imapflow';
import { describe, expect, test } from 'vitest';
import { publicId } from '../../platform/http/ids.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import { cpuMs } from '../../../test/support/cpu.ts';
import { normaliseEmail, readEmail } from './address.ts';
import { readReport } from './bounce.ts';
import { compose, getSubject, getThread } from './compose.ts';
import { readHeaders } from './headers.ts';
import { htmlToText } from './html-text.ts';
import { getClientId, getMessageId, readMessageIds } from './message-id.ts';
import { threadTitle } from './read-mail.ts';
import { readSettings } from './settings.ts';
import { readStructure } from './structure.ts';
import { outbound } from '../../../test/support/channels/email/account.ts';

const OWN = 'support@example.com';
const toHeaders = (...lines: string[]) => readHeaders(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`));

describe('Message-IDs', () => {
  test('lead back to the message that they were made for', () => {
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

  test('are looked for in a long word once, not from each of its characters', async () => {
    const long = 'a'.repeat(65_000);
    expect(cpuMs(() => expect(readMessageIds(long)).toEqual([]))).toBeLessThan(1_000);
    expect((await toHeaders(`References: ${long}`)).parent).toBeNull();
  });
});

describe('headers', () => {
  test('tell the thread', async () => {
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

  test('without a Message-ID have the same id whenever they are read', async () => {
    const { messageId, root } = await toHeaders('From: a@x.test', 'Subject: none');
    expect(messageId).toMatch(/^[\da-f]{64}@unnamed\.invalid$/);
    expect(root).toBe(messageId);
    expect((await toHeaders('From: a@x.test', 'Subject: none')).messageId).toBe(messageId);
  });

  test('are decoded, and stay one line', async () => {
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
  ])('%j: written by %s', async (lines, automatic) => {
    expect((await toHeaders('Message-ID: <a@b>', ...lines)).automatic).toBe(automatic);
  });

  test('of any bytes are read without a fault', async () => {
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
        if (from) expect(readEmail(from.address)).toBe(from.address);
      }),
      { numRuns: 300 },
    );
  });
});

test('a subject loses what replies put before it', () => {
  expect(threadTitle('Re: AW: Fwd[2]: Order 7')).toBe('Order 7');
  expect(threadTitle('Return of the parcel')).toBe('Return of the parcel');
  expect(threadTitle('Re:')).toBe('Re:');
  expect(threadTitle(null)).toBeNull();
});

test('addresses have one spelling, and are one address', () => {
  expect(normaliseEmail(' Ada.Lovelace+x@BÜCHER.example ')).toBe('ada.lovelace+x@xn--bcher-kva.example');
  for (const bad of ['a@b@c', 'a@b c', 'a,b@c', '<a@b>', 'a@b\n', 'a@[127.0.0.1]', 'a@.b', ''])
    expect(() => normaliseEmail(bad.replace('\n', '\r\nX: y')), bad).toThrow(InvalidAddressError);
  expect(readEmail(undefined)).toBeNull();
});

describe('structures', () => {
  const leaf = (part: string, type: string, more: Partial<MessageStructureObject> = {}) => ({
    part,
    type,
    size: 100,
    ...more,
  });
  const multi = (subtype: string, ...childNodes: MessageStructureObject[]) => ({
    type: `multipart/${subtype}`,
    childNodes,
  });

  test('text and files are told apart', () => {
    const parts = readStructure(
      multi(
        'mixed',
        multi(
          'related',
          multi('alternative', leaf('1.1.1', 'text/plain'), leaf('1.1.2', 'text/html')),
          leaf('1.2', 'image/png', { id: '<logo>' }),
          leaf('1.3', 'image/png', { id: '<photo>', size: 500_000 }),
        ),
        leaf('2', 'text/plain', { disposition: 'attachment', dispositionParameters: { filename: 'a.txt' } }),
        leaf('3', 'application/pgp-signature'),
        leaf('4', 'message/rfc822', { childNodes: [leaf('4', 'text/plain')] }),
        leaf('5', 'text/plain'),
      ),
    );
    expect(parts.plain).toEqual(['1.1.1', '5']);
    expect(parts.html).toEqual(['1.1.2']);
    expect(parts.files.map(({ part, fileName }) => [part, fileName])).toEqual([
      ['1.3', null],
      ['2', 'a.txt'],
      ['4', 'message.eml'],
    ]);
    expect(parts.isReport).toBe(false);
  });

  test('made to hurt are cut off', () => {
    let deep: MessageStructureObject = leaf('1', 'text/plain');
    for (let level = 0; level < 5000; level++) deep = multi('mixed', deep);
    expect(readStructure(deep)).toMatchObject({ plain: [], files: [] });
    const wide = multi('mixed', ...Array.from({ length: 5000 }, (_, index) => leaf(`${index}`, 'image/png')));
    expect(readStructure(wide).files).toHaveLength(50);
  });
});

describe('HTML', () => {
  test('becomes what is to be read', () => {
    const html =
      '<html><head><title>t</title><style>a{}</style></head><body><h1>Head</h1><p>One &amp; two</p><ul><li>a</li><li>b</li></ul><p><a href="https://x.test">https://x.test</a></p><img src="cid:1" alt="logo"><script>alert(1)</script></body></html>';
    expect(htmlToText(html)).toBe('Head\n\nOne & two\n\n * a\n * b\n\nhttps://x.test');
  });

  test('of any form takes its bounded time', () => {
    const hostile = [
      '<div>'.repeat(100_000),
      '<table><tr><td>'.repeat(30_000),
      `<a href="${'x'.repeat(400_000)}">`,
      '<'.repeat(500_000),
      '&'.repeat(500_000),
      '<b>'.repeat(150_000),
      '<ul><li>'.repeat(60_000),
      `<p>${'\u00a0'.repeat(300_000)}x`,
      `<pre>${' '.repeat(300_000)}x`,
      `${'<ol><li>'.repeat(280)}${'a<br>'.repeat(60_000)}`,
    ];
    expect(cpuMs(() => hostile.map((html) => htmlToText(html)))).toBeLessThan(3_000);
    expect(htmlToText(`${'<div>'.repeat(200)}deep`)).toBe('deep');
  });

  test('keeps quotes of quotes, however many mails a thread has', () => {
    const quote = (levels: number): string =>
      levels === 0 ? 'first' : `mail ${levels}<blockquote>${quote(levels - 1)}</blockquote>`;
    const text = htmlToText(`${quote(60)}<p>last</p>`);
    for (const word of ['mail 60', 'mail 30', 'first', '\nlast']) expect(text).toContain(word);
    expect(text).toContain(`\n${'> '.repeat(20)}mail 40`);
    expect(text).not.toContain('> '.repeat(21));
    expect(htmlToText('a  \n<pre>b  \n  c</pre>')).toBe('a\n\nb\n  c');
  });
});

describe('reports of delivery', () => {
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

  test('tell which mail failed, and why', async () => {
    const failed =
      'Final-Recipient: rfc822; a@b.test\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n  No such\r\n user';
    expect(await readReport(report(failed))).toEqual({
      messageId: 'orig@example.com',
      status: 'failed',
      error: { code: 'recipient_unknown', detail: '550 5.1.1 No such user' },
    });
    const folded = 'X: y\r\nMessage-Id:\r\n <orig@example.com>';
    expect(await readReport(report(failed, folded))).toMatchObject({ messageId: 'orig@example.com' });
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

  test('about no mail that can be named tell nothing', async () => {
    expect(await readReport(report('Action: failed\r\nStatus: 5.1.1', 'Subject: x'))).toBeNull();
    expect(await readReport(Buffer.from('Subject: x\r\n\r\nx'))).toBeNull();
    expect(await readReport(Buffer.alloc(0))).toBeNull();
  });
});

describe('mails of ours', () => {
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

  test('stand in their thread', () => {
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

  test('have a subject always', () => {
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

  test('get no header from what callers give', async () => {
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
});
