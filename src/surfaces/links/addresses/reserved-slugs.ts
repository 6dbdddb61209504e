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

/** Slugs that visitors would mistake for a page of the console, or programs for a file of the server. */
const MISLEADING = [
  'account',
  'admin',
  'apple-app-site-association',
  'auth',
  'channels',
  'chat',
  'console',
  'log-in',
  'login',
  'oauth',
  'password',
  'sign-in',
  'sign-up',
  'signin',
  'signup',
  'sso',
];

/** Letters of other scripts that look like Latin ones, in the order of `LATIN`. */
const LOOK_ALIKES = 'аеорсухіјѕԁһԛԝѵкмтпгвнӏьαορντικυχεηγωօոսհɡı';
const LATIN = 'aeopcyxijsdhqwvkmtnrbhlbaopvtikuxenywonuhgi';
const TO_LATIN = new Map(Array.from(LOOK_ALIKES, (letter, nth) => [letter, LATIN[nth]!]));

/** Returns how a slug looks: without case, width, accents and scripts. */
const toSkeleton = (slug: string): string =>
  Array.from(slug.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, ''))
    .map((letter) => TO_LATIN.get(letter) ?? letter)
    .join('');

const SKELETONS = new Set([...RESERVED, ...MISLEADING].map(toSkeleton));

/** Returns whether new links on the default domain cannot use a slug: it is reserved, or looks like a page of the server. */
export const isMisleadingSlug = (slug: string): boolean => SKELETONS.has(toSkeleton(slug));

/** Returns whether a slug is reserved. Ignores case, because a slug `API` would be confused with `api`. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());
