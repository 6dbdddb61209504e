/** A million links of one workspace, laid into the database: what lists of links are measured on. */
import type pg from 'pg';
import { publicId } from '../../src/core/vocabulary/ids.ts';
import { newUuid } from '../../src/platform/http/ids.ts';

export interface Laid {
  /** Filters of the list, and how many links fit each at least. */
  filters: Record<string, { query: string; fits: number }>;
}

const AT_ONCE = 50_000;

/** @param creators public ids: of nearly all links, and of a few */
export async function layLinks(
  pool: pg.Pool,
  workspaceId: string,
  count: number,
  [creator, rareCreator]: [string, string],
  report: (line: string) => void,
): Promise<Laid> {
  const [common, rare, contact, message] = [newUuid(), newUuid(), newUuid(), newUuid()];
  await pool.query(
    `insert into tags (workspace_id, id, name, color, created_at, updated_at)
     values ($1, $2, 'common', 'gray', now(), now()), ($1, $3, 'rare', 'gray', now(), now())`,
    [workspaceId, common, rare],
  );
  for (let from = 0; from < count; from += AT_ONCE) {
    const to = Math.min(count, from + AT_ONCE) - 1;
    await pool.query(
      `insert into links (workspace_id, id, domain, slug, url, title, archived_at, expires_at, max_clicks, password_hash,
         external_id, words, fingerprint, message_id, contact_id, created_by, created_at, updated_at)
       select $1::uuid, (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n % 10 = 0 then 'go.example.com' else '' end, 's' || n, 'https://example.com/page/' || n,
         'Link ' || n, case when n % 100 = 1 then now() end,
         case when n % 100 = 2 then now() - interval '1 day' when n % 10 = 3 then now() + interval '1 year' end,
         case when n % 100 = 4 then 10 end, case when n % 200 = 5 then 'x' end, 'ext-' || n,
         array_to_tsvector(array(
           select right($1::text, 8) || '_' || word
           from unnest(array['s' || n, 'https', 'example', 'com', 'page', 'link', n::text, 'ext', 'word' || n % 5000]) word
         )),
         decode(lpad(to_hex(n), 64, '0'), 'hex'), case when n % 20000 = 7 then $4::uuid end,
         case when n % 10000 = 8 then $5::uuid end, case when n % 5000 = 9 then $7 else $6 end,
         to_timestamp((1700000000000 + n) / 1000.0), to_timestamp((1700000000000 + n) / 1000.0)
       from generate_series($2::bigint, $3::bigint) n`,
      [workspaceId, from, to, message, contact, creator, rareCreator],
    );
    await pool.query(
      `with own as (
         select n, (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid as id
         from generate_series($2::bigint, $3::bigint) n
       ), routes as (
         insert into link_routes (domain, slug, workspace_id, link_id, route)
         select case when n % 10 = 0 then 'go.example.com' else '' end, 's' || n, $1, id, '{}' from own
       ), counters as (
         insert into link_counters (workspace_id, link_id, clicks, last_clicked_at)
         select $1, id, (1000000 / (1 + (n * 7919) % 999983))::bigint,
           case when n % 3 = 0 then now() - ((n * 7919) % 999983) * interval '1 second' end from own
       ), budgets as (
         insert into link_budgets (workspace_id, link_id, max, used)
         select $1, id, 10, case when n % 1000 = 4 then 10 else 0 end from own where n % 100 = 4
       )
       insert into link_tags (workspace_id, tag_id, link_id)
       select $1, $4::uuid, id from own where n % 2 = 0
       union all select $1, $5::uuid, id from own where n % 20000 = 11`,
      [workspaceId, from, to, common, rare],
    );
    if ((to + 1) % 200_000 === 0) report(`link-lists: ${to + 1} links`);
  }
  await pool.query('vacuum analyze links');
  await pool.query('vacuum analyze link_counters');
  await pool.query('vacuum analyze link_tags');
  await pool.query('vacuum analyze link_budgets');
  const page = 50;
  const few = Math.floor(count / 20_000);
  return {
    filters: {
      none: { query: '', fits: page },
      domain: { query: 'domain=go.example.com', fits: page },
      'tag that half of them have': { query: 'tag=common', fits: page },
      'tag that few have': { query: 'tag=rare', fits: Math.min(page, few) },
      'any of two tags': { query: 'tag=common,rare', fits: page },
      'state active': { query: 'state=active', fits: page },
      'state archived': { query: 'state=archived', fits: page },
      'state expired': { query: 'state=expired', fits: page },
      'state exhausted': { query: 'state=exhausted', fits: Math.min(page, count / 1_000) },
      'search, a word of all': { query: 'search=example', fits: page },
      'search, a word of few': { query: 'search=word4711', fits: Math.min(page, count / 5_000) },
      'search, a beginning': { query: 'search=link%20word47', fits: page },
      'search, none': { query: 'search=nowhere', fits: 0 },
      external_id: { query: 'external_id=ext-4711', fits: 1 },
      contact_id: {
        query: `contact_id=${publicId('contact', contact)}`,
        fits: Math.min(page, count / 10_000),
      },
      message_id: { query: `message_id=${publicId('message', message)}`, fits: Math.min(page, few) },
      'created_by, of nearly all': { query: `created_by=${creator}`, fits: page },
      'created_by, of few': { query: `created_by=${rareCreator}`, fits: Math.min(page, count / 5_000) },
      'has_password true': { query: 'has_password=true', fits: page },
      'has_password false': { query: 'has_password=false', fits: page },
      created_before: { query: 'created_before=2023-11-14T22:20:00Z', fits: page },
    },
  };
}
