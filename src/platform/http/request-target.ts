/** The target of a request (RFC 9112, section 3.2): a path, or an absolute address, which is read as its host and path. */
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const SLASH = 47;
/** No user or password, which RFC 9110 (section 4.2.4) asks to refuse. */
const ABSOLUTE = /^https?:\/\/([^/?#@\s]+)([/?].*)?$/is;

/**
 * Rewrites an absolute address to its path, with its host in place of the header Host, which counts for nothing then.
 * @returns whether it was one
 */
export function toOriginForm(request: IncomingMessage): boolean {
  if (request.url!.charCodeAt(0) === SLASH) return false;
  const [, host, rest = ''] = ABSOLUTE.exec(request.url!) ?? [];
  if (host === undefined) return false;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}

/**
 * Refuses targets that are neither, and those with a `#`, which no client sends that means it.
 * @throws Problem invalid_request
 */
export function assertPlainTarget(url: string): void {
  if (url.charCodeAt(0) !== SLASH && url !== '*')
    throw new Problem('invalid_request', 'The request target must be a path or an http(s) URL.');
  if (url.includes('#'))
    throw new Problem('invalid_request', 'The request target must not contain a fragment (#).');
}
