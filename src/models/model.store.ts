/** Sums of model use by day, caller and model. */
import { sql } from 'kysely';
import type { Queryable } from '../db/database.ts';

export async function addModelUsage(
  db: Queryable,
  workspaceId: string,
  use: { day: string; actor: string; model: string; prompt: number; completion: number },
): Promise<void> {
  await sql`
    insert into model_usage as u (workspace_id, day, actor, model, requests, prompt_tokens, completion_tokens)
    values (${workspaceId}, ${use.day}, ${use.actor}, ${use.model}, 1, ${use.prompt}, ${use.completion})
    on conflict (workspace_id, day, actor, model) do update set requests = u.requests + 1,
      prompt_tokens = u.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = u.completion_tokens + excluded.completion_tokens
  `.execute(db);
}
