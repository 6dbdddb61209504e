import { expect, test } from 'vitest';
import { readOwnEvent } from './own-event.ts';

const SAMPLE = { with: { event_type: 'message.received' }, event: { type: 'message.received' } };

test('a valid event is tested as it was typed', () => {
  const event = { type: 'message.received', data: { object: { text: { body: 'Hi' } } } };
  expect(readOwnEvent(JSON.stringify(event), SAMPLE)).toEqual({
    trial: { with: { custom_event: event }, event },
    text: JSON.stringify(event),
    error: null,
  });
});

test.each([
  ['{"type": ', /^Invalid JSON: /],
  ['[]', /needs a type/],
  ['{"type": 1}', /needs a type/],
  ['null', /needs a type/],
])('while %s is typed, the event before is tested', (text, error) => {
  expect(readOwnEvent(text, SAMPLE)).toEqual({ trial: SAMPLE, text, error: expect.stringMatching(error) });
});
