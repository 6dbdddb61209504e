/**
 * From a click as the journal has it to what the database keeps of it. What visitors may choose (agents, referrers,
 * UTM parameters) is cut and made storable here, so that no click can make a batch fail or a row grow without end.
 */
import { v7 } from 'uuid';
import { storableText } from '../../../platform/db/storable-text.ts';
import { classify } from '../visitor/user-agent.ts';
import type { ClickRow } from './click-present.ts';
import type { ClickRecord } from './click-record.ts';
import { MAX_CHARACTERS } from './scopes.ts';

export interface LoadedClick extends ClickRow {
  workspace_id: string;
  visitor: bigint;
  /** Milliseconds since 1970. */
  at: number;
}

/** Separates values on their way into the database (load.system-store.ts), so none may hold it. */
export const SEPARATOR = '\u001f';
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNUSUAL = /[\0\u001f\ud800-\udfff]/;

/** Null for what is empty. */
function clean(text: string | null): string | null {
  if (text === null || text === '') return null;
  const short = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
  // A cut may leave half a character.
  return UNUSUAL.test(short) ? storableText(short).replaceAll(SEPARATOR, ' ') : short;
}

/** Its id is a fresh UUIDv7 of the time of the click. */
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
  };
}
