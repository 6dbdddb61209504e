import { expect, test } from 'vitest';
import { coversAny, togglePattern } from './event-patterns.ts';

test('covers types by exact name, noun and wildcard', () => {
  expect(coversAny(['link.*'], 'link.created')).toBe(true);
  expect(coversAny(['link.*'], 'link_group.created')).toBe(false);
  expect(coversAny(['*'], 'ping')).toBe(true);
  expect(coversAny(['message.received'], 'message.sent')).toBe(false);
});

test('a wider pattern replaces the patterns it covers', () => {
  expect(togglePattern(['link.created', 'ping'], 'link.*', true)).toEqual(['ping', 'link.*']);
  expect(togglePattern(['link.*', 'ping'], '*', true)).toEqual(['*']);
  expect(togglePattern(['link.*', 'ping'], 'link.*', false)).toEqual(['ping']);
});
