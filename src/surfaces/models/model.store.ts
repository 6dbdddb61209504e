/** Stores daily totals of model usage by caller and model; nothing is written for a deleted workspace. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export async function addModelUsage(
  db: Db,
  workspaceId: string,
  use: { day: string; actor: string; model: string; prompt: number; completion: number },
): Promise<void> {
  await sql`
    insert into model_usage as u (workspace_id, day, actor, model, requests, prompt_tokens, completion_tokens)
    select id, ${use.day}::date, ${use.actor}, ${use.model}, 1, ${use.prompt}::bigint, ${use.completion}::bigint
    from workspaces where id = ${workspaceId} and deleted_at is null
    on conflict (workspace_id, day, actor, model) do update set requests = u.requests + 1,
      prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = u.completion_tokens + excluded.completion_tokens
  `.execute(db);
}
