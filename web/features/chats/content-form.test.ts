import { expect, test } from 'vitest';
import type { Capabilities, Chat } from '../../api/types.ts';
import { toContentBody, getContentFields, getContentTypes, emptyContent, getPath } from './content-form.ts';

const CHAT = { id: 'chat_1', instance_id: 'ins_1' } as Chat;

test('offers only what the channel supports', () => {
  const types = { text: {}, location: {}, poll: {}, reaction: {} };
  expect(getContentTypes({ types } as unknown as Capabilities)).toEqual(['location', 'poll']);
});

test('builds each content, without blank fields', () => {
  expect(toContentBody('location', { latitude: '52,5', longitude: ' 13.4 ', name: '' }, CHAT, null)).toEqual({
    instance_id: 'ins_1',
    chat_id: 'chat_1',
    type: 'location',
    location: { latitude: 52.5, longitude: 13.4 },
  });
  expect(
    toContentBody('contacts', { name: 'Alice', phones: '+49 30 1\n\n+49 30 2' }, CHAT, null),
  ).toMatchObject({
    contacts: [{ name: 'Alice', phones: ['+49 30 1', '+49 30 2'] }],
  });
  expect(
    toContentBody('poll', { question: 'When?', options: 'Mon\nTue', multiple: 'true' }, CHAT, null),
  ).toMatchObject({
    poll: { question: 'When?', options: ['Mon', 'Tue'], multiple: true },
  });
  const start = '2026-01-15T09:30';
  expect(
    toContentBody('event', { ...emptyContent('event'), name: 'Opening', start_at: start }, CHAT, null),
  ).toMatchObject({
    event: { name: 'Opening', start_at: new Date(start).toISOString() },
  });
});

test('goes to the thread of the composer', () => {
  expect(toContentBody('contacts', { name: 'Alice' }, CHAT, '45')).toMatchObject({ thread_id: '45' });
  expect(toContentBody('contacts', { name: 'Alice' }, CHAT, null)).not.toHaveProperty('thread_id');
});

test('gives choices unique IDs', () => {
  const choices = toContentBody(
    'interactive',
    { body: 'Tomorrow?', choices: 'Yes, please\nNo\nno!\n👍' },
    CHAT,
    null,
  );
  expect(choices.interactive?.choices).toEqual([
    { id: 'yes_please', title: 'Yes, please' },
    { id: 'no', title: 'No' },
    { id: 'no_3', title: 'no!' },
    { id: 'choice_4', title: '👍' },
  ]);
});

test('lets the first choice open a form, where the channel has forms', () => {
  const values = { body: 'Book a table', choices: 'Choose a day', form_id: ' 10345 ' };
  expect(toContentBody('interactive', values, CHAT, null).interactive).toEqual({
    body: 'Book a table',
    choices: [{ id: 'choose_a_day', title: 'Choose a day', form_id: '10345' }],
  });
  expect(getPath('interactive', 'form_id')).toEqual(['choices', '0', 'form_id']);
  const names = (operations: string[]) =>
    getContentFields('interactive', { operations } as unknown as Capabilities).map(({ name }) => name);
  expect(names(['forms'])).toEqual(['header', 'body', 'choices', 'form_id', 'footer']);
  expect(names([])).toEqual(['header', 'body', 'choices', 'footer']);
});

test('sends what is not a number or time as typed, so that the server points to it', () => {
  expect(toContentBody('location', { latitude: 'north' }, CHAT, null)).toMatchObject({
    location: { latitude: 'north' },
  });
});
