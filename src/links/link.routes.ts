/** Operations on short links, but those on many at once (link-bulk.routes.ts). */
import type { Operation } from '../http/operation.ts';
import type { LinkDeps } from './link-deps.ts';

export const linkOperations = (_deps: LinkDeps): Operation[] => [];
