import { beforeAll, expect, test } from 'vitest';
import { CONSOLE, ensureBuilt } from '../../../scripts/build/bundles.js';
import { CONSOLE_FOLDER } from '../../platform/program-folder.ts';
import { firstLoads } from './first-load.ts';

/** Gzipped JavaScript that the first visit of a page may cost. */
const MAX_BYTES = 200_000;

beforeAll(() => ensureBuilt(CONSOLE, { info: () => undefined }), 120_000);

test('the first visit of each page loads little', () => {
  const loads = firstLoads(CONSOLE_FOLDER);
  expect(loads.size).toBeGreaterThan(10);
  const tooHeavy = [...loads].filter(([, bytes]) => bytes > MAX_BYTES);
  expect(tooHeavy).toEqual([]);
});
