/** Reads single model calls. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { notFound } from '../../../platform/http/problem.ts';
import { toUsd } from '../budgets/budget-amount.ts';
import { mapTokenDetails } from '../contract/token-details.ts';
import { openCallContent } from './call-content.ts';
import type { ModelCallDetailsObject, ModelCallFilters, ModelCallObject } from './model-call.schema.ts';
import * as store from './model-call.store.ts';

const present = (row: store.ModelCallRow): ModelCallObject => ({
  id: publicId('model_call', row.id),
  object: 'model_call',
  operation: row.operation,
  model: row.model,
  provider_id: row.provider_id && publicId('model_provider', row.provider_id),
  route: row.route,
  actor: row.actor,
  outcome: row.outcome as ModelCallObject['outcome'],
  status: row.status,
  error_code: row.error_code,
  attempts: row.attempts === null ? null : row.attempts.split('\n'),
  input_tokens: row.input_tokens,
  cached_tokens: row.cached_tokens,
  output_tokens: row.output_tokens,
  ...mapTokenDetails((name) => row[name] ?? 0),
  estimated: row.is_estimated,
  cost_usd: row.cost === null ? null : toUsd(row.cost),
  first_byte_ms: row.first_byte_ms,
  duration_ms: row.duration_ms,
  has_content: row.has_content,
  test: row.is_test,
  created_at: timeOfUuid(row.id).toISOString(),
});

export async function listCalls(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  query: ModelCallFilters,
): Promise<List<ModelCallObject>> {
  const rows = await store.listCalls(unit.db, workspaceId, page, {
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  });
  return toList(rows, page, ({ id }) => id, present);
}

/** @throws Problem not_found */
export async function getCall(
  unit: ReadUnit,
  secrets: SecretBox,
  workspaceId: string,
  id: string,
): Promise<ModelCallDetailsObject> {
  const row = await store.getCall(unit.db, workspaceId, id);
  if (!row) throw notFound('model call');
  const sealed = row.has_content ? await store.getContent(unit.db, workspaceId, id) : undefined;
  const content =
    sealed === undefined
      ? null
      : openCallContent(secrets, { workspace_id: workspaceId, id, content_sealed: sealed });
  return { ...present(row), content };
}
