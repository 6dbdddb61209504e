/**
 * First segments of the product's own addresses, which no short link on the default domain may have. A test compares
 * them with the routes of the running server.
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

/** Whatever its case: `API` beside `api` could only mislead. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());
