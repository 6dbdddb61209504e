import { describe, expect, test } from 'vitest';
import { InvalidAddressError } from '../../contract/driver-error.ts';
import { normalizeJid, parseJid, readBare } from './address.ts';

describe('XMPP addresses', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' xmpp:ada@example.com ', 'ada@example.com'],
    ['ada@example.com.', 'ada@example.com'],
    ['ÄDA@Bücher.example', 'äda@bücher.example'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['Ａda@example.com', 'ada@example.com'],
    ['a\\20b@example.com', 'a\\20b@example.com'],
    ['Room@Rooms.example.com/Nick Name', 'room@rooms.example.com/Nick Name'],
    ['room@rooms.example.com/a/b@c', 'room@rooms.example.com/a/b@c'],
    ['ada@localhost', 'ada@localhost'],
    ['ada@[::1]', 'ada@[::1]'],
    ['example.com', 'example.com'],
  ])('%j is %j', (given, expected) => {
    expect(normalizeJid(given)).toBe(expected);
    expect(normalizeJid(expected)).toBe(expected);
  });

  test.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@example.com/',
    'a b@example.com',
    'a@b@example.com',
    'ada@exa mple.com',
    'ada@example.com\r\nx',
    'ad\u0000a@example.com',
    'ada@example.com/a\u0007b',
    'ada@example.com/\u202Eb',
    'ada@example..com',
    'ada@-example.com',
    `${'a'.repeat(1024)}@example.com`,
    `a@example.com/${'b'.repeat(1024)}`,
    'ada:b@example.com',
    "ada'@example.com",
    'xmpp:xmpp:ada@example.com',
    'ada@http://example.com',
    'ada@example.com?join',
  ])('%j is rejected', (given) => {
    expect(() => normalizeJid(given)).toThrow(InvalidAddressError);
  });

  test('in stanzas are normalized, and invalid ones give null', () => {
    expect(parseJid('Ada@Example.com/Phone')).toEqual({
      local: 'ada',
      domain: 'example.com',
      resource: 'Phone',
    });
    expect(readBare('Ada@Example.com/Phone')).toBe('ada@example.com');
    expect(parseJid('example.com')).toEqual({ local: null, domain: 'example.com', resource: null });
    for (const none of [null, undefined, '', '/x', 'a@/x', 'x'.repeat(100_000)])
      expect(parseJid(none)).toBeNull();
  });
});
