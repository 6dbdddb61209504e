/**
 * Statements of the transaction that loads clicks, across workspaces. Each column is sent as one text joined by
 * SEPARATOR: the driver's arrays cost several times as much CPU in the process that serves redirects.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { type LoadedClick, SEPARATOR } from './load-row.ts';

export interface ClickedLink {
  workspace_id: string;
  id: string;
  /** Null if the link is on the default domain. */
  domain_id: string | null;
  /** Whether the link is on a domain that the workspace has deleted. */
  domain_is_gone: boolean;
  message_id: string | null;
  contact_id: string | null;
}

const uuids = (ids: readonly string[]): RawBuilder<string[]> =>
  sql<string[]>`string_to_array(${ids.join(',')}, ',')::uuid[]`;

/** Finds the links that exist. Call after `lockJournal`; see `waitForLoader`. */
export async function findLinks(
  tx: Tx,
  links: readonly { workspace_id: string; link_id: string }[],
): Promise<ClickedLink[]> {
  // Returned as one text: as rows of the driver they cost several times as much.
  const { rows } = await sql<{ all: string | null }>`
    select string_agg(concat(
      l.workspace_id, ',', l.id, ',', d.id, ',', l.domain <> '' and d.id is null, ',', l.message_id, ',', l.contact_id
    ), ' ') as all
    from unnest(${uuids(links.map((link) => link.workspace_id))}, ${uuids(links.map((link) => link.link_id))})
      k (workspace_id, id)
    join links l using (workspace_id, id)
    left join domains d on d.workspace_id = l.workspace_id and d.host = l.domain
    where not exists (select from workspaces w where w.id = l.workspace_id and w.deleted_at is not null)
  `.execute(tx);
  const all = rows[0]!.all;
  return (all === null ? [] : all.split(' ')).map((text) => {
    const [workspace_id, id, domain, isGone, message, contact] = text.split(',') as [
      string,
      string,
      ...string[],
    ];
    return {
      workspace_id,
      id,
      domain_id: domain || null,
      domain_is_gone: isGone === 't',
      message_id: message || null,
      contact_id: contact || null,
    };
  });
}

const TEXT_COLUMNS = [
  'country',
  'city',
  'device',
  'os',
  'browser',
  'referrer',
  'language',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'address',
  'destination_url',
] as const;

/** Encodes a column of texts. Empty texts become null. */
const texts = (values: readonly (string | null)[]): RawBuilder<string[]> =>
  sql`string_to_array(${values.join(SEPARATOR)}, ${SEPARATOR}, '')`;

export async function insertClicks(tx: Tx, clicks: readonly LoadedClick[]): Promise<void> {
  if (!clicks.length) return;
  const columns = TEXT_COLUMNS.map((name) => texts(clicks.map((click) => click[name])));
  const names = sql.raw(TEXT_COLUMNS.join(', '));
  await sql`
    insert into clicks (workspace_id, link_id, id, bot, visitor, ${names})
    select * from unnest(
      ${uuids(clicks.map((click) => click.workspace_id))}, ${uuids(clicks.map((click) => click.link_id))},
      ${uuids(clicks.map((click) => click.id))},
      string_to_array(${clicks.map(({ bot }) => (bot ? 't' : 'f')).join(',')}, ',')::boolean[],
      string_to_array(${clicks.map(({ visitor }) => visitor).join(',')}, ',')::bigint[],
      ${sql.join(columns)}
    )
  `.execute(tx);
}

export interface LinkSums {
  workspace_id: string;
  link_id: string;
  clicks: number;
  uniques: number;
  bots: number;
  /** Milliseconds since 1970; null if there were only bots. */
  lastClickedAt: number | null;
}

/**
 * Adds to the counters of existing links, in key order: plans are forced to process the input row by row. Locking all
 * rows beforehand would cost half as much again, and a rare deadlock is retried.
 */
export async function addToCounters(tx: Tx, links: readonly LinkSums[]): Promise<void> {
  if (!links.length) return;
  const numbers = (name: 'clicks' | 'uniques' | 'bots') =>
    sql`string_to_array(${links.map((link) => link[name]).join(',')}, ',')::bigint[]`;
  const last = links.map(({ lastClickedAt: at }) => (at === null ? '' : new Date(at).toISOString()));
  await sql`
    update link_counters c set
      clicks = c.clicks + l.clicks, unique_clicks = c.unique_clicks + l.uniques, bot_clicks = c.bot_clicks + l.bots,
      last_clicked_at = greatest(c.last_clicked_at, l.last)
    from (
      select * from unnest(
        ${uuids(links.map((link) => link.workspace_id))}, ${uuids(links.map((link) => link.link_id))},
        ${numbers('clicks')}, ${numbers('uniques')}, ${numbers('bots')},
        string_to_array(${last.join(',')}, ',', '')::timestamptz[]
      ) k (workspace_id, link_id, clicks, uniques, bots, last)
      order by workspace_id, link_id
    ) l
    where c.workspace_id = l.workspace_id and c.link_id = l.link_id
  `.execute(tx);
}
