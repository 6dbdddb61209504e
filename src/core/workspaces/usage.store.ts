/** Sums of model calls. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

/** By actor and model since a day (UTC, `YYYY-MM-DD`), largest by tokens first. */
export function sumModelUsage(db: Db, workspaceId: string, since: string, limit: number) {
  return db
    .selectFrom('model_usage')
    .select(['actor', 'model'])
    .select(sql<number>`sum(requests)::bigint`.as('requests'))
    .select(sql<number>`sum(prompt_tokens)::bigint`.as('prompt_tokens'))
    .select(sql<number>`sum(completion_tokens)::bigint`.as('completion_tokens'))
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', sql<Date>`${since}::date`)
    .groupBy(['actor', 'model'])
    .orderBy(sql`sum(prompt_tokens + completion_tokens)`, 'desc')
    .orderBy('actor')
    .orderBy('model')
    .limit(limit)
    .execute();
}
