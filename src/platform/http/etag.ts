/**
 * Entity tags. The tag of a versioned object is `"<version>-<digest>"`. `If-Match` compares the version, which only
 * edits increase, so a click between a read and a write is not a conflict. `If-None-Match` compares the whole tag: the
 * digest covers the body, so any change that the caller sees, counters included, is a new tag. Other reads only have
 * the digest.
 *
 * Compression changes the tag: this server, Caddy and Apache append the coding (`"3-9f…-gzip"`), nginx makes it weak. The
 * coding is ignored. A weak tag matches in `If-None-Match` only: `If-Match` compares strongly (RFC 9110, section 13.1.1).
 */
import { hash } from 'node:crypto';
import { Problem } from './problem.ts';

const CHANGED_BY_CODING = /^(?:W\/)?"([^"]*?)(?:-(?:gzip|br|zstd|deflate))?"$/;
const VERSIONED = /^"(\d{1,9})(?:-[0-9a-f]+)?"$/;
/** Hexadecimal digits: 80 bits, and no letters that could spell a coding. */
const DIGEST_LENGTH = 20;

/** Versions of an object that `If-Match` accepts; null when it accepts any. */
export type IfMatch = readonly number[] | null;

/**
 * Builds the tag of a serialized body.
 * @param version of the object; undefined when it has none
 * @param body null for a tag that names the version alone
 */
export function toEtag(version: number | undefined, body: string | Uint8Array | null): string {
  const digest = body === null ? [] : [hash('sha256', body, 'hex').slice(0, DIGEST_LENGTH)];
  return `"${[...(version === undefined ? [] : [version]), ...digest].join('-')}"`;
}

/** Names the coding in a tag: another coding is another representation (RFC 9110, section 8.8.3.3). */
export const withCoding = (etag: string, coding: string | null): string =>
  coding === null ? etag : `${etag.slice(0, -1)}-${coding}"`;

/** Returns the tag as it was before compression. Anything that is not a tag is returned unchanged. */
export const ownEtag = (tag: string): string => tag.trim().replace(CHANGED_BY_CODING, '"$1"');

/** Whether `If-None-Match` contains the tag. Weak and strong tags count the same (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch
    .split(',')
    .map(ownEtag)
    .some((tag) => tag === '*' || tag === etag);
}

const isWeak = (tag: string): boolean => /^\s*W\//.test(tag);

/** Reads `If-Match`. @throws Problem precondition_failed when it names no version, so that nothing can match */
export function readIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*') return null;
  const tags = header.split(',');
  const versions = tags.flatMap((tag) => (isWeak(tag) ? [] : (VERSIONED.exec(ownEtag(tag))?.[1] ?? [])));
  if (versions.length === 0)
    throw new Problem(
      'precondition_failed',
      tags.some(isWeak)
        ? 'If-Match never matches a weak ETag. A proxy made it weak: send it without W/, such as "3".'
        : 'If-Match must be the ETag of the object, such as "3".',
    );
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

/** An API object with the version of its row, from which its ETag is made. */
export type WithVersion<T extends object> = T & {
  version: number;
  /** Whether an update left the object as it was. */
  unchanged?: boolean;
};
