/**
 * What a redirect needs of a link: the value of `link_routes.route`, written with the link and kept in the memory of
 * whoever redirects. Short of what the console shows; long enough that no visit asks the database, but where
 * `maxClicks` is set.
 */
export const DEVICES = ['mobile', 'tablet', 'desktop'] as const;
export const OPERATING_SYSTEMS = ['ios', 'android', 'windows', 'macos', 'linux', 'chromeos'] as const;
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

export type Device = (typeof DEVICES)[number];
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

/** All conditions that are there must hold; of each, one value must. */
export interface TargetingRule {
  when: {
    /** ISO 3166-1 alpha-2, upper case. */
    country?: string[];
    device?: Device[];
    os?: OperatingSystem[];
    /** Primary language subtags, lower case. */
    language?: string[];
  };
  /** With the UTM parameters of the link in it. */
  url: string;
}

export interface Route {
  /** With the UTM parameters in it: what a visitor is sent to. */
  url: string;
  status: RedirectStatus;
  archived: boolean;
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** Where visitors of an expired or exhausted link go. */
  expiredUrl: string | null;
  maxClicks: number | null;
  passwordHash: string | null;
  /** The first rule that fits decides. */
  targeting: TargetingRule[];
  /** Whether parameters of the visit that the target lacks are added to it. */
  forwardQuery: boolean;
  /** What preview bots are shown, where any is there. */
  card: { title: string | null; description: string | null; image: string | null } | null;
}
