/** The readable text of a mail: selecting parts, decoding charsets, and converting HTML. */
import type { MessageStructureObject } from 'imapflow';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../test/support/cpu.ts';
import { decodeText } from './charset.ts';
import { unflow } from './flowed-text.ts';
import { CUT, htmlToText, MAX_HTML } from './html-text.ts';
import { type Body, readStructure } from './structure.ts';

/** Returns part numbers in reading order, with alternatives as nested lists and `…` for omitted parts. */
const readingOrder = (body: Body): unknown[] => {
  const name = (each: Body): unknown =>
    each.kind === 'text' ? each.part : each.kind === 'omitted' ? '…' : each.of.map(name);
  const order = name(body);
  return Array.isArray(order) ? order : [order];
};

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

  test('are split into text and files', () => {
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
    expect(readingOrder(parts.body)).toEqual([['1.1.1', '1.1.2'], '5']);
    expect(parts.files.map(({ part, fileName }) => [part, fileName])).toEqual([
      ['1.3', 'image.png'],
      ['2', 'a.txt'],
      ['4', 'message.eml'],
    ]);
    expect([parts.isDeliveryReport, parts.isReadReceipt]).toEqual([false, false]);
  });

  test('are read by structure, not by type', () => {
    const order = (root: MessageStructureObject) => readingOrder(readStructure(root).body);
    const plain = leaf('1', 'text/plain');
    const html = leaf('2', 'text/html');
    expect(order(multi('mixed', plain, html))).toEqual(['1', '2']);
    expect(order(multi('alternative', html, plain))).toEqual(['1', '2']);
    expect(order(multi('alternative', plain, leaf('2', 'text/x-amp-html'), leaf('3', 'text/html')))).toEqual([
      '1',
      '3',
    ]);
    expect(order(multi('alternative', leaf('1', 'text/html'), leaf('2', 'text/html')))).toEqual(['2', '1']);
    expect(
      order(
        leaf('', 'text/plain', {
          part: undefined,
          disposition: 'inline',
          dispositionParameters: { filename: 'a.txt' },
        }),
      ),
    ).toEqual(['text']);
    const named = { parameters: { name: 'a.txt' } };
    expect(order(multi('mixed', leaf('1', 'text/plain', named), leaf('2', 'text/plain', named)))).toEqual([
      '1',
    ]);
    expect(order(multi('mixed', leaf('1', 'text/plain', { disposition: 'attachment' })))).toEqual([]);
  });

  test('show reports at any level', () => {
    const report = multi('report', leaf('1', 'text/plain'), leaf('2', 'message/delivery-status'));
    expect(readStructure(report)).toMatchObject({ isDeliveryReport: true, isReadReceipt: false });
    const wrapped = multi(
      'mixed',
      leaf('1', 'text/plain'),
      leaf('2', 'message/rfc822', { childNodes: [report] }),
    );
    expect(readStructure(wrapped).isDeliveryReport).toBe(true);
    const receipt = {
      ...multi('report', leaf('1', 'text/plain'), leaf('2', 'message/disposition-notification')),
      parameters: { 'report-type': 'disposition-notification' },
    };
    expect(readStructure(receipt)).toMatchObject({ isDeliveryReport: false, isReadReceipt: true, files: [] });
  });

  test('beyond the limits are cut off and marked', () => {
    let deep: MessageStructureObject = leaf('1', 'text/plain');
    for (let level = 0; level < 5000; level++) deep = multi('mixed', deep);
    expect(readStructure(deep)).toMatchObject({ body: { kind: 'omitted' }, files: [] });
    const wide = multi('mixed', ...Array.from({ length: 5000 }, (_, index) => leaf(`${index}`, 'image/png')));
    const { files, omittedFiles } = readStructure(wide);
    expect([files.length, omittedFiles]).toEqual([100, 4900]);
    const texts = readStructure(
      multi('mixed', ...Array.from({ length: 5000 }, (_, index) => leaf(`${index}`, 'text/plain'))),
    );
    expect(readingOrder(texts.body).slice(99, 101)).toEqual(['99', '…']);
  });
});

