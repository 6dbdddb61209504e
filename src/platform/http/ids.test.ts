import { afterEach, expect, test, vi } from 'vitest';
import { timeOfUuid } from '../db/uuid-time.ts';
import { currentMs } from '../time/clock.ts';
import { newRequestId, newUuid, REQUEST_PREFIX, requestIdToUuid, typeIdToUuid } from './ids.ts';

afterEach(() => void vi.useRealTimers());

test('IDs hold the time that they were made at', () => {
  const before = currentMs();
  const made = timeOfUuid(newUuid()).getTime();
  expect(made).toBeGreaterThanOrEqual(before);
  expect(made).toBeLessThanOrEqual(currentMs());
});

test('IDs ascend within a millisecond, and over a clock that is set back', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const ids = Array.from({ length: 10_000 }, newUuid);
  vi.setSystemTime(Date.now() - 86_400_000);
  ids.push(...Array.from({ length: 10_000 }, newUuid));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

test('a request ID is converted to the UUID that it is read as', () => {
  for (let count = 0; count < 2_000; count++) {
    const id = newRequestId();
    expect(requestIdToUuid(id)).toBe(typeIdToUuid(REQUEST_PREFIX, id));
  }
  for (const id of ['req_00000000000000000000000000', 'req_7zzzzzzzzzzzzzzzzzzzzzzzzz'])
    expect(requestIdToUuid(id)).toBe(typeIdToUuid(REQUEST_PREFIX, id));
});
