/** Keeps stored parts of requests that no connection has read in time as unprocessed updates. */
import type { Units } from '../../../core/unit/unit-of-work.ts';
import { inBatches } from '../../../platform/db/batches.ts';
import { DAY } from '../../../platform/time/zone.ts';
import type { KeepUpdates } from '../unprocessed-updates/keep-updates.ts';
import { deleteParts, lockOldParts } from './ingress.system-store.ts';

/** Days for which the parts of an instance that is not connected wait. */
const UNREAD_KEPT_DAYS = 7;
/** Few: each may have some megabytes. */
const BATCH = 20;

export async function expireParts(
  { units, keepUpdates }: { units: Units; keepUpdates: KeepUpdates },
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(now.getTime() - UNREAD_KEPT_DAYS * DAY);
  const expire = (max: number): Promise<number> =>
    units.write(async (unit) => {
      const parts = await lockOldParts(unit.db, before, max);
      for (const [instanceId, own] of Map.groupBy(parts, (part) => part.instance_id)) {
        const { workspace_id: workspaceId, channel } = own[0]!;
        // With its instance, a part is gone.
        if (channel === null) continue;
        const updates = own.map(({ body: raw, is_signal: isSignal }) => ({
          reason: 'expired' as const,
          type: null,
          raw,
          isSignal,
        }));
        await keepUpdates(unit, { workspaceId, instanceId, channel }, updates);
      }
      await deleteParts(unit.db, parts);
      return parts.length;
    });
  await inBatches(BATCH, expire, signal);
}
