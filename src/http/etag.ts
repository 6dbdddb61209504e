/**
 * Entity tags, as they come back. A proxy that compresses answers makes their tags weak (nginx) or names the coding in
 * them (Caddy, Apache: `"3-gzip"`); what they stand for is the same object at the same version.
 */

const CHANGED_BY_PROXY = /^(?:W\/)?"([^"]*?)(?:-(?:gzip|br|zstd|deflate))?"$/;

/** A tag as this server gave it out; what is no tag is left as it is. */
export const ownEtag = (tag: string): string => tag.trim().replace(CHANGED_BY_PROXY, '"$1"');

/** Whether `If-None-Match` names an entity tag; weak and strong count the same (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map(ownEtag)
    .some((tag) => tag === '*' || tag === etag);
}
