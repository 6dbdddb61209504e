import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../config/config.ts';
import { readAddress } from './address.ts';
import { allowsAddress, allowsName } from './allow.ts';
import { allowing } from '../../../test/support/egress.ts';

const lets = (entry: string, address: string, port: number): boolean =>
  allowsAddress(allowing(entry), readAddress(address)!, port);

test('entries open addresses and networks, at one port or all', () => {
  expect(lets('127.0.0.1', '127.0.0.1', 80)).toBe(true);
  expect(lets('127.0.0.1', '127.0.0.2', 80)).toBe(false);
  expect(lets('127.0.0.1:9000', '127.0.0.1', 9000)).toBe(true);
  expect(lets('127.0.0.1:9000', '127.0.0.1', 80)).toBe(false);
  expect(lets('10.0.0.0/8', '10.255.0.1', 1)).toBe(true);
  expect(lets('10.0.0.0/8', '::ffff:10.255.0.1', 1)).toBe(true);
  expect(lets('10.0.0.0/8', '11.0.0.1', 1)).toBe(false);
  expect(lets('10.0.0.0/8', '64:ff9b::10.0.0.1', 1)).toBe(false);
  expect(lets('10.0.0.0/8:8080', '10.0.0.1', 8080)).toBe(true);
  expect(lets('10.0.0.0/8:8080', '10.0.0.1', 80)).toBe(false);
  expect(lets('::1', '::1', 80)).toBe(true);
  expect(lets('::1:443', '::1', 443)).toBe(false); // all of it is an address
  expect(lets('[::1]:443', '::1', 443)).toBe(true);
  expect(lets('[::1]:443', '::1', 80)).toBe(false);
  expect(lets('fd00::/8', 'fd12::1', 5)).toBe(true);
  expect(lets('[fd00::/8]:5', 'fd12::1', 5)).toBe(true);
  expect(lets('[fd00::]/8:5', 'fd12::1', 6)).toBe(false);
});

test('entries open names as URLs spell them, and no name below or above', () => {
  const allow = allowing('N8N.Internal:5678', 'bücher.test', 'localhost.');
  expect(allowsName(allow, 'n8n.internal', 5678)).toBe(true);
  expect(allowsName(allow, 'n8n.internal', 80)).toBe(false);
  expect(allowsName(allow, 'x.n8n.internal', 5678)).toBe(false);
  expect(allowsName(allow, 'internal', 5678)).toBe(false);
  expect(allowsName(allow, 'xn--bcher-kva.test', 443)).toBe(true);
  expect(allowsName(allow, 'localhost', 1)).toBe(true);
});

describe('what is not an entry refuses the start and is named', () => {
  test.each([
    'http://a.example',
    'a.example/path',
    'a.example:0',
    'a.example:65536',
    'a.example:',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '127.1',
    '0x7f000001',
    '2130706433',
    '*.internal',
    '[a.example]:80',
    '[10.0.0.1]:80',
    '[::1',
    '::1]',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/104',
    'user@host',
    'a b',
    '-',
  ])('%s', (entry) => {
    expect(() => readConfig({ EGRESS_ALLOW: `127.0.0.1,${entry}` })).toThrow(ConfigError);
    expect(() => readConfig({ EGRESS_ALLOW: entry })).toThrow(`EGRESS_ALLOW has "${entry}"`);
  });

  test('several are read, with or without spaces; nothing is allowed by default', () => {
    expect(
      readConfig({ EGRESS_ALLOW: '127.0.0.1, n8n.internal:5678,[fd00::1]:443' }).EGRESS_ALLOW,
    ).toHaveLength(3);
    expect(readConfig({}).EGRESS_ALLOW).toEqual([]);
  });
});
