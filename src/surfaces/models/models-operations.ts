/** All operations on models: the catalog, calls, providers, routes and budgets. */
import type { Operation } from '../../core/api/operation.ts';
import { type BudgetOperationDeps, budgetOperations } from './budgets/budget.routes.ts';
import { modelCallOperations } from './call-log/model-call.routes.ts';
import { callOperations, type CallRoutesDeps } from './calls/call.routes.ts';
import { type CatalogOperationDeps, catalogOperations } from './catalog/model.routes.ts';
import { type ProviderOperationDeps, providerOperations } from './providers/provider.routes.ts';
import { type RouteOperationDeps, routeOperations } from './routes/route.routes.ts';
import { modelUsageOperations } from './usage/model-usage.routes.ts';

export interface ModelsOperationDeps
  extends
    CallRoutesDeps,
    CatalogOperationDeps,
    ProviderOperationDeps,
    RouteOperationDeps,
    BudgetOperationDeps {}

export const modelsOperations = (deps: ModelsOperationDeps): Operation[] => [
  ...catalogOperations(deps),
  ...callOperations(deps),
  ...providerOperations(deps),
  ...routeOperations(deps),
  ...budgetOperations(deps),
  ...modelUsageOperations(deps),
  ...modelCallOperations(deps),
];
