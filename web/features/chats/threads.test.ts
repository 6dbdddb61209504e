import { expect, test } from 'vitest';
import type { Message } from '../../api/types.ts';
import { getLastThread, getThreads } from './threads.ts';

const message = (direction: Message['direction'], threadId: string | null) =>
  ({ direction, thread_id: threadId }) as Message;

test('answers into the thread of the last received message', () => {
  const sent = message('outbound', '46');
  expect(getLastThread([sent, message('inbound', '45'), message('inbound', '46')])).toBe('45');
  expect(getLastThread([sent, message('inbound', null), message('inbound', '46')])).toBeNull();
  expect(getLastThread([message('outbound', 'direct/7')])).toBe('direct/7');
  expect(getLastThread([])).toBeNull();
});

test('lists each thread once, newest first', () => {
  const messages = ['46', null, '45', '46', null].map((id) => message('inbound', id));
  expect(getThreads(messages)).toEqual(['46', null, '45']);
});
