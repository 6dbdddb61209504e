/** Statements that write short links, many at a time. Some run in one batch (platform/db/batch.ts). */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { computeFingerprint, type MadeFor } from '../records/link-fingerprint.ts';
import { buildRoute } from './link-route.ts';
import { COLUMNS, type LinkRow } from '../records/link.store.ts';
import type { LinkValues } from '../records/link-values.ts';
import { getSearchTerms } from '../records/link-search-terms.ts';

export interface WrittenLink extends MadeFor {
  id: string;
  values: LinkValues;
  createdBy: string | null;
}

/** Builds the row of a new link. `created_at` is the time in the ID, because lists are ordered by ID. */
export function newRow(workspaceId: string, link: WrittenLink): LinkRow {
  const at = timeOfUuid(link.id);
  const { values } = link;
  return {
    ...values,
    targeting: values.targeting as unknown as LinkRow['targeting'],
    utm: values.utm,
    workspace_id: workspaceId,
    id: link.id,
    fingerprint: computeFingerprint(values, link),
    message_id: link.messageId,
    contact_id: link.contactId,
    created_by: link.createdBy,
    version: 1,
    created_at: at,
    updated_at: at,
    clicks: 0,
    unique_clicks: 0,
    bot_clicks: 0,
    last_clicked_at: null,
    used: 0,
  };
}

/** As JSON has a row. */
const GIVEN = { ...COLUMNS, fingerprint: 'text', words: 'text[]' };
const RECORD = sql.raw(
  Object.entries(GIVEN)
    .map(([name, type]) => `${name} ${type}`)
    .join(', '),
);
const READ: Record<string, string> = {
  fingerprint: "decode(r.fingerprint, 'hex')",
  words: 'array_to_tsvector(r.words)',
};
const NAMES = Object.keys(GIVEN);
const read = (name: string): string => READ[name] ?? `r.${name}`;
/** Columns that an update never changes. */
const FIXED = new Set(['workspace_id', 'id', 'message_id', 'contact_id', 'created_by', 'created_at']);
const INSERTED = sql.raw(`insert into links (${NAMES.join(', ')}) select ${NAMES.map(read).join(', ')}`);
const UPDATED = sql.raw(
  NAMES.filter((name) => !FIXED.has(name))
    .map((name) => `${name} = ${read(name)}`)
    .join(', '),
);

const asJson = (rows: readonly LinkRow[], values: readonly LinkValues[]): string =>
  JSON.stringify(
    rows.map((row, nth) => ({
      ...row,
      fingerprint: row.fingerprint.toString('hex'),
      words: getSearchTerms(row.workspace_id, values[nth]!),
    })),
  );

/** Builds the inserts of new links whose addresses are already reserved. */
export function buildInserts(rows: readonly LinkRow[], values: readonly LinkValues[]): RawBuilder<unknown>[] {
  const own = sql`jsonb_to_recordset(${asJson(rows, values)}::jsonb) r (${RECORD})`;
  const capped = rows.filter(({ max_clicks: limit }) => limit !== null);
  return [
    sql`
      ${INSERTED}
      from ${own}`,
    sql`
      insert into link_counters (workspace_id, link_id)
      select w, i from unnest(
        ${rows.map(({ workspace_id: id }) => id)}::uuid[], ${rows.map(({ id }) => id)}::uuid[]
      ) n (w, i)`,
    ...(capped.length
      ? [
          sql`
            insert into link_budgets (workspace_id, link_id, max)
            select w, i, m from unnest(
              ${capped.map(({ workspace_id: id }) => id)}::uuid[], ${capped.map(({ id }) => id)}::uuid[],
              ${capped.map(({ max_clicks: limit }) => limit)}::int[]
            ) n (w, i, m)`,
        ]
      : []),
  ];
}

/** Updates links whose rows the caller has locked, and the routes of links whose address stays the same. */
export async function updateLinks(
  db: Db,
  workspaceId: string,
  rows: readonly LinkRow[],
  values: readonly LinkValues[],
): Promise<void> {
  if (rows.length === 0) return;
  const routes = rows.map((row, nth) => ({
    domain: row.domain,
    slug: row.slug,
    link_id: row.id,
    route: buildRoute(values[nth]!),
  }));
  await sql`
    with routes as (
      update link_routes t set route = r.route
      from jsonb_to_recordset(${JSON.stringify(routes)}::jsonb) r (domain text, slug text, link_id uuid, route jsonb)
      where t.domain = r.domain and t.slug = r.slug and t.link_id = r.link_id and t.workspace_id = ${workspaceId}
    )
    update links l set ${UPDATED}
    from jsonb_to_recordset(${asJson(rows, values)}::jsonb) r (${RECORD})
    where l.workspace_id = ${workspaceId} and l.id = r.id
  `.execute(db);
}

/** Deletes the routes of addresses that links have left. */
export async function freeAddresses(
  db: Db,
  workspaceId: string,
  addresses: readonly { domain: string; slug: string }[],
): Promise<void> {
  if (addresses.length === 0) return;
  await sql`
    delete from link_routes r
    using unnest(
      ${addresses.map(({ domain }) => domain)}::text[], ${addresses.map(({ slug }) => slug)}::text[]
    ) a (domain, slug)
    where r.domain = a.domain and r.slug = a.slug and r.workspace_id = ${workspaceId}
  `.execute(db);
}

/**
 * Sets or removes (`max: null`) the maximum number of redirects of links. A link's first budget starts at its current
 * clicks.
 * @returns for links with a maximum, the redirects used so far
 */
export async function setBudgets(
  db: Db,
  workspaceId: string,
  budgets: readonly { linkId: string; max: number | null; clicks: number }[],
): Promise<Map<string, number>> {
  const [none, some] = [budgets.filter(({ max }) => max === null), budgets.filter(({ max }) => max !== null)];
  if (none.length)
    await sql`
      delete from link_budgets
      where workspace_id = ${workspaceId} and link_id = any(${none.map(({ linkId }) => linkId)}::uuid[])
    `.execute(db);
  if (!some.length) return new Map();
  const { rows } = await sql<{ link_id: string; used: number }>`
    insert into link_budgets (workspace_id, link_id, max, used)
    select ${workspaceId}, i, m, u from unnest(
      ${some.map(({ linkId }) => linkId)}::uuid[], ${some.map(({ max }) => max)}::int[],
      ${some.map(({ clicks }) => clicks)}::int[]
    ) n (i, m, u) order by i
    on conflict (workspace_id, link_id) do update set max = excluded.max
    returning link_id, used
  `.execute(db);
  return new Map(rows.map(({ link_id: id, used }) => [id, used]));
}

/** Deletes links and the rows that belong to them. Their click data is deleted by a job. */
export async function deleteLinks(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const own = sql`workspace_id = ${workspaceId} and link_id = any(${ids}::uuid[])`;
  await sql`
    with routes as (delete from link_routes where ${own}),
    counters as (delete from link_counters where ${own}),
    budgets as (delete from link_budgets where ${own}),
    tags as (delete from link_tags where ${own})
    delete from links where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])
  `.execute(db);
}
