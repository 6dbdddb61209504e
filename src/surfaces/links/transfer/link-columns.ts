/**
 * Columns of link files, and their names in exports of other products: Dub, Shlink, Kutt, Bitly, YOURLS. Clicks are not
 * imported.
 */
import type { ColumnRules } from '../../../core/transfer/import-file.ts';
import { mapTexts } from '../records/link-fields.schema.ts';

/** Column → its other names, in lower case. */
const NAMES: Record<string, string[]> = {
  url: [
    'long url',
    'long_url',
    'longurl',
    'destination url',
    'destination',
    'target url',
    'target_url',
    'target',
    'original url',
    'original_url',
  ],
  short_url: [
    'short url',
    'shorturl',
    'short link',
    'short_link',
    'shortlink',
    'bitlink',
    'link',
    'custom bitlink',
  ],
  domain: [],
  slug: [
    'keyword',
    'key',
    'short code',
    'short_code',
    'shortcode',
    'back-half',
    'custom slug',
    'custom_slug',
    'customslug',
    'alias',
    'address',
  ],
  ...mapTexts(() => []),
  title: ['name'],
  image: [],
  tags: ['tag', 'labels'],
  state: [],
  // A link that was banned elsewhere must not redirect here.
  archived: ['banned'],
  expires_at: ['expires at', 'expiresat', 'valid until', 'validuntil', 'expire_in'],
  expired_url: ['expired url', 'expiredurl'],
  max_clicks: ['max visits', 'maxvisits', 'max_visits', 'max clicks'],
  has_password: ['password', 'password protected'],
  targeting: [],
  utm_source: ['utm source'],
  utm_medium: ['utm medium'],
  utm_campaign: ['utm campaign'],
  utm_term: ['utm term'],
  utm_content: ['utm content'],
  forward_query: ['forward query', 'forwardquery'],
  redirect_status: [],
  external_id: ['external id', 'externalid'],
  metadata: [],
};

const IGNORED = [
  'id',
  'clicks',
  'unique_clicks',
  'bot_clicks',
  'last_clicked_at',
  'message_id',
  'contact_id',
  'created_at',
  'created at',
  'createdat',
  'created',
  'created date',
  'date created',
  'updated at',
  'updated_at',
  'timestamp',
  'ip',
  'visits',
  'visit_count',
  'total clicks',
  'total_clicks',
  'datecreated',
  'visits count',
  'visitscount',
  'link id',
  'leads',
  'conversions',
  'sales',
  'revenue',
];

export const LINK_COLUMNS: ColumnRules = {
  known: new Map(
    Object.entries(NAMES).flatMap(([column, names]) => [column, ...names].map((name) => [name, column])),
  ),
  passedOver: new Set(IGNORED),
  required: { column: 'url', description: 'url (or its name in the other product)' },
};
