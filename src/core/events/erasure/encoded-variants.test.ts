import { expect, test } from 'vitest';
import { newUuid } from '../../../platform/http/ids.ts';
import { getPrefilterTerms, isMentionedIn, getLoosePatterns, getPersonalData } from './person.ts';
import { getEncodedVariants } from './encoded-variants.ts';

const MAIL = 'ann+tag@shop.example';
const tracesFor = (...addresses: string[]) =>
  getPersonalData({
    workspaceId: newUuid(),
    erasureId: newUuid(),
    contactIds: [newUuid()],
    chatIds: [],
    identities: addresses.map((address) => ({ instance_id: newUuid(), address })),
    erasedAt: new Date(),
  });

/** Variants of one address, by the software that writes them. */
const WRITTEN: [who: string, address: string, text: string][] = [
  ['a form', MAIL, `?${new URLSearchParams({ from: MAIL }).toString()}&n=1`],
  ['a form with small digits', MAIL, '?from=ann%2btag%40shop.example'],
  ['who escapes the @ alone', MAIL, 'https://a.example/ann+tag%40shop.example/'],
  [
    'an address in an address',
    MAIL,
    `?to=${encodeURIComponent(`https://a.example/?u=${encodeURIComponent(MAIL)}`)}`,
  ],
  ['HTML, decimal', MAIL, '<a>ann&#43;tag&#64;shop.example</a>'],
  ['HTML, hexadecimal', MAIL, '<a>ann+tag&#x40;shop.example</a>'],
  ['HTML, by name', MAIL, '<a>ann&plus;tag&commat;shop.example</a>'],
  ['HTML, every character', MAIL, Array.from(MAIL, (char) => `&#${char.codePointAt(0)};`).join('')],
  ['every byte', MAIL, Array.from(MAIL, (char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
  ['.NET', '+4930555010', String.raw`{"from":"\u002B4930555010"}`],
  ['JSON within JSON', '+4930555010', JSON.stringify(String.raw`{"from":"\u002b4930555010"}`)],
  ['JSON within JSON, amid it', MAIL, JSON.stringify(String.raw`{"from":"ann\u002Btag@shop.example"}`)],
  ['PHP', 'ann@shop.example/phone', String.raw`{"jid":"ann@shop.example\/phone"}`],
  ['PHP, beyond ASCII', 'jörg@shop.example', String.raw`{"jid":"j\u00f6rg@shop.example"}`],
  ['UTF-8 in an address', 'jörg@shop.example', encodeURIComponent('jörg@shop.example')],
  ['beyond the first plane', '😀smile@shop.example', String.raw`\ud83d\ude00smile@shop.example`],
];

test.each(WRITTEN)('%s writes an address so that it is found', (_who, address, text) => {
  const traces = tracesFor(address);
  expect(isMentionedIn(text, traces)).toBe(true);
  expect(isMentionedIn(text, tracesFor('bob+tag@shop.example', '+4930555011', 'rg@shop.example.org'))).toBe(
    false,
  );
});

/** As PostgreSQL compares by LIKE. */
function fits(text: string, pattern: string): boolean {
  const source = pattern.replaceAll(/\\(.)|%|_|[^\\%_]/gsu, (all: string, literal?: string) =>
    all === '%' ? '.*' : all === '_' ? '.' : `\\u{${(literal ?? all).codePointAt(0)!.toString(16)}}`,
  );
  return new RegExp(`^${source}$`, 'su').test(text);
}

test('whatever a pattern fits an anchor fits, and there are few anchors', () => {
  const traces = tracesFor(MAIL, '+4930555010', 'jörg@shop.example/phone', 'a@b.co', 'x+y');
  const anchors = getPrefilterTerms(traces);
  const patterns = getLoosePatterns(traces);
  for (const pattern of patterns) {
    const text = pattern.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    expect(anchors.some((anchor) => fits(text, anchor))).toBe(true);
  }
  expect(anchors.length).toBeLessThan(patterns.length / 3);
});

test('a form that was read has lost the +, which counts as a whole value alone', () => {
  const traces = tracesFor('+4930555010');
  const found = (value: object) => getLoosePatterns(traces).some((one) => fits(JSON.stringify(value), one));
  expect(found({ from: ' 4930555010' })).toBe(true);
  expect(found({ order: 'no. 4930555010' })).toBe(false);
});

test('an address of nothing but special characters does not make writings without end', () => {
  expect(getEncodedVariants('!#$%&*+/=?^`{|}@x.example').length).toBeLessThan(250);
  expect(getEncodedVariants('+'.repeat(200)).length).toBeLessThan(50);
});

test('each of many addresses is found', () => {
  const many = Array.from({ length: 100 }, (_, nth) => `person+${nth}@shop${nth}.example`);
  const traces = tracesFor(...many);
  for (const one of many) expect(isMentionedIn(`?u=${encodeURIComponent(one)}`, traces)).toBe(true);
});
