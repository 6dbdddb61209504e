/** Twilio's emulator, of a product that is killed at random instants under load. */
import { expect, test } from 'vitest';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS } from '../support/channels/channel-tools.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { twilioWorld } from '../support/twilio-world.ts';

const KILLS = 5;

test(
  'messages that were acknowledged are sent or end as delivery_unknown, and requests that were acknowledged are stored once',
  { timeout: 240_000, ...needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS) },
  async () => {
    await using folder = await temporaryFolder();
    const world = await twilioWorld();
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
    const { acknowledged, unknown, doubled, spoken } = report;
    console.info(`Twilio, ${KILLS} kills: ${JSON.stringify({ acknowledged, unknown, doubled, spoken })}`);
  },
);
