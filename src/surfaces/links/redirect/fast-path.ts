/**
 * Recognizes visits of short links before any other routing. On BASE_URL's host, these are paths with a single segment
 * that is a valid slug and not reserved. On a verified domain, these are all paths except those served on any host.
 * Links in the cache are redirected synchronously, without a promise.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostName } from '../../../platform/http/hosts.ts';
import type { Before } from '../../../platform/http/server.ts';
import { isReservedSlug } from '../addresses/reserved-slugs.ts';
import { readSlug } from '../addresses/slug.ts';
import { type Responder, NOTICES, sendRedirect } from './answer.ts';
import type { Callers } from './caller.ts';
import type { OutcomeCounts } from './counts.ts';
import type { RouteEntry, HostEntry } from './entry.ts';
import { DatabaseUnavailable, type RouteMap, routeKey } from './route-map.ts';
import type { Visit } from './visit.ts';

export interface FastPathDeps {
  map: RouteMap;
  callers: Callers;
  /** Returns whether a Host header is BASE_URL's. */
  isServedHost: (host: string) => boolean;
  answers: Responder;
  counts: OutcomeCounts;
  follow: (visit: Visit) => void;
  fail: (visit: Pick<Visit, 'request' | 'response'>, error: unknown) => void;
}

const SLASH = 47;
/** Paths served on any host; see src/platform/http/server.ts. */
const ANY_HOST = /^\/(healthz|readyz|metrics|internal(\/.*)?)$/;
const HOST = /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)+$/;
/** 100 characters of four bytes, percent-encoded, and `+`. */
const MAX_SEGMENT = 1_210;

/** `/slug/` leads where `/slug` does. @returns where the path ends, without one slash at its end */
const withoutSlash = (url: string, end: number): number =>
  end > 2 && url.charCodeAt(end - 1) === SLASH ? end - 1 : end;

/** Punctuation of the sentence around a link, which mail programs and chats take for a part of it. No slug has any. */
const AROUND = /[.,;:!?"'()<>[\]{}…‘’“”«»]{1,10}$/;

interface Segment {
  slug: string;
  isPreview: boolean;
  /** Whether punctuation after the slug was left out, so that the path is another one than the link's. */
  isTrimmed: boolean;
}

/** Parses a path segment into the slug and whether `+` follows it; null if it is not a valid slug. */
function readSegment(segment: string): Segment | null {
  if (segment.length > MAX_SEGMENT) return null;
  let text = segment;
  if (segment.includes('%'))
    try {
      text = decodeURIComponent(segment);
    } catch {
      return null;
    }
  const read = (given: string, isTrimmed: boolean): Segment | null => {
    const isPreview = given.endsWith('+');
    const slug = readSlug(isPreview ? given.slice(0, -1) : given);
    return slug === null ? null : { slug, isPreview, isTrimmed };
  };
  const exact = read(text, false);
  if (exact !== null || !AROUND.test(text)) return exact;
  return read(text.replace(AROUND, ''), true);
}

export function createFastPath(deps: FastPathDeps): Before {
  const { map, callers, isServedHost, answers, counts, follow, fail } = deps;

  const handleLookupError = (request: IncomingMessage, response: ServerResponse, error: unknown): void => {
    if (!(error instanceof DatabaseUnavailable)) return fail({ request, response }, error);
    counts.unavailable++;
    return answers.notice(request, response, NOTICES.unavailable);
  };

  const notFound = (request: IncomingMessage, response: ServerResponse, host: HostEntry | null): void => {
    counts.not_found++;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (host?.notFoundUrl && isRead) sendRedirect(response, 302, host.notFoundUrl);
    else answers.notice(request, response, NOTICES.notFound);
  };

  /** Handles a path with one segment on a link domain. */
  const visitSlug = (
    request: IncomingMessage,
    response: ServerResponse,
    host: HostEntry | null,
    { slug, isPreview, isTrimmed }: Segment,
    end: number,
  ): void => {
    const url = request.url!;
    const query = url.indexOf('?');
    const visit = (entry: RouteEntry | null): void => {
      // The address may belong to the workspace that had the domain before.
      if (entry === null || (host !== null && entry.workspaceId !== host.workspaceId))
        return notFound(request, response, host);
      const segment = isTrimmed ? `/${encodeURIComponent(slug)}` : url.slice(0, end);
      const path = isPreview && !isTrimmed ? segment.replace(/(\+|%2b)$/i, '') : segment;
      return follow({
        request,
        response,
        entry,
        host,
        path,
        query: query < 0 ? '' : url.slice(query + 1),
        isPreview,
      });
    };
    const key = routeKey(host?.host ?? '', slug);
    const cached = map.peekRoute(key);
    if (cached !== undefined) return visit(cached);
    map
      .findRoute(key)
      .then(visit)
      .catch((error: unknown) => handleLookupError(request, response, error));
    return undefined;
  };

  const handleHost = (request: IncomingMessage, response: ServerResponse, host: HostEntry): void => {
    const url = request.url!;
    const queryStart = url.indexOf('?');
    const end = withoutSlash(url, queryStart < 0 ? url.length : queryStart);
    const segment = url.slice(1, end);
    if (segment === '') {
      counts.root++;
      if (request.method !== 'GET' && request.method !== 'HEAD')
        answers.notice(request, response, { ...NOTICES.method, headers: { Allow: 'GET, HEAD' } });
      else if (host.rootUrl !== null) sendRedirect(response, 302, host.rootUrl);
      else answers.notice(request, response, NOTICES.notFound);
      return;
    }
    const found = readSegment(segment);
    if (found === null) notFound(request, response, host);
    else visitSlug(request, response, host, found, end);
  };

  const handleOtherHost = (
    request: IncomingMessage,
    response: ServerResponse,
    hostHeader: string,
    next: () => void,
  ): boolean => {
    const name = hostName(hostHeader).replace(/\.$/, '');
    if (!HOST.test(name) || ANY_HOST.test(request.url!.split('?', 1)[0]!)) return false;
    const cached = map.peekHost(name);
    if (cached === null) return false;
    if (cached !== undefined) {
      handleHost(request, response, cached);
      return true;
    }
    map
      .findHost(name)
      .then((host) => (host === null ? next() : handleHost(request, response, host)))
      .catch((error: unknown) => handleLookupError(request, response, error));
    return true;
  };

  return (request, response, next) => {
    try {
      const url = request.url!;
      // Other request targets, and those that no well-behaved client sends, are rejected on all hosts alike.
      if (url.charCodeAt(0) !== SLASH || url.includes('#')) return false;
      const hostHeader = callers.getHost(request);
      if (!isServedHost(hostHeader)) return handleOtherHost(request, response, hostHeader, next);
      const queryStart = url.indexOf('?');
      const end = withoutSlash(url, queryStart < 0 ? url.length : queryStart);
      const slash = url.indexOf('/', 1);
      if (end < 2 || (slash > 0 && slash < end)) return false;
      const segment = url.slice(1, end);
      const entry = map.peekRoute(segment);
      if (entry) {
        const query = queryStart < 0 ? '' : url.slice(queryStart + 1);
        const path = url.slice(0, end);
        follow({ request, response, entry, host: null, path, query, isPreview: false });
        return true;
      }
      const found = readSegment(segment);
      if (found === null || isReservedSlug(found.slug)) return false;
      visitSlug(request, response, null, found, end);
      return true;
    } catch (error) {
      fail({ request, response }, error);
      return true;
    }
  };
}
