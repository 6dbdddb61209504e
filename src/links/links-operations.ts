/** Every operation of short links, in the order in which the document lists them. */
import type { Operation } from '../http/operation.ts';
import { linkOperations } from './link.routes.ts';
import { type DomainOperationDeps, domainOperations } from './domains/domain.routes.ts';
import type { LinkDeps } from './link-deps.ts';
import { tagOperations } from './tags/tag.routes.ts';

export type LinksOperationDeps = LinkDeps & DomainOperationDeps;

/** Declares them; nothing is called until one of them runs. */
export const linksOperations = (deps: LinksOperationDeps): Operation[] => [
  ...linkOperations(deps),
  ...tagOperations(),
  ...domainOperations(deps),
];
