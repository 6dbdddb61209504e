/** A route as it is kept in memory: with what every visit of it would otherwise work out again. */
import type { ClickIds } from '../clicks/click-record.ts';
import { clickIds } from '../clicks/click-codec.ts';
import { queryOf, utmOf } from './query.ts';
import type { Route } from './route.ts';
import type { HostRow, RouteRow } from './route.system-store.ts';

/** Where a visit may be sent. */
export interface Target {
  /** As the header Location has it: ASCII alone. */
  location: string;
  /** Its own parameters, in the order of UTM_PARAMETERS. */
  utm: (string | null)[];
}

export interface Entry {
  /** '' is the default one. */
  domain: string;
  workspaceId: string;
  linkId: string;
  ids: ClickIds;
  keepsAddresses: boolean;
  route: Route;
  main: Target;
  /** One for each rule. */
  targeted: Target[];
  /** Infinity: never. */
  expiresAt: number;
  /** Nothing but a click and a redirect, whoever comes: no rule, card, password, limit, or query to forward. */
  isPlain: boolean;
  /** Seen by whoever asked the database. A change of `max_clicks` brings another entry. */
  isExhausted: boolean;
  /** Bytes, roughly. */
  weight: number;
}

/** A verified host. */
export interface HostEntry {
  host: string;
  workspaceId: string;
  domainId: string;
  notFoundUrl: string | null;
  rootUrl: string | null;
}

/** What the objects around a route take. */
const OVERHEAD = 600;

/** An address as a header can have it. */
function locationOf(url: string): string {
  if (/^[\x21-\x7e]+$/.test(url)) return url;
  return URL.canParse(url) ? new URL(url).href : encodeURI(url.toWellFormed());
}

const targetOf = (url: string): Target => ({ location: locationOf(url), utm: utmOf(queryOf(url)) });

export function entryOf(row: RouteRow): Entry {
  const { route } = row;
  return {
    domain: row.domain,
    workspaceId: row.workspace_id,
    linkId: row.link_id,
    ids: clickIds(row.workspace_id, row.link_id),
    keepsAddresses: row.click_addresses,
    route,
    main: targetOf(route.url),
    targeted: route.targeting.map(({ url }) => targetOf(url)),
    expiresAt: route.expiresAt ?? Infinity,
    isPlain:
      !route.archived &&
      route.maxClicks === null &&
      route.passwordHash === null &&
      route.targeting.length === 0 &&
      !route.forwardQuery &&
      route.card === null,
    isExhausted: false,
    weight: OVERHEAD + 2 * JSON.stringify(route).length,
  };
}

export const hostEntryOf = (row: HostRow): HostEntry => ({
  host: row.host,
  workspaceId: row.workspace_id,
  domainId: row.domain_id,
  notFoundUrl: row.not_found_url === null ? null : locationOf(row.not_found_url),
  rootUrl: row.root_url === null ? null : locationOf(row.root_url),
});
