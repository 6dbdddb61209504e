/** Reads the rows of a queue for display. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface QueueViewRow {
  action: string;
  message_id: string | null;
  chat_id: string | null;
  position: number;
  state: string;
  attempts: number;
  due_at: Date | null;
  expires_at: Date;
  last_error_code: string | null;
  last_error_detail: string | null;
  created_at: Date;
}

/** Reads rows in order after a position, one more than `limit`. Cleared rows are hidden. */
export async function listQueue(
  db: Db,
  workspaceId: string,
  instanceId: string,
  after: number,
  limit: number,
): Promise<QueueViewRow[]> {
  const { rows } = await sql<QueueViewRow>`
    select q.action, q.message_id, q.chat_id, q.position, q.attempts, nullif(q.due_at, 'infinity') as due_at, q.expires_at,
      q.last_error_code, q.last_error_detail, q.created_at,
      case
        when q.claimed_epoch is not null then 'sending'
        when q.attempts > 0 then 'retrying'
        when q.due_at <= now() then 'due'
        else 'waiting'
      end as state
    from send_queue q
    where q.workspace_id = ${workspaceId} and q.instance_id = ${instanceId}
      and q.position > ${after}
      and (q.claimed_epoch is not null or q.uncertain
        or q.position > (select cleared_through from instance_queues where instance_id = ${instanceId}))
    order by q.position limit ${limit + 1}
  `.execute(db);
  return rows;
}
