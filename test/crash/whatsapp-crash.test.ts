/** WhatsApp, of a product that is killed at random instants under load. */
import { expect, test } from 'vitest';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whatsappWorld } from '../support/whatsapp-world.ts';

const KILLS = 5;

test(
  'messages that were acknowledged are sent or end as delivery_unknown, and webhooks that were acknowledged are stored once',
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryFolder();
    const world = await whatsappWorld();
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
    const { acknowledged, unknown, doubled, spoken } = report;
    console.info(`WhatsApp, ${KILLS} kills: ${JSON.stringify({ acknowledged, unknown, doubled, spoken })}`);
  },
);
