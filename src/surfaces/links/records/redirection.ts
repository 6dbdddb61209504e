/** How a link redirects: its status, and the rules that send some visitors to another URL. */
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
