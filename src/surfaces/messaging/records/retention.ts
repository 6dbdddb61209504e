/**
 * Deletes expired data of workspaces, in batches and taking turns, so that a workspace with millions of old rows, or
 * one that fails, does not delay others.
 */
import type { Database } from '../../../platform/db/database.ts';
import { firstUuidAt } from '../../../platform/db/uuid-time.ts';
import { createAttempts } from '../../../platform/jobs/attempts.ts';
import { type Retention, type RetentionSetting, retentions } from './retention.system-store.ts';

const DAY_MS = 24 * 3600 * 1000;
/** Workspaces that take turns with each other. */
const GROUP = 500;

/** Rows created before this time are expired. */
export const getEnd = ({ days }: Retention, now: Date): Date => new Date(now.getTime() - days * DAY_MS);
/** Returns the first ID that is retained; lower IDs were created before the retention period. */
export const getFirstRetainedId = (retention: Retention, now: Date): string =>
  firstUuidAt(getEnd(retention, now));

export interface Batch {
  deleted: number;
  /** Whether there may be more of that workspace. */
  isMore: boolean;
}

/**
 * Deletes in batches; may be stopped at any point.
 * @returns the number deleted. @throws after all had their turns, if any of them failed
 */
export async function deleteInBatches(
  db: Database,
  setting: RetentionSetting,
  deleteBatch: (retention: Retention) => Promise<Batch>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  const attempts = createAttempts();
  for (let after: string | null = null; ;) {
    const group: Retention[] = await retentions(db, setting, after, GROUP);
    let turns = group;
    while (turns.length > 0) {
      const again: Retention[] = [];
      for (const retention of turns) {
        if (signal?.aborted) return total;
        const batch = await attempts.make(() => deleteBatch(retention));
        total += batch?.deleted ?? 0;
        if (batch?.isMore) again.push(retention);
      }
      turns = again;
    }
    if (group.length < GROUP) break;
    after = group.at(-1)!.workspaceId;
  }
  attempts.end();
  return total;
}
