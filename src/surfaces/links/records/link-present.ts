/** Converts a link to its API representation. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { getTexts } from './link-fields.schema.ts';
import { toFullUtm, type Utm } from './link-values.ts';
import type { LinkObject, LinkState } from './link.schema.ts';
import type { LinkRow } from './link.store.ts';

function getState(
  row: Pick<LinkRow, 'archived_at' | 'expires_at' | 'max_clicks' | 'used'>,
  now: Date,
): LinkState {
  if (row.archived_at !== null) return 'archived';
  if (row.expires_at !== null && row.expires_at <= now) return 'expired';
  return row.max_clicks !== null && row.used >= row.max_clicks ? 'exhausted' : 'active';
}

/** Returns the domain as the API shows it: the host of BASE_URL for the default domain. */
const shownDomain = (baseUrl: string, domain: string): string =>
  domain === '' ? new URL(baseUrl).host : domain;

/** Builds the short URL. Workspace domains are served by the same server, hence with the same scheme and port. */
export function buildShortUrl(baseUrl: string, domain: string, slug: string): string {
  const { protocol, port } = new URL(baseUrl);
  const origin = domain === '' ? baseUrl : `${protocol}//${domain}${port === '' ? '' : `:${port}`}`;
  return `${origin}/${encodeURIComponent(slug)}`;
}

export function presentLink(row: LinkRow, baseUrl: string, now: Date): LinkObject {
  return {
    id: publicId('link', row.id),
    object: 'link',
    domain: shownDomain(baseUrl, row.domain),
    slug: row.slug,
    url: row.url,
    short_url: buildShortUrl(baseUrl, row.domain, row.slug),
    ...getTexts(row),
    image: row.image,
    tags: row.tags,
    state: getState(row, now),
    expires_at: row.expires_at?.toISOString() ?? null,
    expired_url: row.expired_url,
    max_clicks: row.max_clicks,
    has_password: row.password_hash !== null,
    targeting: row.targeting as unknown as LinkObject['targeting'],
    utm: toFullUtm(row.utm as Partial<Utm>),
    forward_query: row.forward_query,
    redirect_status: row.redirect_status as LinkObject['redirect_status'],
    clicks: row.clicks,
    unique_clicks: row.unique_clicks,
    bot_clicks: row.bot_clicks,
    last_clicked_at: row.last_clicked_at?.toISOString() ?? null,
    external_id: row.external_id,
    message_id: row.message_id === null ? null : publicId('message', row.message_id),
    contact_id: row.contact_id === null ? null : publicId('contact', row.contact_id),
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
