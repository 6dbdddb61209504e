import { describe, expect, test } from 'vitest';
import { findTargets, type SrvRecord } from './targets.ts';

const settings = { host: null, port: null, security: 'starttls', domain: 'example.com' } as const;
const record = (name: string, priority = 1, weight = 1): SrvRecord => ({
  name,
  port: 5269,
  priority,
  weight,
});
const answering =
  (records: SrvRecord[], asked: string[] = []) =>
  async (name: string) => {
    asked.push(name);
    return records;
  };
const never = () => Promise.reject(new Error('asked'));

describe('findTargets', () => {
  test('returns the host of the settings without a DNS lookup', async () => {
    const given = { ...settings, host: 'xmpp.example.net' };
    expect(await findTargets(given, never)).toEqual([{ host: 'xmpp.example.net', port: 5222 }]);
    expect(await findTargets({ ...given, security: 'tls' }, never)).toEqual([
      { host: 'xmpp.example.net', port: 5223 },
    ]);
    expect(await findTargets({ ...settings, port: 1234 }, never)).toEqual([
      { host: 'example.com', port: 1234 },
    ]);
  });

  test('returns the SRV records for the security setting by priority', async () => {
    const asked: string[] = [];
    const records = [record('late.example', 20), record('first.example', 10)];
    expect(await findTargets(settings, answering(records, asked))).toEqual([
      { host: 'first.example', port: 5269 },
      { host: 'late.example', port: 5269 },
    ]);
    await findTargets({ ...settings, security: 'tls', domain: 'bücher.example' }, answering(records, asked));
    expect(asked).toEqual(['_xmpp-client._tcp.example.com', '_xmpps-client._tcp.xn--bcher-kva.example']);
  });

  test('returns the domain itself without SRV records', async () => {
    const own = [{ host: 'example.com', port: 5222 }];
    expect(await findTargets(settings, answering([]))).toEqual(own);
    expect(await findTargets(settings, never)).toEqual(own);
  });

  test('fails if the domain has no service', async () => {
    await expect(findTargets(settings, answering([record('')]))).rejects.toMatchObject({ code: 'no_server' });
  });

  test('limits the number of targets', async () => {
    const many = Array.from({ length: 1000 }, (_, n) => record(`h${n}.example`));
    expect(await findTargets(settings, answering(many))).toHaveLength(4);
  });

  test('orders targets of equal priority by weight', async () => {
    const records = [record('heavy.example', 1, 90), record('light.example', 1, 10)];
    let heavy = 0;
    for (let n = 0; n < 400; n++)
      if ((await findTargets(settings, answering(records)))[0]!.host === 'heavy.example') heavy += 1;
    expect(heavy).toBeGreaterThan(300);
    expect(heavy).toBeLessThan(400);
  });
});
