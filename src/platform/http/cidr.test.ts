import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCidr, inNetworks, networkWithin, parseCidr } from './cidr.ts';

const canonical = (text: string): string | null => {
  const cidr = parseCidr(text);
  return cidr && formatCidr(cidr);
};
const within = (address: string, ...networks: string[]): boolean =>
  inNetworks(
    address,
    networks.map((text) => parseCidr(text)!),
  );

describe('a network is read', () => {
  test.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.7/24', '203.0.113.0/24'],
    ['203.0.113.7/0', '0.0.0.0/0'],
    ['203.0.113.7/31', '203.0.113.6/31'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'],
    ['2001:db8::ffff/33', '2001:db8::/33'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
    ['::ffff:cb00:7107', '203.0.113.7/32'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['fe80::1', 'fe80::1/128'],
  ])('%s as %s', (text, expected) => expect(canonical(text)).toBe(expected));
});

describe('what could be read in two ways is refused', () => {
  test.each([
    '010.0.0.1',
    '10.0.0.01',
    '0x0a.0.0.1',
    '10.1',
    '10',
    '167772161',
    '0xa000001',
    '10.0.0.256',
    '10.0.0.1.1',
    '10.0.0.',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '2001:db8::/129',
    '2001:db8:::1',
    '2001:db8::1::1',
    'fe80::1%eth0',
    'fe80::1%eth0/64',
    '[::1]',
    '::ffff:010.0.0.1',
    'localhost',
    '*',
    '10.0.0.*',
    '10.0.0.1-10.0.0.9',
    '',
    ' ',
    '10.0.0.1 ',
    '１０.0.0.1',
    '10.0.0.1\0',
  ])('%j', (text) => expect(parseCidr(text)).toBeNull());
});

describe('an address lies in a network', () => {
  test.each([
    ['203.0.113.255', '203.0.113.0/24', true],
    ['203.0.114.0', '203.0.113.0/24', false],
    ['203.0.113.7', '203.0.113.7', true],
    ['203.0.113.8', '203.0.113.7', false],
    ['203.0.113.129', '203.0.113.128/25', true],
    ['203.0.113.127', '203.0.113.128/25', false],
    ['8.8.8.8', '0.0.0.0/0', true],
    ['::ffff:203.0.113.7', '203.0.113.0/24', true],
    ['203.0.113.7', '::ffff:203.0.113.0/120', true],
    ['2001:db8:1::1', '2001:db8::/32', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['2001:0db8:0000::1', '2001:db8::1', true],
    ['::1', '::/0', true],
    // An IPv4 address is in no IPv6 network.
    ['203.0.113.7', '::/0', false],
    ['::ffff:203.0.113.7', '::/0', false],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['unknown', '0.0.0.0/0', false],
    ['', '0.0.0.0/0', false],
  ])('%s in %s: %s', (address, network, expected) => expect(within(address, network)).toBe(expected));

  test('of several, and of none', () => {
    expect(within('10.1.2.3', '192.0.2.0/24', '10.0.0.0/8')).toBe(true);
    expect(within('10.1.2.3')).toBe(false);
  });

  test('as arithmetic says', () => {
    const asNumber = (address: string) =>
      address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), (address, network, bits) => {
        const size = 2 ** (32 - bits);
        const same = Math.floor(asNumber(address) / size) === Math.floor(asNumber(network) / size);
        expect(within(address, `${network}/${bits}`)).toBe(same);
      }),
    );
  });
});

describe('a network lies within others', () => {
  const inside = (inner: string, ...outer: string[]) =>
    networkWithin(
      parseCidr(inner)!,
      outer.map((text) => parseCidr(text)!),
    );
  test.each([
    ['10.1.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.0.0.0/7', '10.0.0.0/8', false],
    ['0.0.0.0/0', '10.0.0.0/8', false],
    ['11.0.0.0/16', '10.0.0.0/8', false],
    ['2001:db8:1::/48', '2001:db8::/32', true],
    ['::/0', '2001:db8::/32', false],
    ['10.0.0.1', '::/0', false],
    ['::ffff:10.0.0.1', '10.0.0.0/8', true],
    ['::1', '0.0.0.0/0', false],
  ])('%s in %s: %s', (inner, outer, expected) => expect(inside(inner, outer)).toBe(expected));

  test('never in two halves together, since no one of them holds it', () => {
    expect(inside('10.0.0.0/8', '10.0.0.0/9', '10.128.0.0/9')).toBe(false);
  });

  test('whatever lies in the inner lies in the outer', () => {
    /** An address within a network: its first bits, and any others. */
    const inNetwork = (bits: number, base: number, any: number): number => {
      const size = 2 ** (32 - bits);
      return Math.floor(base / size) * size + (any % size);
    };
    const dotted = (address: number) =>
      [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
    const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(number, number, number, fc.nat(32), fc.nat(32), (base, offset, any, some, other) => {
        const [few, many] = [Math.min(some, other), Math.max(some, other)];
        const start = inNetwork(few, base, offset);
        const [outer, inner] = [`${dotted(base)}/${few}`, `${dotted(start)}/${many}`];
        expect(inside(inner, outer)).toBe(true);
        expect(inside(outer, inner)).toBe(few === many);
        const address = dotted(inNetwork(many, start, any));
        expect(within(address, inner) && within(address, outer)).toBe(true);
      }),
    );
  });
});
