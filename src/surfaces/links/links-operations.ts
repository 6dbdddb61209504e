/** All operations of short links, in the order of the API reference. */
import type { Guard } from '../../core/auth/guard.ts';
import type { Operation } from '../../core/api/operation.ts';
import { analyticsOperations } from './analytics/analytics.routes.ts';
import { type ClickDeps, clickOperations } from './analytics/click.routes.ts';
import { linkBulkOperations } from './operations/link-bulk.routes.ts';
import type { ListDeps } from './listing/link-list.service.ts';
import { linkOperations } from './operations/link.routes.ts';
import { type DomainOperationDeps, domainOperations } from './domains/domain.routes.ts';
import type { LinkDeps } from './creation/link-deps.ts';
import { linkQrOperations } from './qr/qr.routes.ts';
import { tagOperations } from './tags/tag.routes.ts';
import { type LinkTransferDeps, linkTransferOperations } from './transfer/link-transfer.routes.ts';

export type LinksOperationDeps = LinkDeps &
  ListDeps &
  DomainOperationDeps &
  Omit<ClickDeps, 'guard'> &
  Omit<LinkTransferDeps, 'guard'>;

/** Declares the operations. Dependencies are not called before an operation runs. */
export const linksOperations = (deps: LinksOperationDeps & { guard: Guard }): Operation[] => [
  ...linkOperations(deps),
  ...linkQrOperations(deps),
  ...linkBulkOperations(deps),
  ...linkTransferOperations(deps),
  ...tagOperations(),
  ...domainOperations(deps),
  ...clickOperations(deps),
  ...analyticsOperations(deps),
];
