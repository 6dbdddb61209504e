/**
 * Allows writes only from our own pages. Browsers name the origin of a call in Origin or Sec-Fetch-Site; other programs
 * send neither, and then must not send a cookie.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Config, isLoopbackHost } from '../../../platform/config/config.ts';
import { Problem } from '../../../platform/http/problem.ts';

/** The origin that our pages have for this request; null when its Host can't be ours. */
function ownOrigin(config: Config, host: string | undefined): string | null {
  if (config.baseUrlIsSet) return config.baseUrl;
  const address = `http://${host ?? ''}`;
  if (!URL.canParse(address)) return null;
  const { origin, hostname } = new URL(address);
  return isLoopbackHost(hostname) ? origin : null;
}

/** @throws Problem origin_not_allowed */
export function requireOwnOrigin(config: Config, headers: IncomingHttpHeaders): void {
  const { origin, cookie, host } = headers;
  const site = headers['sec-fetch-site'];
  const own = ownOrigin(config, host);
  if (
    origin !== undefined ? origin === own : site !== undefined ? site === 'same-origin' : cookie === undefined
  )
    return;
  throw new Problem(
    'origin_not_allowed',
    `Requests that change data must come from ${own ?? config.baseUrl}.`,
  );
}
