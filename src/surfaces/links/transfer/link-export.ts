/** Exports links as CSV, page by page, in the format that the import accepts. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { csvHead, csvLines } from '../../../core/api/csv.ts';
import type { List } from '../../../platform/http/pagination.ts';
import { TEXT_NAMES, UTM_NAMES } from '../records/link-fields.schema.ts';
import type { LinkObject } from '../records/link.schema.ts';

const COLUMNS = [
  'id',
  'domain',
  'slug',
  'short_url',
  'url',
  ...TEXT_NAMES,
  'image',
  'tags',
  'state',
  'expires_at',
  'expired_url',
  'max_clicks',
  'has_password',
  'targeting',
  ...UTM_NAMES.map((name) => `utm_${name}`),
  'forward_query',
  'redirect_status',
  'clicks',
  'unique_clicks',
  'bot_clicks',
  'last_clicked_at',
  'external_id',
  'message_id',
  'contact_id',
  'metadata',
  'created_at',
];
const PAGE = 100;

const toLine = (link: LinkObject): (string | number | boolean | null)[] => [
  link.id,
  link.domain,
  link.slug,
  link.short_url,
  link.url,
  ...TEXT_NAMES.map((name) => link[name]),
  link.image,
  link.tags.join(','),
  link.state,
  link.expires_at,
  link.expired_url,
  link.max_clicks,
  link.has_password,
  link.targeting.length ? JSON.stringify(link.targeting) : null,
  ...UTM_NAMES.map((name) => link.utm[name]),
  link.forward_query,
  link.redirect_status,
  link.clicks,
  link.unique_clicks,
  link.bot_clicks,
  link.last_clicked_at,
  link.external_id,
  link.message_id,
  link.contact_id,
  Object.keys(link.metadata).length ? JSON.stringify(link.metadata) : null,
  link.created_at,
];

/** Yields all matching links as CSV, newest first. @param list reads one page */
export async function* linkPages(
  unit: ReadUnit,
  list: (unit: ReadUnit, page: { limit: number; cursor?: string }) => Promise<List<LinkObject>>,
): AsyncGenerator<string> {
  yield csvHead(COLUMNS);
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: List<LinkObject> = await list(unit, { limit: PAGE, ...(cursor ? { cursor } : {}) });
    if (page.data.length) yield csvLines(page.data.map(toLine));
    cursor = page.next_cursor;
  }
}
