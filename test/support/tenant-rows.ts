/** All that the database holds of one workspace, as prints that can be compared. Tables added later are found. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Written beside a call and by workers, not by what a call changes; events are compared by their IDs below. */
const APART = [
  'key_usage',
  'api_requests',
  'request_stats',
  'message_stats',
  'instance_stats',
  'outbox',
  'events',
  'workspace_sequences',
  // Deliveries go their way whether somebody calls or not.
  'deliveries',
  'delivery_attempts',
  'delivery_queue',
  'receiver_wakes',
  'receivers',
  'webhook_stats',
  // Rules run whether somebody calls or not.
  'rule_queue',
  'rule_runs',
  'rule_counters',
  'caused_resources',
  'traced_resources',
  // Who has a stream open; it goes with the stream.
  'event_wants',
];

/** What looking for a domain's record notes, which is done by itself a minute after it was made. */
const DOMAINS = `(
  select to_jsonb(d) - array['check_at', 'checked_at', 'last_error', 'version', 'updated_at'] from domains d where workspace_id = $1
) t`;

/** What fetching a file notes, which is tried by itself for more than a minute. */
const MEDIA = `(
  select case when source_sealed is null and error_code is null then to_jsonb(m)
    else to_jsonb(m) - array['state', 'source_sealed', 'error_code', 'error_detail', 'updated_at'] end
  from media m where workspace_id = $1
) t`;
const ROWS_OF: Record<string, string> = { domains: DOMAINS, media: MEDIA };

export type Rows = Record<string, string>;

/** @returns a reader: table name → count and print of the workspace's rows, and of its events. */
export async function tenantRows(pool: pg.Pool, workspaceUuid: string): Promise<() => Promise<Rows>> {
  const { rows: tables } = await pool.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where a.attname = 'workspace_id' and not a.attisdropped and c.relkind in ('r', 'p')
      and not c.relispartition and c.relnamespace = 'public'::regnamespace
    order by 1`);
  const names = tables.map(({ name }) => name).filter((name) => !APART.includes(name));
  const of = (name: string, rows: string) =>
    `select '${name}' as name, count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from ${rows}`;
  const query = [
    of('workspaces', 'workspaces t where id = $1'),
    of(
      'events',
      `(select event_id from outbox where workspace_id = $1 union select id from events where workspace_id = $1) t`,
    ),
    ...names.map((name) => of(name, ROWS_OF[name] ?? `${name} t where workspace_id = $1`)),
  ].join(' union all ');
  return async () => {
    const { rows } = await pool.query<{ name: string; print: string }>(query, [workspaceUuid]);
    return Object.fromEntries(rows.map(({ name, print }) => [name, print]));
  };
}

const QUIET_MS = 250;
const QUIET_READS = 3;
const MAX_READS = 60;

/** What a call has set going (a connection is opened, a job runs) comes to rest first. @throws Error when it doesn't */
export async function rowsAtRest(read: () => Promise<Rows>): Promise<Rows> {
  let last = await read();
  for (let reads = 1, same = 1; reads < MAX_READS; reads += 1) {
    await delay(QUIET_MS);
    const next = await read();
    same = JSON.stringify(next) === JSON.stringify(last) ? same + 1 : 1;
    if (same === QUIET_READS) return next;
    last = next;
  }
  throw new Error('the rows of the workspace never come to rest');
}
