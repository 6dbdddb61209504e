import { expect, test } from 'vitest';
import { consoleUrl } from './console-url.ts';

const getPage = (type: string, object?: object): string =>
  consoleUrl('https://example.com', 'acme', { type, data: { object } }).slice(
    'https://example.com/user/api/w/acme/'.length,
  );

test('an event leads to the page of its object', () => {
  expect(getPage('instance.state_changed', { id: 'ins_1' })).toBe('instances/ins_1');
  expect(getPage('model_provider.failing', { id: 'prv_1' })).toBe('model-providers/prv_1');
  expect(getPage('budget.threshold_reached', { id: 'bud_1' })).toBe('budgets?id=bud_1');
  expect(getPage('message.received', { id: 'msg_1', chat: { id: 'chat_1' } })).toBe('chats/chat_1');
  expect(getPage('rule.failed', { id: 'run_1', rule_id: 'rul_1' })).toBe('rules/rul_1');
});

test('an event whose object has no page leads to the events', () => {
  expect(getPage('ping', { id: 'evt_1' })).toBe('events');
  expect(getPage('instance.deleted')).toBe('events');
});
