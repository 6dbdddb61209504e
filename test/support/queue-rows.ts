/** Rows in each table that health checks and metrics read, for tests of what they say of a database that was used. */
import type pg from 'pg';

const WORKSPACE = '(select id from workspaces limit 1)';
const UUID = 'gen_random_uuid()';
const LEASE = (table: string): string =>
  `insert into ${table} (id, lease_until) values (${UUID}, now() + interval '1 minute')`;

/** Adds a row to each of these tables; the others have some in any database that was used. */
const INSERTS: Record<string, string> = {
  outbox: `insert into outbox (bucket, workspace_id, event_id, type, data) values (0, ${WORKSPACE}, ${UUID}, 'link.created', '{}')`,
  outbox_rejected: `insert into outbox_rejected (n, bucket, workspace_id, event_id, type, data, truncated, created_at, error)
    values (-1, 0, ${WORKSPACE}, ${UUID}, 'link.created', '{}', false, now(), 'refused')`,
  rule_queue: `insert into rule_queue (id, workspace_id, rule_id, event_id, position) values (${UUID}, ${WORKSPACE}, ${UUID}, ${UUID}, 1)`,
  send_queue: `insert into send_queue (id, workspace_id, instance_id, action, position, due_at, expires_at, created_at)
    select ${UUID}, workspace_id, id, 'check', 1, now(), now(), now() from instances limit 1`,
  delivery_queue: `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at)
    select ${UUID}, workspace_id, id, ${UUID}, 1, now() from receivers limit 1`,
  delivery_workers: LEASE('delivery_workers'),
  rule_workers: LEASE('rule_workers'),
  connection_nodes: LEASE('connection_nodes'),
};

/** What health checks and metrics read. */
export const QUEUES = [
  ...Object.keys(INSERTS),
  'connections',
  'instances',
  'publication_queue',
  'receivers',
  'pgboss.job_common',
];

/** Adds the rows that a queue has only while work is under way. */
export async function fillQueues(pool: pg.Pool): Promise<void> {
  for (const insert of Object.values(INSERTS)) await pool.query(insert);
}

/** Returns the timestamp columns of the tables. */
export async function timestampColumns(
  pool: pg.Pool,
  tables: readonly string[],
): Promise<{ table: string; column: string }[]> {
  const { rows } = await pool.query<{ table: string; column: string }>(
    `select attrelid::regclass::text as table, attname as column from pg_attribute
     where attrelid = any($1::regclass[]) and atttypid = 'timestamptz'::regtype and attnum > 0 and not attisdropped`,
    [tables],
  );
  return rows;
}
