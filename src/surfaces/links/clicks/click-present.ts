/** Converts a click's row to its representation in the API and in events. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import type { ClickObject } from './click.schema.ts';

/** Columns of `clicks`. IDs are database IDs. */
export interface ClickRow {
  id: string;
  link_id: string;
  country: string | null;
  city: string | null;
  device: string | null;
  os: string | null;
  browser: string | null;
  referrer: string | null;
  language: string | null;
  utm_source: string | null;
  utm_medium: string | null;
  utm_campaign: string | null;
  utm_term: string | null;
  utm_content: string | null;
  bot: boolean;
  /** A signed 64-bit number, as text or bigint: a JavaScript number would lose bits. */
  visitor: string | bigint;
  address: string | null;
  destination_url: string | null;
}

/** Converts a click. @param madeFor message and contact that its link was created for */
export function presentClick(
  row: ClickRow,
  madeFor: { message_id: string | null; contact_id: string | null },
): ClickObject {
  return {
    id: publicId('click', row.id),
    object: 'click',
    link_id: publicId('link', row.link_id),
    bot: row.bot,
    country: row.country,
    city: row.city,
    device: row.device,
    os: row.os,
    browser: row.browser,
    referrer: row.referrer,
    language: row.language,
    utm: {
      source: row.utm_source,
      medium: row.utm_medium,
      campaign: row.utm_campaign,
      term: row.utm_term,
      content: row.utm_content,
    },
    visitor: BigInt.asUintN(64, BigInt(row.visitor)).toString(16).padStart(16, '0'),
    address: row.address,
    destination_url: row.destination_url,
    message_id: madeFor.message_id && publicId('message', madeFor.message_id),
    contact_id: madeFor.contact_id && publicId('contact', madeFor.contact_id),
    created_at: timeOfUuid(row.id).toISOString(),
  };
}
