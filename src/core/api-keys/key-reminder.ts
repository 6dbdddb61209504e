/** Sends one reminder to a key's creator and the owners seven days before it expires, if mail is configured. */
import type { Unit, Units } from '../unit/unit-of-work.ts';
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { consoleLink } from '../../platform/mail/console-link.ts';
import type { SendLater } from '../../platform/mail/mail-job.ts';
import { addressesOfMembers } from '../../platform/mail/recipients.system-store.ts';
import { keyExpiresMail } from '../../platform/mail/templates.ts';
import { type ExpiringKey, takeExpiringKeys } from './key-reminder.system-store.ts';

const WARNING_MS = 7 * 24 * 3600 * 1000;
const BATCH = 100;

async function remind(
  unit: Unit,
  key: ExpiringKey,
  deps: { baseUrl: string; sendLater: SendLater },
): Promise<void> {
  const content = keyExpiresMail({
    workspaceName: key.workspace_name,
    keyName: key.name,
    last4: key.last4,
    expiresAt: key.expires_at,
    disablesCreated: key.disable_created_on_end,
    link: consoleLink(deps.baseUrl, key.workspace_slug, `api-keys?id=${publicId('api_key', key.id)}`),
  });
  const maker = key.created_by === null ? null : toUuid('user', key.created_by);
  for (const to of await addressesOfMembers(unit.db, key.workspace_id, ['owner'], maker))
    await deps.sendLater(unit.db, { to, ...content }, { workspaceId: key.workspace_id });
}

/**
 * Runs hourly. A batch is one transaction: a key is marked when its reminder is enqueued. @returns number of reminders
 */
export async function remindOfExpiringKeys(
  units: Units,
  deps: { baseUrl: string; sendLater: SendLater },
): Promise<number> {
  let total = 0;
  for (;;) {
    const taken = await units.write(async (unit) => {
      const now = unit.clock();
      const keys = await takeExpiringKeys(unit.db, now, new Date(now.getTime() + WARNING_MS), BATCH);
      for (const key of keys) await remind(unit, key, deps);
      return keys.length;
    });
    total += taken;
    if (taken < BATCH) return total;
  }
}
