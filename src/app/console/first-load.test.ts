import { beforeAll, expect, test } from 'vitest';
import { CONSOLE, ensureBuilt } from '../../../scripts/build/bundles.js';
import { buildOnReact } from '../../../test/support/react-build.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { CONSOLE_FOLDER } from '../../platform/program-folder.ts';
import { chunkCycles, firstLoads } from './first-load.ts';

/** Gzipped JavaScript that the first visit of a page may cost. */
const MAX_BYTES = 147_000;
/** Scripts and style sheets. The document, two fonts and API requests of the page come on top. */
const MAX_FILES = 27;
const MAX_OVERVIEW_FILES = 10;

beforeAll(() => ensureBuilt(CONSOLE, { info: () => undefined }), 120_000);

test('the first visit of each page loads little', () => {
  const loads = firstLoads(CONSOLE_FOLDER);
  expect(loads.size).toBeGreaterThan(10);
  expect([...loads].filter(([, { bytes }]) => bytes > MAX_BYTES)).toEqual([]);
  expect([...loads].filter(([, { files }]) => files > MAX_FILES)).toEqual([]);
  expect(loads.get('features/overview/Overview.tsx')?.files).toBeLessThanOrEqual(MAX_OVERVIEW_FILES);
});

test('no chunks import each other in a circle', () => {
  expect(chunkCycles(CONSOLE_FOLDER)).toEqual([]);
});

test('no chunks import each other in a circle with React in the place of Preact', async () => {
  await using folder = await temporaryFolder();
  await buildOnReact(folder.path);
  expect(chunkCycles(folder.path)).toEqual([]);
});
