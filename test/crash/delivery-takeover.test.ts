/** Deliveries of a server that is killed or frozen while it sends: another one takes them over. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { takeover } from '../support/takeover.ts';

const LINUX = needs('Linux', process.platform === 'linux');
const TAKEN_OVER_WITHIN_MS = 30_000;

test('what a killed server was sending is sent by another one', { timeout: 240_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const result = await takeover({ folder: folder.path, how: 'killed', slots: 32, onTheWire: 32 });
  console.log(`killed: taken over after ${result.firstMs.toFixed(0)} to ${result.lastMs.toFixed(0)} ms`);
  expect(result).toMatchObject({ hanging: 32, events: 96, received: 96, doubles: 0, left: 0 });
  expect(result.firstMs).toBeGreaterThan(1_000);
  expect(result.lastMs).toBeLessThan(TAKEN_OVER_WITHIN_MS);
});

test(
  'a server that was frozen does not send what was taken over',
  { timeout: 240_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const result = await takeover({
      folder: folder.path,
      how: { frozenMs: 15_000 },
      slots: 200,
      onTheWire: 200,
    });
    console.log(`frozen: taken over after ${result.firstMs.toFixed(0)} to ${result.lastMs.toFixed(0)} ms`);
    expect(result).toMatchObject({
      hanging: 200,
      events: 432,
      received: 432,
      doubles: 0,
      afterWaking: 0,
      left: 0,
    });
    expect(result.lastMs).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  },
);
