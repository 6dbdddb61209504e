import { expect, test } from 'vitest';
import { describeEvent, getBody, readOwnEvent, withBody } from './own-event.ts';

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

const RECEIVED = {
  type: 'message.received',
  sequence: 47,
  data: { object: { type: 'text', from: 'alice', deleted_at: null, text: { body: 'When are you open?' } } },
};

test('the text of a message is changed, and nothing else of the event', () => {
  const trial = { with: { event_id: 'evt_1' }, event: RECEIVED };
  expect(getBody(trial)).toBe('When are you open?');
  const { trial: changed } = withBody(trial, 'Hours?');
  expect(getBody(changed)).toBe('Hours?');
  expect(changed.with).toEqual({ custom_event: changed.event });
  expect(withBody(changed, 'When are you open?').trial.event).toEqual(RECEIVED);
  expect(getBody(SAMPLE)).toBeNull();
});

test('the label of an event names its message or object, or else its number', () => {
  expect(describeEvent(RECEIVED)).toBe('“When are you open?” from alice');
  expect(describeEvent({ ...RECEIVED, type: 'contact.created', data: { object: { name: 'Bea' } } })).toBe(
    'Bea',
  );
  expect(describeEvent({ ...RECEIVED, type: 'link.clicked', data: { object: {} } })).toBe('#47');
});
