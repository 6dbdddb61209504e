/** Host separation: only BASE_URL's host serves console, API and docs. */
import { type Config, isLoopbackHost } from '../config/config.ts';

/** The name of a Host header, without its port; `[::1]` keeps its brackets. */
export const hostName = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** Returns the check whether a Host header is served. While BASE_URL is unset, any loopback name is. */
export function isServedHost(config: Config): (host: string) => boolean {
  if (!config.baseUrlIsSet) return rememberingLast((host) => isLoopbackHost(hostName(host)));
  const { host, hostname } = new URL(config.baseUrl);
  return rememberingLast((given) => given.toLowerCase() === host || hostName(given) === hostname);
}

/** Nearly all requests come by one name: its answer is kept. */
function rememberingLast(test: (host: string) => boolean): (host: string) => boolean {
  let last = '';
  return (host) => {
    if (host === last) return true;
    if (!test(host)) return false;
    last = host;
    return true;
  };
}
