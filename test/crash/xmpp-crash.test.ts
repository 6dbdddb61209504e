/** XMPP of a product that is killed at random instants, in the short form; `npm run soak xmpp` is the long one. */
import { expect, test } from 'vitest';
import { HAS_PROSODY, PROSODY } from '../support/channels/xmpp/prosody.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { xmppWorld } from '../support/xmpp-world.ts';

const KILLS = 5;

test(
  'messages that were acknowledged are sent once, and what came is taken in once, whoever is killed, the server too',
  { timeout: 240_000, ...needs(PROSODY, HAS_PROSODY) },
  async () => {
    await using folder = await temporaryFolder();
    const world = await xmppWorld(folder.path);
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS, { channelKills: 1 });
    expect(getErrors(report, world)).toEqual([]);
    expect(report.channelKills).toBe(1);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
  },
);
