import { expect, test, vi } from 'vitest';
import type { Resolved } from '../contract/model-catalog.ts';
import { createResolvedModels } from './resolved-models.ts';

let now = 10_000;

/** Reads are answered by number, once they are let through. */
function start() {
  const waiting: (() => void)[] = [];
  let count = 0;
  let fails = false;
  let isHeld = false;
  const models = createResolvedModels(
    async (workspaceId, model) => {
      count += 1;
      const route = `${workspaceId} ${model} ${count}`;
      if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
      if (fails) throw new Error('away');
      return { route, targets: [] } satisfies Resolved;
    },
    () => now,
  );
  return {
    get: async (workspaceId = 'w', model = 'm') => (await models.get(workspaceId, model)).route,
    forget: models.forget,
    hold: () => (isHeld = true),
    pass() {
      isHeld = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    fail: (does = true) => (fails = does),
    reads: () => count,
  };
}

test('what was read counts for half a second', async () => {
  const models = start();
  expect(await models.get()).toBe('w m 1');
  now += 200;
  expect(await models.get()).toBe('w m 1');
  now += 301;
  expect(await models.get()).toBe('w m 2');
  expect(models.reads()).toBe(2);
  expect(await models.get('w', 'n')).toBe('w n 3');
  expect(await models.get('v', 'm')).toBe('v m 4');
});

test('a caller who calls often never waits: an older reading is renewed beside the call', async () => {
  const models = start();
  await models.get();
  now += 201;
  models.hold();
  expect(await models.get()).toBe('w m 1');
  expect(await models.get()).toBe('w m 1');
  expect(models.reads()).toBe(2);
  models.pass();
  await vi.waitFor(async () => expect(await models.get()).toBe('w m 2'));
});

test('a change of this process applies at once, also to a read that is under way', async () => {
  const models = start();
  await models.get();
  await models.get('v');
  models.forget('w');
  expect(await models.get()).toBe('w m 3');
  expect(await models.get('v')).toBe('v m 2');
  models.hold();
  const late = models.get('w', 'n');
  models.forget('w');
  models.pass();
  expect(await late).toBe('w n 4');
  expect(await models.get('w', 'n')).toBe('w n 5');
});

test('what can not be read is not kept', async () => {
  const models = start();
  models.fail();
  await expect(models.get()).rejects.toThrow('away');
  models.fail(false);
  expect(await models.get()).toBe('w m 2');
  now += 201;
  models.fail();
  expect(await models.get()).toBe('w m 2');
  await vi.waitFor(() => expect(models.get()).rejects.toThrow('away'));
});
