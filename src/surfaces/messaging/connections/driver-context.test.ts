import { expect, test } from 'vitest';
import { createContext } from './driver-context.ts';

type Deps = Parameters<typeof createContext>[0];

test('signals that met a deadlock are stored by the same connection', async () => {
  const codes = ['40P01', '40001'];
  let stored = 0;
  const failures: unknown[] = [];
  const { context } = createContext({
    instance: { settings: {}, pairing_sealed: null, credentials_sealed: null },
    holding: { isHeld: () => true, signal: new AbortController().signal },
    receiver: {
      async apply() {
        const code = codes.shift();
        if (code !== undefined) throw Object.assign(new Error('another came first'), { code });
        stored += 1;
      },
    },
    fail: (error) => failures.push(error),
    isOver: () => false,
    write: () => Promise.resolve(true),
    onLimit: () => Promise.resolve(),
  } as Partial<Deps> as Deps);
  await context.emit([{ kind: 'same_person', addresses: ['a', 'b'] }]);
  expect([stored, failures]).toEqual([1, []]);
});
