/** Email of a product that is killed at random instants, in the short form; `npm run soak mail` is the long one. */
import { expect, test } from 'vitest';
import { HAS_MAIL_SERVERS, MAIL_SERVERS } from '../support/channels/email/mail-servers.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mailWorld } from '../support/mail-world.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';

const KILLS = 3;

test(
  'mails that were acknowledged are sent or said to be uncertain, and what came is taken in once, whoever is killed',
  { timeout: 240_000, ...needs(MAIL_SERVERS, HAS_MAIL_SERVERS) },
  async () => {
    await using folder = await temporaryFolder();
    const world = await mailWorld(folder.path);
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
  },
);
