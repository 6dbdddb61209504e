/** Sums of model calls since a day, for `GET /usage`. */
import { sql } from 'kysely';
import type { SumModelCalls } from '../../../core/workspaces/usage.service.ts';

/**
 * By caller and model, largest by tokens first. Calls before this release were counted in `model_usage`, which nothing
 * writes any more.
 */
export const sumModelCalls: SumModelCalls = async (db, workspaceId, since, limit) => {
  const { rows } = await sql<Awaited<ReturnType<SumModelCalls>>[number]>`
    select actor, model, sum(requests)::bigint as requests, sum(prompt_tokens)::bigint as prompt_tokens,
      sum(completion_tokens)::bigint as completion_tokens
    from (
      select actor, model, calls as requests, input_tokens as prompt_tokens, output_tokens as completion_tokens
      from model_call_stats where workspace_id = ${workspaceId} and day >= ${since}::date
      union all
      select actor, model, requests, prompt_tokens, completion_tokens
      from model_usage where workspace_id = ${workspaceId} and day >= ${since}::date
    ) counted
    group by actor, model order by sum(prompt_tokens + completion_tokens) desc, actor, model limit ${limit}
  `.execute(db);
  return rows;
};
