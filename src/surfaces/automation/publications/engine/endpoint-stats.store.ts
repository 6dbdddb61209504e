/** Maintains the request counters of endpoints and their latest payload samples, with secrets masked. */
import { type RawBuilder, sql } from 'kysely';
import { parseOwnLossless } from '../../../../platform/json/own-json.ts';
import type { Db } from '../../../../platform/db/database.ts';
import { maskPairs, maskSecrets } from '../../publishing-endpoints/mask.ts';
import type { PublicationColumns } from '../records/publication.store.ts';

const SAMPLES_KEPT = 20;

export type CountedPublication = Pick<
  PublicationColumns,
  'workspace_id' | 'endpoint_id' | 'id' | 'created_at' | 'source'
>;

interface Payload {
  workspace_id: string;
  publication_id: string;
  payload: unknown;
  headers: Record<string, string>;
  query: Record<string, string>;
  content_type: string | null;
}

async function readPayloads(db: Db, noted: readonly CountedPublication[]): Promise<Map<string, Payload>> {
  const { rows } = await sql<Payload & { payload: string }>`
    select i.workspace_id, i.publication_id, i.payload::text as payload, i.headers, i.query, p.content_type
    from unnest(
      ${noted.map((one) => one.workspace_id)}::uuid[], ${noted.map(({ id }) => id)}::uuid[]
    ) w (workspace_id, id)
    join publication_inputs i on i.workspace_id = w.workspace_id and i.publication_id = w.id
    join publications p on p.workspace_id = w.workspace_id and p.id = w.id
  `.execute(db);
  return new Map(rows.map((row) => [row.publication_id, { ...row, payload: parseOwnLossless(row.payload) }]));
}

/** Skips endpoints that were deleted in the meantime. */
const EXISTS = sql`exists (
  select 1 from publishing_endpoints e where e.workspace_id = w.workspace_id and e.id = w.endpoint_id
)`;

/**
 * Builds the CTEs that update counters and samples. Counter rows are ordered to avoid deadlocks.
 * @param noted publications; replays are skipped because they are not requests
 */
export async function recordRequests(
  db: Db,
  noted: readonly CountedPublication[],
): Promise<RawBuilder<unknown>[]> {
  const requests = noted.filter(({ source }) => source !== 'replay');
  if (!requests.length) return [];
  const endpoints = [...Map.groupBy(requests, (one) => `${one.workspace_id} ${one.endpoint_id}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, own]) => {
      const newest = own.toSorted((one, other) => (one.id < other.id ? 1 : -1));
      return {
        workspaceId: own[0]!.workspace_id,
        endpointId: own[0]!.endpoint_id,
        received: own.length,
        lastAt: newest[0]!.created_at,
        samples: newest.slice(0, SAMPLES_KEPT),
      };
    });
  const kept = endpoints.flatMap(({ samples }) => samples);
  const payloads = await readPayloads(db, kept);
  const samples = kept.flatMap((one) => {
    const payload = payloads.get(one.id);
    return payload ? [{ ...one, payload }] : [];
  });
  return [
    sql`
      insert into publishing_counters as c (workspace_id, endpoint_id, received, last_received_at)
      select w.* from unnest(
        ${endpoints.map(({ workspaceId }) => workspaceId)}::uuid[], ${endpoints.map(({ endpointId }) => endpointId)}::uuid[],
        ${endpoints.map(({ received }) => received)}::bigint[], ${endpoints.map(({ lastAt }) => lastAt)}::timestamptz[]
      ) w (workspace_id, endpoint_id, received, last_received_at)
      where ${EXISTS}
      order by w.workspace_id, w.endpoint_id
      on conflict (workspace_id, endpoint_id) do update
        set received = c.received + excluded.received,
          last_received_at = greatest(c.last_received_at, excluded.last_received_at)`,
    sql`
      insert into publishing_samples (workspace_id, endpoint_id, id, content_type, payload, headers, query, created_at)
      select w.* from unnest(
        ${samples.map((one) => one.workspace_id)}::uuid[], ${samples.map((one) => one.endpoint_id)}::uuid[],
        ${samples.map(({ id }) => id)}::uuid[], ${samples.map(({ payload }) => payload.content_type)}::text[],
        ${samples.map(({ payload }) => JSON.stringify(maskSecrets(payload.payload)))}::jsonb[],
        ${samples.map(({ payload }) => JSON.stringify(maskPairs(payload.headers)))}::jsonb[],
        ${samples.map(({ payload }) => JSON.stringify(maskPairs(payload.query)))}::jsonb[],
        ${samples.map((one) => one.created_at)}::timestamptz[]
      ) w (workspace_id, endpoint_id, id, content_type, payload, headers, query, created_at)
      where ${EXISTS}
      on conflict do nothing`,
    // This statement does not see the samples inserted above.
    sql`
      delete from publishing_samples s using unnest(
        ${endpoints.map(({ workspaceId }) => workspaceId)}::uuid[], ${endpoints.map(({ endpointId }) => endpointId)}::uuid[],
        ${endpoints.map((one) => SAMPLES_KEPT - one.samples.length)}::int[]
      ) w (workspace_id, endpoint_id, most)
      where s.workspace_id = w.workspace_id and s.endpoint_id = w.endpoint_id and s.id in (
        select id from publishing_samples o
        where o.workspace_id = w.workspace_id and o.endpoint_id = w.endpoint_id order by id desc offset w.most
      )`,
  ];
}
