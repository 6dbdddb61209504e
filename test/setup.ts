/**
 * Before each test file: waits are patient, random tests use the seed of the run, and a file that changes its process
 * for the files after it fails.
 */
import fc from 'fast-check';
import { vi } from 'vitest';
import { PATIENCE } from './support/patience.ts';
import { testSeed } from './support/seed.ts';
import './support/status-matcher.ts';
import { watchProcess } from './support/shared-process.ts';

const { waitFor } = vi;

// In a shared process this file runs before each test file, on the same `vi`.
if (!('isPatient' in waitFor))
  vi.waitFor = Object.assign(
    (callback: Parameters<typeof waitFor>[0], options: Parameters<typeof waitFor>[1]) =>
      waitFor(callback, {
        timeout: PATIENCE.timeout,
        ...(typeof options === 'number' ? { timeout: options } : options),
      }),
    { isPatient: true },
  ) as typeof waitFor;

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed() });
watchProcess();
