import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress, readAddress } from './address.ts';
import { toError, pretendInternet, startEgress } from '../../../test/support/egress.ts';

const post = { method: 'POST', headers: {}, timeoutMs: 3000, maxAnswerBytes: 100 };

/** Every case must be refused before anything is dialled. */
async function assertRefused(host: string): Promise<void> {
  const { openSocket, dialled } = pretendInternet('8.8.8.8');
  const egress = startEgress({ openSocket });
  const codes = ['address_not_allowed', 'invalid_url'];
  expect(codes).toContain((await toError(egress.request({ ...post, url: `http://${host}/` }))).code);
  expect(codes).toContain((await toError(egress.connect({ host, port: 80 }))).code);
  expect(dialled).toEqual([]);
}

describe('refused in every spelling', () => {
  test.each([
    ['decimal', '2130706433'],
    ['octal', '0177.0.0.1'],
    ['octal, long', '00000177.0.0.01'],
    ['hex', '0x7f000001'],
    ['hex octets', '0x7f.0x0.0x0.0x1'],
    ['short', '127.1'],
    ['zero', '0'],
    ['trailing dot', '127.0.0.1.'],
    ['full-width digits', '127.0.0.1'],
    ['IPv6 loopback', '[::1]'],
    ['IPv6 loopback, long', '[0:0:0:0:0:0:0:1]'],
    ['IPv6 unspecified', '[::]'],
    ['IPv4-mapped', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped, hex', '[::ffff:7f00:1]'],
    ['IPv4-compatible', '[::127.0.0.1]'],
    ['NAT64', '[64:ff9b::127.0.0.1]'],
    ['NAT64 of a public address', '[64:ff9b::8.8.8.8]'],
    ['NAT64, local', '[64:ff9b:1::10.0.0.1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
    ['ISATAP', '[2600::5efe:10.0.0.1]'],
    ['IPv4-translated', '[::ffff:0:10.0.0.1]'],
    ['IPv6 link-local', '[fe80::1]'],
    ['zone id', '[fe80::1%25eth0]'],
    ['zone id, plain', '[fe80::1%eth0]'],
    ['unique local', '[fd12:3456::1]'],
    ['site-local', '[fec0::1]'],
    ['IPv6 multicast', '[ff02::1]'],
    ['IPv6 documentation', '[2001:db8::1]'],
    ['not given out by IANA', '[4000::1]'],
    ['metadata', '169.254.169.254'],
    ['metadata, IPv6', '[fd00:ec2::254]'],
    ['metadata of Azure', '168.63.129.16'],
    ['metadata of Azure, ISATAP', '[2600::5efe:168.63.129.16]'],
    ['link-local', '169.254.1.1'],
    ['private 10', '10.1.2.3'],
    ['private 172', '172.31.255.255'],
    ['private 192', '192.168.0.1'],
    ['CGNAT', '100.64.0.1'],
    ['this network', '0.1.2.3'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['documentation 2', '198.51.100.1'],
    ['documentation 3', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['localhost', 'localhost'],
    ['localhost with a dot', 'localhost.'],
    ['localhost in capitals', 'LOCALHOST'],
    ['below localhost', 'app.localhost'],
  ])('%s', async (_, host) => {
    await assertRefused(host);
  });

  test('any spelling of any IPv4 address that is not public', async () => {
    const octet = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 64, 168, 254));
    const spelled = fc
      .tuple(
        fc.tuple(fc.oneof(octet, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198)), octet, octet, octet),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
        fc.boolean(),
        fc.constantFrom('', '.'),
      )
      .map(([octets, groups, bases, capital, dot]) => {
        const [a, b, c, d] = octets;
        const parts = [
          [((a * 256 + b) * 256 + c) * 256 + d],
          [a, (b * 256 + c) * 256 + d],
          [a, b, c * 256 + d],
          [a, b, c, d],
        ][groups - 1]!;
        const text = parts
          .map((part, at) => ({ 8: '0', 10: '', 16: '0x' })[bases[at]!] + part.toString(bases[at]))
          .join('.');
        return { dotted: octets.join('.'), host: (capital ? text.toUpperCase() : text) + dot };
      });
    const egress = startEgress({ openSocket: pretendInternet('8.8.8.8').openSocket });
    const checked = new Set<boolean>();
    await fc.assert(
      fc.asyncProperty(spelled, async ({ dotted, host }) => {
        expect(new URL(`http://${host}/`).hostname).toBe(dotted);
        const isPublic = isPublicAddress(readAddress(dotted)!);
        checked.add(isPublic);
        if (isPublic) return;
        const error = await toError(egress.connect({ host, port: 80 }));
        expect(error.code).toBe('address_not_allowed');
      }),
      {
        numRuns: 400,
        examples: ['127.0.0.1', '10.0.0.1', '169.254.169.254'].map((dotted) => [{ dotted, host: dotted }]),
      },
    );
    expect(checked).toEqual(new Set([true, false]));
  });
});

test.each(['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450:4001:81b::200e'])(
  '%s is public',
  (text) => {
    expect(isPublicAddress(readAddress(text)!)).toBe(true);
  },
);

test.each(['', 'a', '0177.0.0.1', '127.1', 'fe80::1%eth0', '1.2.3.4:5', '[::1]'])(
  '%j is not the canonical spelling of an address',
  (text) => {
    expect(readAddress(text)).toBeNull();
  },
);

test.each([
  '',
  ' ',
  'a b',
  'user@host',
  'host:80',
  'host/path',
  'host?q',
  'host#f',
  'a%2eb',
  '..',
  '\\\\host',
  '[x]',
])('%j is no host for a connection', async (host) => {
  expect((await toError(startEgress().connect({ host, port: 80 }))).code).toBe('invalid_url');
});
