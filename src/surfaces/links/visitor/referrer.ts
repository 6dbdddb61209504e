/** Where a visitor came from: the host alone, as paths and queries may hold what is nobody's business. */

/** The longest name that DNS allows. */
const LONGEST = 253;
const HOST =
  /^(?:https?|android-app):\/\/(?:[^/?#@\\]*@)?([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])\.?(?::\d*)?(?:[/?#\\]|$)/i;

/**
 * @param header Referer
 * @param isOwn whether a host is one of ours; what comes from there counts as direct
 * @returns the host in lower case, without its port; null where there is none that can be used
 */
export function referrerOf(header: string | undefined, isOwn: (host: string) => boolean): string | null {
  if (!header) return null;
  const found = HOST.exec(header.length > 1_024 ? header.slice(0, 1_024) : header);
  if (!found || found[1]!.length > LONGEST) return null;
  const host = found[1]!.toLowerCase();
  return isOwn(host) ? null : host;
}
