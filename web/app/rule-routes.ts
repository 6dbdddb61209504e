/** The pages of rules. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { importOrWait } from '../api/import-or-wait.ts';
import { RUN_PARAMS } from '../features/rules/run-params.ts';
import { oneOf, searchParams, text } from '../patterns/search-params.ts';
import { workspace } from './workspace-route.ts';

export const rules = createRoute({
  getParentRoute: () => workspace,
  path: '/rules',
  validateSearch: searchParams({
    tab: oneOf('runs'),
    q: text,
    state: oneOf('enabled', 'disabled'),
    rule: text,
    ...RUN_PARAMS,
  }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/rules/Rules.tsx')), 'Rules'),
});

/** Apart from the rule's own address, which is an ID. */
export const newRule = createRoute({
  getParentRoute: () => workspace,
  path: '/rules/new',
  validateSearch: searchParams({ starter: oneOf('hours', 'link', 'slack') }),
  component: lazyRouteComponent(() => importOrWait(() => import('../features/rules/NewRule.tsx')), 'NewRule'),
});

export const rule = createRoute({
  getParentRoute: () => workspace,
  path: '/rules/$id',
  validateSearch: searchParams({ tab: oneOf('runs'), ...RUN_PARAMS }),
  component: lazyRouteComponent(
    () => importOrWait(() => import('../features/rules/RulePage.tsx')),
    'RulePage',
  ),
});
