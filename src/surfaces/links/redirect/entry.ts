/** A cached route, with everything precomputed that each visit needs. */
import type { ClickIds } from '../clicks/click-record.ts';
import { clickIds } from '../clicks/click-codec.ts';
import { getQuery, parseUtm } from './query.ts';
import type { Route } from './route.ts';
import type { HostRow, RouteRow } from './route.system-store.ts';

/** A possible destination of a visit. */
export interface Target {
  /** ASCII, as the Location header requires. */
  location: string;
  /** UTM parameters of the location, in the order of UTM_PARAMETERS. */
  utm: (string | null)[];
  /** The URL that clicks record, if the link has several. */
  destinationUrl: string | null;
}

export interface RouteEntry {
  /** '' is the default domain. */
  domain: string;
  workspaceId: string;
  linkId: string;
  ids: ClickIds;
  keepsAddresses: boolean;
  route: Route;
  main: Target;
  /** One per targeting rule. */
  targeted: Target[];
  /** Infinity for never. */
  expiresAt: number;
  /** Whether every visit is just a click and a redirect: no rule, card, password, limit or query to forward. */
  isPlain: boolean;
  /** Set when the database reports exhaustion. A change of `max_clicks` creates a new entry. */
  isExhausted: boolean;
  /** Approximate bytes. */
  weight: number;
}

/** A cached verified domain. */
export interface HostEntry {
  host: string;
  workspaceId: string;
  domainId: string;
  notFoundUrl: string | null;
  rootUrl: string | null;
}

/** Approximate bytes of the objects around a route. */
const OVERHEAD = 600;

/** Encodes a URL for a header. */
function toLocation(url: string): string {
  if (/^[\x21-\x7e]+$/.test(url)) return url;
  return URL.canParse(url) ? new URL(url).href : encodeURI(url.toWellFormed());
}

const toTarget = (url: string, isOneOfSeveral: boolean): Target => ({
  location: toLocation(url),
  utm: parseUtm(getQuery(url)),
  destinationUrl: isOneOfSeveral ? url : null,
});

export function toRouteEntry(row: RouteRow): RouteEntry {
  const { route } = row;
  return {
    domain: row.domain,
    workspaceId: row.workspace_id,
    linkId: row.link_id,
    ids: clickIds(row.workspace_id, row.link_id),
    keepsAddresses: row.click_addresses,
    route,
    main: toTarget(route.url, route.targeting.length > 0),
    targeted: route.targeting.map(({ url }) => toTarget(url, true)),
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

export const toHostEntry = (row: HostRow): HostEntry => ({
  host: row.host,
  workspaceId: row.workspace_id,
  domainId: row.domain_id,
  notFoundUrl: row.not_found_url === null ? null : toLocation(row.not_found_url),
  rootUrl: row.root_url === null ? null : toLocation(row.root_url),
});
