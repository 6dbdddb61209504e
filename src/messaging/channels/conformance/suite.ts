/**
 * What every driver must do. A driver's test calls `describeDriver` with its harness (harness.ts), and the run tells of each
 * thing that its capability document claims whether it was seen at the other end.
 *
 * With CONFORMANCE_RESULTS=<folder> the verdicts are written there, for the table of channels.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { describeAddresses } from './address-cases.ts';
import { describeConnection } from './connection-cases.ts';
import type { Harness } from './harness.ts';
import { describeHearing } from './hearing-cases.ts';
import { describeOperations } from './operation-cases.ts';
import { createProofs, writeResults } from './results.ts';
import { describeSending } from './sending-cases.ts';
import { createWorld, type World } from './world.ts';

/**
 * @param start called once before the cases; `stop` of what it gives after them
 * @param resultsFolder where verdicts are written; nowhere by default
 */
export function describeDriver(
  channel: string,
  start: () => Promise<Harness & { stop(): Promise<void> }>,
  resultsFolder?: string,
): void {
  describe(`the driver of ${channel}`, () => {
    const proofs = createProofs();
    let harness: Harness & { stop(): Promise<void> };
    let world: World;
    beforeAll(async () => {
      harness = await start();
      world = createWorld(harness, proofs);
    });
    afterAll(async () => {
      await world.closeAll();
      const { driver } = harness;
      if (resultsFolder !== undefined)
        await writeResults(resultsFolder, {
          channel: driver.channel,
          title: driver.title,
          resend: driver.resend,
          ...proofs.results(driver.capabilities({})),
        });
      await harness.stop();
    });
    const get = (): World => world;
    describeAddresses(get);
    describeConnection(get);
    describeSending(get);
    describeHearing(get);
    describeOperations(get);
  });
}
