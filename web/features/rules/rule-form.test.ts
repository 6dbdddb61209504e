import { expect, test } from 'vitest';
import type { Rule } from '../../api/types.ts';
import { toPairs } from '../../patterns/form/metadata.ts';
import { emptyRuleForm, newAction, toCreateBody, toRuleForm, toTrial, toUpdateBody } from './rule-form.ts';

const RULE = {
  name: 'Forward',
  description: null,
  events: ['message.received'],
  filter: null,
  actions: [
    {
      type: 'call_webhook',
      name: 'crm',
      when: null,
      url: 'https://example.com',
      body: null,
      headers: { 'X-Key': '…' },
      signed: true,
    },
  ],
  rate_limit: { limit: 60, burst: 30 },
} as unknown as Rule;

test('leaves defaults and blanks out of a new rule', () => {
  const ask = { model: 'fairlead/echo', system: '', prompt: 'Hi', max_tokens: '20' };
  const form = emptyRuleForm({ name: ' Ask ', events: ['ping'], actions: [newAction('ask_model', { ask })] });
  expect(toCreateBody(form)).toEqual({
    name: 'Ask',
    events: ['ping'],
    actions: [{ type: 'ask_model', model: 'fairlead/echo', prompt: 'Hi', max_tokens: 20 }],
  });
});

test('an unchanged form changes nothing, and metadata alone can be changed', () => {
  const form = toRuleForm(RULE);
  expect(toUpdateBody(form, RULE)).toEqual({});
  expect(toUpdateBody({ ...form, metadata: toPairs({ team: 'growth' }) }, RULE)).toEqual({
    metadata: { team: 'growth' },
  });
});

test('removes the signing secret when the action is no longer signed', () => {
  const form = toRuleForm(RULE);
  const actions = form.actions.map((action) => ({ ...action, call: { ...action.call, signed: false } }));
  expect(toUpdateBody({ ...form, actions }, RULE).actions).toMatchObject([
    { headers: { 'X-Key': null }, secret: null },
  ]);
});

test('a trial takes no credentials, and needs events and actions', () => {
  expect(toTrial(emptyRuleForm(), { event_type: 'ping' })).toBeNull();
  const [action] = toTrial(toRuleForm(RULE), { event_type: 'ping' })?.actions ?? [];
  expect(action).not.toHaveProperty('headers');
});
