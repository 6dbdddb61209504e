import { expect, test } from 'vitest';
import { DriverError } from '../contract/driver-error.ts';
import { createFloodControl } from './flood-control.ts';

test('limits of two chats at a time hold up the whole bot', () => {
  let at = 0;
  const flood = createFloodControl(() => at);
  const limited = new DriverError('busy', 'rate_limited', 'wait', { retryAfterMs: 5000 });
  flood.note(1, limited);
  flood.note(1, limited);
  flood.assertFree();
  flood.note(2, limited);
  expect(() => flood.assertFree()).toThrow('whole bot');
  at = 5001;
  flood.assertFree();
});
