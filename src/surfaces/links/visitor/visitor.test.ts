import { expect, test } from 'vitest';
import { parseLanguage } from './language.ts';
import { parseReferrer } from './referrer.ts';
import { visitorHash } from './visitor-hash.ts';

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en', 'en'],
  ['EN-us', 'en'],
  ['zh-Hant-TW, zh;q=0.8', 'zh'],
  ['de;q=0.5, fr;q=0.9', 'fr'],
  ['de;q=0.5,fr;q=0.5', 'de'],
  ['*, es;q=0.5', 'es'],
  ['*', null],
  ['de;q=0', null],
  ['fil-PH', 'fil'],
  ['1234,<b>,en;q=0.1', 'en'],
  ['', null],
  [undefined, null],
  [`${'x'.repeat(100_000)},de`, null],
  [`${'*,'.repeat(200)}de`, null],
])('the language of %j is %j', (header, language) => expect(parseLanguage(header)).toBe(language));

test.each([
  ['https://www.Example.com/path?secret=1#x', 'www.example.com'],
  ['http://example.com:8080', 'example.com'],
  ['https://user:password@example.com/', 'example.com'],
  ['android-app://com.slack/', 'com.slack'],
  ['https://example.com./', 'example.com'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  ['http://[2001:db8::1]:80/x', '[2001:db8::1]'],
  ['https://links.example/launch', null],
  ['https://LINKS.example:3000/launch', null],
  ['about:blank', null],
  ['javascript://example.com/', null],
  ['https://<script>/', null],
  ['https://a b/', null],
  ['//example.com', null],
  ['', null],
  [undefined, null],
  [`https://${'a'.repeat(300)}.example/`, null],
  [`https://example.com/${'a'.repeat(10_000)}`, 'example.com'],
])('the referrer of %j is %j', (header, host) =>
  expect(parseReferrer(header, (name) => name === 'links.example')).toBe(host),
);

test('a visitor is one by salt, address and agent, and only by all of them', () => {
  const salt = 'ab'.repeat(32);
  const one = visitorHash(salt, '203.0.113.7', 'Agent');
  expect(visitorHash(salt, '203.0.113.7', 'Agent')).toBe(one);
  expect(BigInt.asIntN(64, one)).toBe(one);
  const others = [
    visitorHash('ac'.repeat(32), '203.0.113.7', 'Agent'),
    visitorHash(salt, '203.0.113.8', 'Agent'),
    visitorHash(salt, '203.0.113.7', 'Agent2'),
    visitorHash(salt, '203.0.113.7A', 'gent'),
    visitorHash(salt, '', '203.0.113.7Agent'),
  ];
  expect(new Set([one, ...others]).size).toBe(6);
});
