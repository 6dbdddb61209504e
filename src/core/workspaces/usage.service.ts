/** What a workspace holds, against what it may hold, and the model calls of this month. */
import type { ReadUnit } from '../unit-of-work.ts';
import type { Quotas } from './quota.ts';
import type { UsageObject } from './usage.schema.ts';
import { sumModelUsage } from './usage.store.ts';

const MAX_MODELS = 200;

export async function getUsage(quotas: Quotas, unit: ReadUnit, workspaceId: string): Promise<UsageObject> {
  const month = unit.clock().toISOString().slice(0, 7);
  const [resources, models] = await Promise.all([
    quotas.usage(unit, workspaceId),
    sumModelUsage(unit.db, workspaceId, `${month}-01`, MAX_MODELS),
  ]);
  return { object: 'usage', resources, period_start: `${month}-01T00:00:00.000Z`, models };
}
