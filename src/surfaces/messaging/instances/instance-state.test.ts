import { expect, test } from 'vitest';
import { assertMayFollow, INSTANCE_STATES, type InstanceState, takesMessages } from './instance-state.ts';

const allowed = (from: InstanceState, to: InstanceState): boolean => {
  try {
    assertMayFollow(from, to);
    return true;
  } catch {
    return false;
  }
};

test('transitions missing from the table throw an error that names both states', () => {
  for (const state of INSTANCE_STATES) {
    expect(allowed(state, state), state).toBe(false);
    expect(allowed(state, 'created'), state).toBe(false);
  }
  const open = INSTANCE_STATES.filter(takesMessages);
  expect(open).toEqual(['connecting', 'connected', 'reconnecting', 'restricted', 'action_required']);
  for (const state of open) {
    expect([state, allowed(state, 'disconnected'), allowed(state, 'failed')]).toEqual([state, true, true]);
    // A disconnected instance opens only on request.
    expect(allowed('disconnected', state)).toBe(state === 'connecting');
    expect(allowed('failed', state)).toBe(state === 'connecting');
    expect(allowed('created', state)).toBe(state === 'connecting');
  }
  expect(() => assertMayFollow('disconnected', 'connected')).toThrow(/from disconnected to connected/);
});
