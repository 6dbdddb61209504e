import { describe, expect, test } from 'vitest';
import type { Problem } from '../../platform/http/problem.ts';
import { createFailureLimiter } from './failure-limiter.ts';

function limiterWithClock(perMinute = 60, burst = 10) {
  const clock = { now: 0 };
  const limiter = createFailureLimiter(perMinute, burst, () => clock.now);
  const fail = (ip: string, times: number): void => {
    for (let count = 0; count < times; count++) limiter.count(ip);
  };
  const getDelay = (ip: string): string | null => {
    try {
      limiter.check(ip);
      return null;
    } catch (error) {
      expect((error as Problem).code).toBe('rate_limited');
      return (error as Problem).headers['retry-after']!;
    }
  };
  return { clock, fail, waitOf: getDelay };
}

describe('an address that fails', () => {
  test('is let try as often as the burst says, then must wait, then goes on at the rate', () => {
    const { clock, fail, waitOf } = limiterWithClock();
    fail('192.0.2.1', 9);
    expect(waitOf('192.0.2.1')).toBeNull();
    fail('192.0.2.1', 1);
    expect(waitOf('192.0.2.1')).toBe('1');
    clock.now += 999;
    expect(waitOf('192.0.2.1')).toBe('1');
    clock.now += 2;
    expect(waitOf('192.0.2.1')).toBeNull();
    fail('192.0.2.1', 1);
    expect(waitOf('192.0.2.1')).toBe('1');
  });

  test('is told how long to wait where the rate is low, and owes no more than that for failing on', () => {
    const { clock, fail, waitOf } = limiterWithClock(5, 5);
    fail('192.0.2.1', 500);
    expect(waitOf('192.0.2.1')).toBe('12');
    clock.now += 12_001;
    expect(waitOf('192.0.2.1')).toBeNull();
  });

  test('has its whole burst again after a quiet time, and no more', () => {
    const { clock, fail, waitOf } = limiterWithClock();
    fail('192.0.2.1', 10);
    clock.now += 3_600_000;
    fail('192.0.2.1', 9);
    expect(waitOf('192.0.2.1')).toBeNull();
    fail('192.0.2.1', 1);
    expect(waitOf('192.0.2.1')).toBe('1');
  });

  test('is no other address', () => {
    const { fail, waitOf } = limiterWithClock();
    fail('192.0.2.1', 10);
    expect(waitOf('192.0.2.2')).toBeNull();
  });

  test('is the same in each of its spellings', () => {
    const { fail, waitOf } = limiterWithClock();
    fail('::ffff:192.0.2.1', 10);
    expect(waitOf('192.0.2.1')).toBe('1');
    fail('2001:DB8:0:1::1', 10);
    expect(waitOf('2001:db8::1:0:0:0:1')).toBe('1');
  });

  test('of IPv6 stands for its /64, and for nothing beyond', () => {
    const { fail, waitOf } = limiterWithClock();
    for (let host = 1; host <= 10; host++) fail(`2001:db8:0:1::${host}`, 1);
    expect(waitOf('2001:db8:0:1:ffff::9')).toBe('1');
    expect(waitOf('2001:db8:0:2::1')).toBeNull();
  });

  test('that is none counts too', () => {
    const { fail, waitOf } = limiterWithClock();
    fail('unknown', 10);
    expect(waitOf('unknown')).toBe('1');
  });
});

test('memory is bounded, and who fails now is not forgotten for those who failed long ago', () => {
  const { fail, waitOf } = limiterWithClock();
  for (let round = 0; round < 60_000; round++) {
    fail(`2001:db8:${(round >> 16).toString(16)}:${(round & 0xffff).toString(16)}::1`, 1);
    if (round % 5_000 === 0) fail('192.0.2.1', 10);
  }
  expect(waitOf('192.0.2.1')).toBe('1');
});
