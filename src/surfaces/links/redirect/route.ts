/**
 * The part of a link that a redirect needs: the value of `link_routes.route`, written with the link and cached in
 * memory. It lacks what only the console shows, but suffices to serve a visit without a query unless `maxClicks` is
 * set.
 */
export const DEVICES = ['mobile', 'tablet', 'desktop'] as const;
export const OPERATING_SYSTEMS = ['ios', 'android', 'windows', 'macos', 'linux', 'chromeos'] as const;
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

export type Device = (typeof DEVICES)[number];
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** All conditions must match. A condition matches if any of its values does. */
export interface TargetingRule {
  when: {
    /** ISO 3166-1 alpha-2, upper case. */
    country?: string[];
    device?: Device[];
    os?: OperatingSystem[];
    /** Primary language subtags, lower case. */
    language?: string[];
  };
  /** Includes the link's UTM parameters. */
  url: string;
}

export interface Route {
  /** Destination URL, including the UTM parameters. */
  url: string;
  status: RedirectStatus;
  archived: boolean;
  /** Milliseconds since 1970; null for never. */
  expiresAt: number | null;
  /** Destination of visitors once the link is expired or exhausted. */
  expiredUrl: string | null;
  maxClicks: number | null;
  passwordHash: string | null;
  /** The first matching rule wins. */
  targeting: TargetingRule[];
  /** Whether query parameters of the visit that the destination lacks are added to it. */
  forwardQuery: boolean;
  /** Link preview; null if nothing is set. */
  card: { title: string | null; description: string | null; image: string | null } | null;
}
