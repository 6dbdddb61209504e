/** Reports a workspace's usage with its quotas, and the model calls of this month. */
import type { Db } from '../../platform/db/database.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import type { Quotas } from './quota.ts';
import type { UsageObject } from './usage.schema.ts';

const MAX_MODELS = 200;

/**
 * Sums model calls by caller and model, largest by tokens first.
 * @param since first UTC day, `YYYY-MM-DD`
 */
export type SumModelCalls = (
  db: Db,
  workspaceId: string,
  since: string,
  limit: number,
) => Promise<UsageObject['models']>;

export interface UsageDeps {
  quotas: Quotas;
  sumModelCalls: SumModelCalls;
}

export async function getUsage(
  { quotas, sumModelCalls }: UsageDeps,
  unit: ReadUnit,
  workspaceId: string,
): Promise<UsageObject> {
  const month = unit.clock().toISOString().slice(0, 7);
  const [resources, models] = await Promise.all([
    quotas.usage(unit, workspaceId),
    sumModelCalls(unit.db, workspaceId, `${month}-01`, MAX_MODELS),
  ]);
  return { object: 'usage', resources, period_start: `${month}-01T00:00:00.000Z`, models };
}
