/**
 * Before each test file. What is waited for comes within a moment, but not on a machine that has much else to do: the
 * default patience of a second makes tests fail that only had to wait. Where a time is promised, tests name it.
 */
import { vi } from 'vitest';

const PATIENCE_MS = 10_000;
const { waitFor } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, {
    timeout: PATIENCE_MS,
    ...(typeof options === 'number' ? { timeout: options } : options),
  });
