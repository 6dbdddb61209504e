/**
 * Disables the objects of expired keys that have `disable_created_on_end`. No call marks an expiry, so this runs every
 * minute.
 */
import { disableLater } from '../created-objects/created-object.service.ts';
import type { Units } from '../unit/unit-of-work.ts';
import { publicId } from '../vocabulary/ids.ts';
import { takeExpiredKeys } from './expired-keys.system-store.ts';

const BATCH = 100;

/** Leaves a job for each key, in the transaction that marks it. @returns how many keys */
export async function endExpiredKeys(units: Units): Promise<number> {
  for (let total = 0; ;) {
    const taken = await units.write(async (unit) => {
      const keys = await takeExpiredKeys(unit.db, unit.clock(), BATCH);
      for (const { workspace_id: workspaceId, id } of keys)
        await disableLater(unit, {
          workspaceId,
          createdBy: publicId('api_key', id),
          reason: 'api_key_expired',
        });
      return keys.length;
    });
    total += taken;
    if (taken < BATCH) return total;
  }
}