describe('HTML', () => {
  test('is converted to readable text', () => {
    const html =
      '<html><head><title>t</title><style>a{}</style></head><body><h1>Head</h1><p>One &amp; two</p><ul><li>a</li><li>b</li></ul><p><a href="https://x.test">https://x.test</a></p><img src="cid:1" alt="logo"><script>alert(1)</script></body></html>';
    expect(htmlToText(html)).toBe('Head\n\nOne & two\n\n * a\n * b\n\nhttps://x.test');
  });

  test('is converted in linear time', () => {
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

  test('keeps all text however its tags are closed', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `<font color=red>line ${index}<br>`);
    expect(htmlToText(lines.join('\n')).split('\n')).toHaveLength(5000);
    const word = `<html><head><!--[if gte mso 9]><xml>${'<w:LsdException/>'.repeat(400)}</xml><![endif]--><style>${'<a>'.repeat(400)}</style></head><body lang=DE><div class=WordSection1><p class=MsoNormal><o:p>Text</o:p></p></div></body></html>`;
    expect(htmlToText(word)).toBe('Text');
    expect(htmlToText(`${'<x:y/>'.repeat(1000)}${'<div>'.repeat(1000)}deep`)).toBe('deep');
    expect(htmlToText(`${'x'.repeat(MAX_HTML)}y`).endsWith(`x\n${CUT}`)).toBe(true);
    expect(htmlToText('before<style>p {} and the rest')).toBe(`before\n${CUT}`);
  });

  test.each([
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>e', 'a\tb\nc\td\ne'],
    ['<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a\tb'],
    ['<table><tr><td></td><td>b</td></tr><tr><td>c</td></tr></table>', 'b\nc'],
    ['<table><tr><td><p>a</p><p>b</p></td><td>c</td></tr></table>', 'a\n\nb\nc'],
    ['<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td><td>c</td></tr></table>', 'a\nb\nc'],
    ['<dl><dt>a<dd>b</dl>', 'a\nb'],
    ['<button>a</button><button>b</button>', 'a b'],
    ['<select><option>a<option>b</select>c', 'a b c'],
    ['<div>a</div><div>b</div><section>c</section>', 'a\nb\nc'],
    ['a<p>b</p>c', 'a\n\nb\n\nc'],
    ['<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    ['<b>a</b><i>b</i>', 'ab'],
    ['<ol start=3><li>a<li>b<ul><li>c</ul></ol>d', ' 3. a\n 4. b\n     * c\n\nd'.trim()],
    [
      '<a href="https://a.test/?x=1&amp;y=2">here</a>, <a href="javascript:x">there</a>',
      'here [https://a.test/?x=1&y=2] , there',
    ],
    ['<a href="mailto:a@x.test">A@x.test</a>', 'A@x.test'],
    ['<textarea>a</textarea><hr>b', 'a\n---\nb'],
  ])('%s is %j', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  test('keeps nested quotes of any depth', () => {
    const quote = (levels: number): string =>
      levels === 0 ? 'first' : `mail ${levels}<blockquote>${quote(levels - 1)}</blockquote>`;
    const text = htmlToText(`${quote(60)}<p>last</p>`);
    for (const word of ['mail 60', 'mail 30', 'first', '\nlast']) expect(text).toContain(word);
    expect(text).toContain(`\n${'> '.repeat(20)}mail 40`);
    expect(text).not.toContain('> '.repeat(21));
    expect(htmlToText('a  \n<pre>b  \n  c</pre>')).toBe('a\n\nb\n  c');
  });
});

describe('charsets', () => {
  const bytes = (...given: number[]) => Buffer.from(given);

  test.each([
    ['iso-8859-1', bytes(0x92, 0x80), '’€'],
    ['US-ASCII', bytes(0x92, 0x80), '’€'],
    ['us-ascii', Buffer.from('ü'), 'ü'],
    ['win-1251', bytes(0xcf), 'П'],
    ['CP932', bytes(0x82, 0xa0), 'あ'],
    ['cp949', bytes(0xb0, 0xa1), '가'],
    ['utf-7', Buffer.from('+AOk-'), 'é'],
    ['nothing known', Buffer.from('é'), 'é'],
    [null, bytes(0xfc), 'ü'],
    [null, Buffer.from('caf\xe9', 'latin1'), 'café'],
    [null, Buffer.from('für ü').subarray(0, -1), 'für '],
    ['utf-8', bytes(0xef, 0xbb, 0xbf, 0x61), 'a'],
    ['iso-8859-1', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'é'],
  ])('%s: %j', (label, given, text) => {
    expect(decodeText(given, label)).toBe(text);
  });

  test('are read from a meta element only in HTML', () => {
    const html = Buffer.concat([
      Buffer.from('<meta http-equiv=x content="text/html; charset=koi8-r">\xd0', 'latin1'),
    ]);
    expect(decodeText(html, null, true).at(-1)).toBe('п');
    expect(decodeText(html, null).at(-1)).toBe('Ð');
    expect(decodeText(Buffer.from('<meta charset=utf-16>é'), null, true).at(-1)).toBe('é');
  });
});

test('flowed text is joined within its quote', () => {
  expect(unflow('a \nb\n> c \n> d\n>> e \n> f\n', false)).toBe('a b\n> c d\n>> e \n> f\n');
  expect(unflow('a \nb', true)).toBe('ab');
  expect(unflow(' > no quote \n', false)).toBe('> no quote ');
  expect(unflow('text \n-- \nname', false)).toBe('text \n-- \nname');
});
