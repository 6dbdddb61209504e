/** The pages of rules. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { RUN_PARAMS } from './pages/rules/run-params.ts';
import { oneOf, searchParams, text } from './search-params.ts';
import { workspace } from './workspace-route.ts';

export const rules = createRoute({
  getParentRoute: () => workspace,
  path: '/rules',
  validateSearch: searchParams({
    tab: oneOf('runs'),
    state: oneOf('enabled', 'disabled'),
    rule: text,
    ...RUN_PARAMS,
  }),
  component: lazyRouteComponent(() => import('./pages/rules/Rules.tsx'), 'Rules'),
});

/** Apart from the rule's own address, which is an id. */
export const newRule = createRoute({
  getParentRoute: () => workspace,
  path: '/rules/new',
  validateSearch: searchParams({ starter: oneOf('hours', 'link', 'slack') }),
  component: lazyRouteComponent(() => import('./pages/rule/NewRule.tsx'), 'NewRule'),
});

export const rule = createRoute({
  getParentRoute: () => workspace,
  path: '/rules/$id',
  validateSearch: searchParams({ tab: oneOf('runs'), ...RUN_PARAMS }),
  component: lazyRouteComponent(() => import('./pages/rule/RulePage.tsx'), 'RulePage'),
});
