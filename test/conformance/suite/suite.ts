/**
 * What every driver must do. A driver's test calls `describeDriver` with its harness (harness.ts). The run tells of each thing
 * that the capability document claims whether it was seen at the other end, and compares that with docs/channels/, from
 * which the table of docs/channels.md is made.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeAddresses } from './address-cases.ts';
import { describeConnection } from './connection-cases.ts';
import { describeGroups } from './group-cases.ts';
import { describeGroupChanges } from './group-change-cases.ts';
import { describeGroupMessages } from './group-message-cases.ts';
import { describeGroupSettings } from './group-setting-cases.ts';
import type { Harness } from './harness.ts';
import { describeHearing } from './inbound-cases.ts';
import { describeNames } from './name-cases.ts';
import { describeOperations } from './operation-cases.ts';
import { type ChannelResults, createProofs, resultsFile, resultsText } from './results.ts';
import { describeSending } from './sending-cases.ts';
import { createWorld, type World } from './world.ts';

/**
 * @param start called once before the cases; `stop` of what it gives after them
 * @param writes whether the verdicts are written to docs/channels/ before they are compared
 */
export function describeDriver(
  channel: string,
  start: () => Promise<Harness & { stop(): Promise<void> }>,
  writes: boolean,
): void {
  describe(`the driver of ${channel}`, () => {
    const proofs = createProofs();
    let harness: (Harness & { stop(): Promise<void> }) | undefined;
    let world: World;
    beforeAll(async () => {
      harness = await start();
      world = createWorld(harness, proofs);
    });
    afterAll(async () => {
      await world?.closeAll();
      await harness?.stop();
    });
    const get = (): World => world;
    describeAddresses(get);
    describeConnection(get);
    describeSending(get);
    describeHearing(get);
    describeOperations(get);
    describeNames(get);
    describeGroups(get);
    describeGroupSettings(get);
    describeGroupMessages(get);
    describeGroupChanges(get);

    test('does what docs/channels says of it; CONFORMANCE=write writes that anew', async () => {
      const { driver } = world.harness;
      const { title, resend, pairs } = driver;
      const read = async () => JSON.parse(await readFile(resultsFile(channel), 'utf8')) as ChannelResults;
      // A new channel has none yet.
      const isNew = writes && !existsSync(resultsFile(channel));
      const servers = { ...(!isNew && (await read()).servers), ...(await world.harness.versions?.()) };
      const verdicts = proofs.results(driver.capabilities({}));
      const results = { channel: driver.channel, title, servers, resend, pairs, ...verdicts };
      if (writes) await writeFile(resultsFile(channel), resultsText(results));
      expect(JSON.stringify(results)).not.toContain('failed');
      // A newer server proves as much; that it is named shows that it was tested.
      const named = Object.fromEntries(Object.keys(servers).map((name) => [name, expect.any(String)]));
      expect(await read()).toEqual({ ...results, servers: named });
    });
  });
}
