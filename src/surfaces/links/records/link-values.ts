/** Values of a link that callers can set, in the form in which the row stores them. */
import type { RedirectStatus, TargetingRule } from './redirection.ts';
import { getTexts, mapTexts, type Texts, UTM_NAMES } from './link-fields.schema.ts';
import type { LinkObject } from './link.schema.ts';
import type { LinkRow } from './link.store.ts';

export type Utm = LinkObject['utm'];

export interface LinkValues extends Texts {
  /** '' is the default domain. */
  domain: string;
  slug: string;
  url: string;
  image: string | null;
  archived_at: Date | null;
  expires_at: Date | null;
  expired_url: string | null;
  max_clicks: number | null;
  password_hash: string | null;
  /** URLs are stored without the link's UTM parameters. */
  targeting: TargetingRule[];
  /** Only parameters that are set. */
  utm: Partial<Utm>;
  forward_query: boolean;
  redirect_status: RedirectStatus;
  external_id: string | null;
  metadata: Record<string, string>;
  /** Tag names. */
  tags: string[];
}

/** Defaults of a new link. An empty slug is generated on creation. */
export const NEW_LINK: Omit<LinkValues, 'url'> = {
  domain: '',
  slug: '',
  ...mapTexts(() => null),
  image: null,
  archived_at: null,
  expires_at: null,
  expired_url: null,
  max_clicks: null,
  password_hash: null,
  targeting: [],
  utm: {},
  forward_query: false,
  redirect_status: 302,
  external_id: null,
  metadata: {},
  tags: [],
};

export const toLinkValues = (row: LinkRow): LinkValues => ({
  domain: row.domain,
  slug: row.slug,
  url: row.url,
  ...getTexts(row),
  image: row.image,
  archived_at: row.archived_at,
  expires_at: row.expires_at,
  expired_url: row.expired_url,
  max_clicks: row.max_clicks,
  password_hash: row.password_hash,
  targeting: row.targeting as unknown as TargetingRule[],
  utm: row.utm as Partial<Utm>,
  forward_query: row.forward_query,
  redirect_status: row.redirect_status as RedirectStatus,
  external_id: row.external_id,
  metadata: row.metadata as Record<string, string>,
  tags: row.tags,
});

export const toFullUtm = (utm: Partial<Utm>): Utm =>
  Object.fromEntries(UTM_NAMES.map((name) => [name, utm[name] ?? null])) as Utm;
