/** Operations on single model calls. */
import { type Operation, operation } from '../../../core/api/operation.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import type { Ledger } from '../contract/call-ledger.ts';
import { ModelCall, ModelCallDetails, ModelCallList } from './model-call.schema.ts';
import * as service from './model-call.service.ts';

const KEPT = 'Calls are recorded when they end and kept for 90 days.';

export interface ModelCallOperationDeps {
  secrets: SecretBox;
  ledger: Pick<Ledger, 'settle'>;
}

export const modelCallOperations = ({ secrets, ledger }: ModelCallOperationDeps): Operation[] => [
  operation(
    {
      id: 'model_calls.list',
      method: 'GET',
      path: '/model-calls',
      tag: 'Account',
      summary: 'List model calls',
      description: `Returns the calls of the workspace without their prompts and responses. ${KEPT}`,
      access: 'audit:read',
      query: ModelCallList,
      success: {
        status: 200,
        description: 'A page of calls, newest first.',
        schema: toListSchema(ModelCall),
      },
    },
    async ({ actor, query, unit }) => {
      await ledger.settle(actor.workspaceId);
      return { body: await service.listCalls(unit, actor.workspaceId, getPage(query), query) };
    },
  ),
  operation(
    {
      id: 'model_calls.get',
      method: 'GET',
      path: '/model-calls/{id}',
      tag: 'Account',
      summary: 'Get a model call',
      description: `Returns one call, with its prompt and response if the workspace stores them (\`store_model_calls\`). ${KEPT} Prompts and responses are kept for 7 days.`,
      access: 'audit:read',
      params: IdParams('model_call'),
      success: { status: 200, description: 'The call.', schema: ModelCallDetails },
      errors: ['not_found'],
    },
    async ({ actor, params, unit }) => {
      await ledger.settle(actor.workspaceId);
      const id = requireUuid('model_call', params.id);
      return { body: await service.getCall(unit, secrets, actor.workspaceId, id) };
    },
  ),
];
