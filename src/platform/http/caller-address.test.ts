import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { callerAddress, callerGroup, callerPath } from './caller-address.ts';

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['::1', '::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['203.0.113.7:5678', '203.0.113.7'],
    ['[2001:db8::7]:5678', '2001:db8::7'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
    ['999.1.1.1:80', 'unknown'],
    ["'; drop table", 'unknown'],
    ['1.2.3', 'unknown'],
  ])('%s is %s', (ip, address) => {
    expect(callerAddress({ ip })).toBe(address);
  });
});

test('callers are grouped by the /64 of IPv6, and take turns by its /48 before', () => {
  const sites = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:2:1::1'].map(callerPath);
  expect(sites[0]![0]).toBe(sites[1]![0]);
  expect(sites[0]![0]).not.toBe(sites[2]![0]);
  expect(new Set(sites.map(([, group]) => group)).size).toBe(3);
  expect(callerPath('2001:db8:1:1::1')).toEqual(callerPath('2001:db8:1:1:ffff::2'));
  for (const address of ['203.0.113.7', 'unknown']) expect(callerPath(address)).toEqual([address, address]);
  expect(callerGroup('::ffff:203.0.113.7')).toBe('203.0.113.7');
});

describe('behind proxies', () => {
  let app: TestApp;
  let home: Awaited<ReturnType<typeof startWorkspace>>;
  beforeAll(async () => {
    app = await startTestApp({ TRUST_PROXY: '127.0.0.1,::1,10.0.0.0/8' });
    home = await startWorkspace(app, { scopes: ['models:read'] });
  });
  afterAll(() => app.stop());

  const from = (forwarded: string, key: string) =>
    app.call('/models', { key, headers: { 'x-forwarded-for': forwarded } });
  const asOwner = (path: string, body?: object) => home.owner.call(path, { workspace: home.workspace, body });

  test('the address is the last that no trusted proxy has; what the caller wrote before it counts for nothing', async () => {
    const { body } = await asOwner('/api-keys', {
      name: 'office',
      scopes: ['models:read'],
      allowed_ips: ['203.0.113.0/24'],
    });
    expect(await from('203.0.113.7', body.secret)).toHaveStatus(200);
    expect(await from('203.0.113.7, 10.1.1.1', body.secret)).toHaveStatus(200);
    expect(await from('203.0.113.7:4711', body.secret)).toHaveStatus(200);
    for (const forged of [
      '203.0.113.7, 198.51.100.1',
      '198.51.100.1, 10.0.0.1',
      'garbage',
      '203.0.113.7, garbage',
    ])
      expect((await from(forged, body.secret)).body.code, forged).toBe('ip_not_allowed');
  });

  test('a garbled address loses nobody their last_used', async () => {
    const other = await asOwner('/api-keys', { name: 'other', scopes: ['models:read'] });
    await Promise.all([from('garbage', home.key), from('198.51.100.9', other.body.secret)]);
    const told = async (id: string) => {
      const { body } = await asOwner(`/api-keys/${id}`);
      return [body.last_used_operation, body.last_used_ip];
    };
    await expect.poll(() => told(home.keyId)).toEqual(['models.list', null]);
    await expect.poll(() => told(other.body.id)).toEqual(['models.list', '198.51.100.9']);
    expect(app.logged.filter((line) => line.includes('last_used'))).toEqual([]);
  });
});

test('without TRUST_PROXY nobody is believed', async () => {
  const app = await startTestApp();
  const home = await startWorkspace(app, { preset: 'full', allowed_ips: ['203.0.113.0/24'] });
  const forged = {
    'x-forwarded-for': '203.0.113.7',
    forwarded: 'for=203.0.113.7',
    'x-real-ip': '203.0.113.7',
  };
  const { body } = await app.call('/me', { key: home.key, headers: forged });
  expect(body.code).toBe('ip_not_allowed');
  await app.stop();
});
