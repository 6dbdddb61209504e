/**
 * Entity tags, as they come back. A proxy that compresses answers makes their tags weak (nginx) or names the coding in
 * them (Caddy, Apache: `"3-gzip"`); what they stand for is the same object at the same version.
 */
import { Problem } from './problem.ts';

const CHANGED_BY_PROXY = /^(?:W\/)?"([^"]*?)(?:-(?:gzip|br|zstd|deflate))?"$/;
const VERSIONED = /^"(\d{1,9})"$/;

/** Versions of an object that `If-Match` accepts; null when it accepts any. */
export type IfMatch = readonly number[] | null;

/** Returns the tag without what a compressing proxy did to it. Anything that is not a tag is returned unchanged. */
export const ownEtag = (tag: string): string => tag.trim().replace(CHANGED_BY_PROXY, '"$1"');

/** Tells whether `If-None-Match` names the tag. Weak and strong tags count the same (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map(ownEtag)
    .some((tag) => tag === '*' || tag === etag);
}

/** Reads `If-Match`. @throws Problem precondition_failed when it names no version, so that nothing can match */
export function readIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*') return null;
  const versions = header.split(',').flatMap((tag) => VERSIONED.exec(ownEtag(tag))?.[1] ?? []);
  if (versions.length === 0)
    throw new Problem('precondition_failed', 'If-Match must be the ETag of the object, such as "3".');
  return versions.map(Number);
}

/**
 * Checks `If-Match` against a row that the caller has locked.
 * @throws Problem precondition_failed
 */
export function assertMatches(ifMatch: IfMatch, { version }: { version: number }, noun: string): void {
  if (ifMatch !== null && !ifMatch.includes(version))
    throw new Problem('precondition_failed', `The ${noun} has changed since you read it.`);
}
