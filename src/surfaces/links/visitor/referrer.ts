/** Extracts the referring host. Only the host is stored, because paths and queries may contain private data. */

/** Maximum length of a DNS name. */
const MAX_LENGTH = 253;
const HOST =
  /^(?:https?|android-app):\/\/(?:[^/?#@\\]*@)?([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])\.?(?::\d*)?(?:[/?#\\]|$)/i;

/**
 * Returns the host of a Referer header.
 * @param header Referer
 * @param isOwn returns whether a host is one of ours; visits from there count as direct
 * @returns the host in lower case, without port; null if there is none or it is invalid
 */
export function parseReferrer(header: string | undefined, isOwn: (host: string) => boolean): string | null {
  if (!header) return null;
  const found = HOST.exec(header.length > 1_024 ? header.slice(0, 1_024) : header);
  if (!found || found[1]!.length > MAX_LENGTH) return null;
  const host = found[1]!.toLowerCase();
  return isOwn(host) ? null : host;
}
