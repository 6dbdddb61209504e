import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Postmaster } from './postmaster.ts';
import { PAUSES, supervise } from './supervisor.ts';
import { keepingLogger } from '../../../test/support/embedded-postgres/harness.ts';

const usual = { ...PAUSES };
beforeAll(() => Object.assign(PAUSES, { first: 5, longest: 20 }));
afterAll(() => Object.assign(PAUSES, usual));

function fakePostmaster() {
  const { promise: exited, resolve: die } = Promise.withResolvers<string>();
  const calls: string[] = [];
  const postmaster: Postmaster = {
    pid: 1,
    socketFolder: '/run',
    exited,
    lines: ['[postmaster] LOG:  last words'],
    gone: async () => void calls.push('gone'),
    stop: async () => void calls.push('stop'),
  };
  return { postmaster, die, calls };
}

test('a server that ends is waited for and started again, however often that fails first', async () => {
  const first = fakePostmaster();
  const second = fakePostmaster();
  const log = keepingLogger();
  let failures = 3;
  const started = Promise.withResolvers<void>();
  const supervisor = supervise(
    first.postmaster,
    async () => {
      expect(first.calls).toContain('gone');
      if (failures-- > 0) throw new Error('the disk is full');
      started.resolve();
      return second.postmaster;
    },
    log,
  );
  first.die('SIGKILL');
  await started.promise;
  await supervisor.stop();
  expect(first.calls).not.toContain('stop');
  expect(second.calls).toEqual(['stop']);
  const failed = log.entries.filter(({ message }) => message.includes('could not be started again'));
  expect(failed).toHaveLength(3);
  expect(log.entries[0]).toMatchObject({ level: 'error', details: { how: 'SIGKILL' } });
});

test('a stop during the pause before a restart starts nothing any more', async () => {
  Object.assign(PAUSES, { first: 60_000, longest: 60_000 });
  const { postmaster, die } = fakePostmaster();
  let starts = 0;
  const log = keepingLogger();
  const supervisor = supervise(postmaster, async () => (starts++, postmaster), log);
  die('code 1');
  await new Promise((resolve) => setTimeout(resolve, 10));
  await supervisor.stop();
  expect(starts).toBe(0);
  Object.assign(PAUSES, { first: 5, longest: 20 });
});

test('a stop during a restart stops what that starts', async () => {
  const { postmaster, die } = fakePostmaster();
  const second = fakePostmaster();
  const begun = Promise.withResolvers<void>();
  const supervisor = supervise(
    postmaster,
    async (signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return second.postmaster;
    },
    keepingLogger(),
  );
  die('code 1');
  await begun.promise;
  await supervisor.stop();
  expect(second.calls).toEqual(['stop']);
});
