/**
 * First path segments of the server's own routes, which links on the default domain cannot use. A test compares them
 * with the routes of the running server.
 */
const RESERVED = new Set([
  'api',
  'user',
  'docs',
  'healthz',
  'readyz',
  'metrics',
  'openapi',
  'openapi.json',
  '.well-known',
  'well-known',
  'in',
  'inspect',
  'internal',
  'media',
  'static',
  'assets',
  'favicon',
  'favicon.ico',
  'robots',
  'robots.txt',
]);

/** Returns whether a slug is reserved. Ignores case, because a slug `API` would be confused with `api`. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());
