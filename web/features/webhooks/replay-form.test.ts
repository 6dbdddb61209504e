import { expect, test } from 'vitest';
import { newReplayForm, toReplayRequest } from './replay-form.ts';

const NOW = Date.parse('2026-01-15T09:30:12Z');

test('replays the last day by default, from the start of a minute', () => {
  expect(toReplayRequest(newReplayForm(null), NOW)).toEqual({ since: '2026-01-14T09:30:00.000Z' });
});

test('starts where events were missed, if that is known', () => {
  const form = newReplayForm('2026-01-10T08:15:00Z');
  expect(form.span).toBe('custom');
  expect(toReplayRequest(form, NOW)).toEqual({ since: '2026-01-10T08:15:00.000Z' });
});

test('names statuses in the order of the API, only if they differ from the default', () => {
  const form = newReplayForm(null);
  expect(
    toReplayRequest({ ...form, status: ['missing', 'pending', 'canceled', 'exhausted'] }, NOW),
  ).not.toHaveProperty('status');
  expect(toReplayRequest({ ...form, status: ['succeeded', 'exhausted'] }, NOW).status).toEqual([
    'exhausted',
    'succeeded',
  ]);
});
