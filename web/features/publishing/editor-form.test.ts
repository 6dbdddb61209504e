import { expect, test } from 'vitest';
import type { PublishingEndpoint } from '../../api/types.ts';
import {
  emptyEditorForm,
  newDestination,
  toCreateBody,
  toTrial,
  toEditorForm,
  toUpdateBody,
} from './editor-form.ts';

const DESTINATION = {
  instance_id: 'ins_1',
  to: 'alice',
  contact_id: null,
  chat_id: null,
  group_id: null,
  type: 'text',
  template: 'New: {{ payload.title }}',
  media: null,
  file_name: null,
  subject: null,
  thread_id: null,
};
const ENDPOINT = {
  name: 'Blog',
  destinations: [DESTINATION],
  ask_model: null,
  filter: null,
  dedupe_key: null,
  schedule: { at: null, delay_seconds: 7200, quiet_hours: null },
  shorten_links: false,
  allow_partial: false,
  success_status: 202,
  rate_limit: null,
  metadata: { team: 'growth' },
} as unknown as PublishingEndpoint;

test('leaves defaults and blanks out of a new endpoint', () => {
  const form = emptyEditorForm([newDestination({ instance_id: 'ins_1', to: 'alice', template: 'Hi' })]);
  expect(toCreateBody({ ...form, name: ' Blog ' })).toEqual({
    name: 'Blog',
    destinations: [{ instance_id: 'ins_1', to: 'alice', type: 'text', template: 'Hi' }],
  });
});

test('shows a delay in the largest unit that divides it', () => {
  expect(toEditorForm(ENDPOINT)).toMatchObject({ delay: '2', delay_unit: 'hours' });
});

test('changes only what was edited', () => {
  const form = toEditorForm(ENDPOINT);
  expect(toUpdateBody(form, ENDPOINT)).toEqual({});
  expect(toUpdateBody({ ...form, metadata: [] }, ENDPOINT)).toEqual({ metadata: {} });
  expect(toUpdateBody({ ...form, success_status: 200 }, ENDPOINT)).toEqual({ success_status: 200 });
  expect(toUpdateBody({ ...form, delay: '3', filter: 'payload.ok' }, ENDPOINT)).toEqual({
    filter: 'payload.ok',
    schedule: { at: null, delay_seconds: 10_800, quiet_hours: null },
  });
});

test('asks a model only while it is switched on', () => {
  const question = {
    model: 'fairlead/echo',
    system: '',
    prompt: 'Sum up {{ payload.text }}',
    max_tokens: '50',
  };
  const form = emptyEditorForm([newDestination({ template: '{{ answer }}' })]);
  const asking = { ...form, ask: { ...question, on: true } };
  const asked = { model: 'fairlead/echo', prompt: 'Sum up {{ payload.text }}', max_tokens: 50 };
  expect(toCreateBody(asking)).toMatchObject({ ask_model: asked });
  expect(toTrial(asking)).toMatchObject({ ask_model: asked });
  // The API would reject the preview while a required field is blank.
  for (const blank of [{ model: '' }, { prompt: '' }]) {
    const typing = { ...asking, ask: { ...asking.ask, ...blank } };
    expect(toTrial(typing)).toMatchObject({ ask_model: null });
    expect(toCreateBody(typing)).toMatchObject({ ask_model: blank });
  }
  expect(toCreateBody({ ...asking, ask: { ...question, on: false } })).not.toHaveProperty('ask_model');
  const { model, system: _system, ...others } = { system: '', ...asked };
  const endpoint = { ...ENDPOINT, ask_model: { model, system: null, ...others } };
  const shown = toEditorForm(endpoint);
  expect(shown.ask).toEqual({ ...question, on: true });
  expect(toUpdateBody(shown, endpoint)).toEqual({});
  expect(toUpdateBody({ ...shown, ask: { ...shown.ask, on: false } }, endpoint)).toEqual({ ask_model: null });
});
