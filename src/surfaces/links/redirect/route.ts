/**
 * The part of a link that a redirect needs: the value of `link_routes.route`, written with the link and cached in
 * memory. It lacks the fields that only the console shows, but suffices to serve a visit without a query unless
 * `maxClicks` is set.
 */
import type { RedirectStatus, TargetingRule } from '../records/redirection.ts';

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
