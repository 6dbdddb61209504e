import { expect, test } from 'vitest';
import type { Capabilities } from '../../../src/channels/contract/capabilities.ts';
import { createProofs } from './results.ts';

const claims = { types: {}, operations: ['groups', 'typing', 'edit'] } as unknown as Capabilities;

test('a capability is proven by checks that passed, if none failed', async () => {
  const { proves, results } = createProofs();
  await proves('groups', async () => {});
  await expect(proves('edit', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await proves('edit', async () => {});
  void proves('typing', () => new Promise(() => {}));
  expect(results(claims).operations).toMatchObject({
    groups: 'proven',
    edit: 'failed',
    typing: 'failed',
    react: 'no',
  });
});

test('a check that skips its test proves nothing, and takes nothing away', async () => {
  const { proves, results } = createProofs();
  // As the runner's own, which can't be caught: the test would count as skipped.
  const skipped = Object.assign(new Error('test is skipped'), { code: 'VITEST_PENDING' });
  const skips = () => Promise.reject(skipped);
  await proves('groups', async () => {});
  for (const name of ['groups', 'typing'] as const) await expect(proves(name, skips)).rejects.toBe(skipped);
  expect(results(claims).operations).toMatchObject({ groups: 'proven', typing: 'claimed' });
});
