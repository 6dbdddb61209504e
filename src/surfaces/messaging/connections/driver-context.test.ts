import { expect, test } from 'vitest';
import { createContext } from './driver-context.ts';

type Deps = Parameters<typeof createContext>[0];

test('signals are stored by the same connection after a deadlock', async () => {
  const codes = ['40P01', '40001'];
  let stored = 0;
  const failures: unknown[] = [];
  const contexts = createContext({
    instance: { name: 'Box', settings: {}, pairing_sealed: null, credentials_sealed: null },
    holding: { isHeld: () => true, signal: new AbortController().signal },
    receiver: {
      async apply() {
        const code = codes.shift();
        if (code !== undefined) throw Object.assign(new Error('another came first'), { code });
        stored += 1;
      },
    },
    fail: (error: unknown) => failures.push(error),
    isOver: () => false,
    write: () => Promise.resolve(true),
    onLimit: () => Promise.resolve(),
  } as unknown as Deps);
  const context = contexts.of({}, new AbortController().signal);
  await context.emit([{ kind: 'same_person', addresses: ['a', 'b'] }]);
  expect([stored, failures]).toEqual([1, []]);
});
