/** The requests that send messages, where Meta's description says too little of them. */
import { expect, test } from 'vitest';
import type { OutboundMessage } from '../contract/connection.ts';
import type { Json } from '../contract/json.ts';
import { toContent } from './compose.ts';

const compose = (choices: Json): Json =>
  toContent(
    {
      type: 'interactive',
      content: { text: 'When?', file: null, data: { body: 'When?', choices, header: null, footer: 'Foot' } },
    } as unknown as OutboundMessage,
    null,
    'Options',
  );

test('a choice with a form opens a flow', () => {
  expect(compose([{ id: 'order-7', title: 'Choose a day and a time', form_id: '10345' }])).toEqual({
    type: 'interactive',
    interactive: {
      type: 'flow',
      body: { text: 'When?' },
      footer: { text: 'Foot' },
      action: {
        name: 'flow',
        parameters: {
          flow_message_version: '3',
          flow_id: '10345',
          flow_cta: 'Choose a day and a time',
          flow_token: 'order-7',
        },
      },
    },
  });
});

test('a choice with a form is alone, and has at most 30 characters', () => {
  const form = { id: 'a', title: 'A', form_id: '1' };
  expect(() => compose([form, { id: 'b', title: 'B' }])).toThrow(/must be the only choice/);
  expect(() => compose([{ ...form, title: 'x'.repeat(31) }])).toThrow(/at most 30 characters/);
});
