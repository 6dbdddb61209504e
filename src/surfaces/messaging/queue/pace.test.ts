import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('groups wait for their own rate, beside direct chats', () => {
  let now = 0;
  const pace = createPace({ perSecond: null, perChat: 1, perGroup: 0.25, concurrency: 4 }, () => now);
  pace.sentTo('group', 'group');
  pace.sentTo('direct', 'direct');
  expect(pace.cooling()).toEqual(['direct', 'group']);
  expect(pace.wait()).toBe(1_000);
  now = 1_000;
  expect(pace.cooling()).toEqual(['group']);
  expect(pace.wait()).toBe(3_000);
  now = 4_000;
  expect(pace.cooling()).toEqual([]);
  expect(pace.wait()).toBeNull();
});

test('without a rate of their own, groups wait as direct chats do', () => {
  const pace = createPace({ perSecond: null, perChat: 2, concurrency: 4 }, () => 0);
  pace.sentTo('group', 'group');
  expect(pace.wait()).toBe(500);
});
