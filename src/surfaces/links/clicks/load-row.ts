/**
 * Converts a click from the journal to its database row. Values that visitors control (user agents, referrers, UTM
 * parameters) are truncated and sanitized here, so that no click can fail a batch or grow a row without limit.
 */
import { v7 } from 'uuid';
import { storableText } from '../../../platform/db/storable-text.ts';
import { classify } from '../visitor/user-agent.ts';
import type { ClickRow } from './click-present.ts';
import { type ClickRecord, MAX_DESTINATION } from './click-record.ts';
import { MAX_CHARACTERS } from './scopes.ts';

export interface LoadedClick extends ClickRow {
  workspace_id: string;
  visitor: bigint;
  /** Milliseconds since 1970. */
  at: number;
}

/** Separates values in the loader's statements (load.system-store.ts); values must not contain it. */
export const SEPARATOR = '\u001f';
// oxlint-disable-next-line no-control-regex -- matches the control characters to remove
const UNUSUAL = /[\0\u001f\ud800-\udfff]/;

/** Truncates and sanitizes a text. Returns null for an empty one. */
function clean(text: string | null, max = MAX_CHARACTERS): string | null {
  if (text === null || text === '') return null;
  const short = text.length > max ? text.slice(0, max) : text;
  // Truncation may split a surrogate pair.
  return UNUSUAL.test(short) ? storableText(short).replaceAll(SEPARATOR, ' ') : short;
}

/** Builds the row of a click. Its ID is a new UUIDv7 with the time of the click. */
export function loadedClick(click: ClickRecord): LoadedClick {
  const { device, os, browser } = classify(click.userAgent);
  const [source, medium, campaign, term, content] = click.utm;
  return {
    id: v7({ msecs: click.at }),
    workspace_id: click.workspaceId,
    link_id: click.linkId,
    at: click.at,
    country: clean(click.country),
    city: clean(click.city),
    device: click.userAgent === '' ? null : device,
    os,
    browser,
    referrer: clean(click.referrer),
    language: clean(click.language),
    utm_source: clean(source ?? null),
    utm_medium: clean(medium ?? null),
    utm_campaign: clean(campaign ?? null),
    utm_term: clean(term ?? null),
    utm_content: clean(content ?? null),
    bot: click.isBot,
    visitor: click.visitor,
    address: clean(click.address),
    destination_url: clean(click.destinationUrl, MAX_DESTINATION),
  };
}
