/** Operations on the usage of models. */
import type { Guard } from '../../../core/auth/guard.ts';
import { sendCsv } from '../../../core/api/csv.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import type { Ledger } from '../contract/call-ledger.ts';
import { modelUsageCsv } from './model-usage-csv.ts';
import { ModelUsage, ModelUsageQuery } from './model-usage.schema.ts';
import { getModelUsage } from './model-usage.service.ts';

const KEPT =
  'Calls are counted when they end, on the UTC day on which they began. Counts are kept for 400 days.';

async function* onePage(text: string): AsyncGenerator<string> {
  yield text;
}

export interface ModelUsageOperationDeps {
  guard: Guard;
  ledger: Pick<Ledger, 'settle'>;
}

export const modelUsageOperations = ({ guard, ledger }: ModelUsageOperationDeps): Operation[] => [
  operation(
    {
      id: 'usage.models',
      method: 'GET',
      path: '/usage/models',
      tag: 'Account',
      summary: 'Get model usage',
      description: `Returns calls, tokens, cost and latency of model calls by day, API key, model, provider or route. ${KEPT}`,
      access: 'usage:read',
      query: ModelUsageQuery,
      success: { status: 200, description: 'The usage.', schema: ModelUsage },
    },
    async ({ actor, query, unit }) => {
      await ledger.settle(actor.workspaceId);
      return { body: await getModelUsage(unit, actor.workspaceId, query) };
    },
  ),
  operation(
    {
      id: 'usage.export_models',
      method: 'GET',
      path: '/usage/models/export',
      tag: 'Account',
      summary: 'Export model usage as CSV',
      description: `Returns the same data as \`GET /usage/models\`, with one line per day or value. ${KEPT}`,
      access: 'usage:read',
      query: ModelUsageQuery,
      binary: true,
      success: { status: 200, description: 'The CSV file, in UTF-8.' },
    },
    async ({ actor, query, unit, request, reply }) => {
      await ledger.settle(actor.workspaceId);
      const usage = await getModelUsage(unit, actor.workspaceId, query);
      return sendCsv(
        { request, reply, actor, guard },
        `model-usage-by-${usage.group_by}.csv`,
        onePage(modelUsageCsv(usage)),
      );
    },
  ),
];
