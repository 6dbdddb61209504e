/** Queue operations for a single rule: queues replays and cancels pending rows. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { insertQueued } from './rule-fan-out.system-store.ts';

/**
 * Queues the event of a run for the current version of the rule.
 * @returns the ID of the new run
 */
export async function queueReplay(
  db: Db,
  workspaceId: string,
  run: { id: string; rule_id: string; event_id: string; event_sequence: number },
  id: string,
): Promise<string> {
  await insertQueued(db, [
    {
      id,
      workspace_id: workspaceId,
      rule_id: run.rule_id,
      event_id: run.event_id,
      position: run.event_sequence,
      order_key: null,
      replay_of: run.id,
    },
  ]);
  return id;
}

/**
 * Cancels pending work in the transaction that disables or deletes a rule. Unprocessed events are removed; runs waiting
 * for a retry become due, to be canceled. Waits for no lock: an active run ends before its next step.
 */
export async function cancelWaiting(db: Db, workspaceId: string, ruleId: string): Promise<void> {
  await sql`
    with waiting as materialized (
      select id, started from rule_queue
      where workspace_id = ${workspaceId} and rule_id = ${ruleId} and claimed_by is null
      for update skip locked
    ), forgotten as (
      delete from rule_queue where id in (select id from waiting where not started)
    )
    update rule_queue set due_at = now() where id in (select id from waiting where started) and due_at > now()
  `.execute(db);
}

/** Removes all rows of a deleted workspace, even claimed ones. */
export async function dropWaiting(db: Db, workspaceId: string): Promise<void> {
  await sql`delete from rule_queue where workspace_id = ${workspaceId}`.execute(db);
  await sql`delete from rule_subscriptions where workspace_id = ${workspaceId}`.execute(db);
}
