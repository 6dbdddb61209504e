/** Reading the request log. */
import { publicId, toUuid } from '../vocabulary/ids.ts';
import { type List, type Page, toList } from '../../platform/http/pagination.ts';
import { notFound } from '../../platform/http/problem.ts';
import type { ReadUnit } from '../unit/unit-of-work.ts';
import type { ApiRequestFilters, ApiRequestObject } from './request.schema.ts';
import * as store from './request.store.ts';

const present = (row: store.ApiRequestRow): ApiRequestObject => ({
  id: publicId('request', row.id),
  object: 'request',
  method: row.method,
  operation: row.operation,
  route: row.route,
  status: row.status,
  error_code: row.error_code,
  actor:
    row.api_key_id === null
      ? { type: 'user', id: publicId('user', row.user_id!), name: row.actor_name }
      : { type: 'api_key', id: publicId('api_key', row.api_key_id), name: row.actor_name },
  address: row.address,
  duration_ms: row.duration_ms,
  created_at: row.created_at.toISOString(),
});

/** Reads `404` as [404, 404] and `4xx` as [400, 499]. */
function toRange(status: string): [number, number] {
  if (!status.endsWith('xx')) return [Number(status), Number(status)];
  const first = Number(status[0]) * 100;
  return [first, first + 99];
}

export async function listRequests(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  query: ApiRequestFilters,
): Promise<List<ApiRequestObject>> {
  const { rows, windowEnd } = await store.listRequests(unit.db, workspaceId, page, {
    status: query.status === undefined ? undefined : toRange(query.status),
    errors: query.errors,
    method: query.method,
    operation: query.operation,
    actorType: query.actor_type,
    apiKeyId: query.api_key_id && toUuid('api_key', query.api_key_id)!,
    userId: query.user_id && toUuid('user', query.user_id)!,
    errorCode: query.error_code,
    address: query.address,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  });
  return toList(rows, page, ({ id }) => id, present, windowEnd);
}

/** @throws Problem not_found */
export async function getRequest(unit: ReadUnit, workspaceId: string, id: string): Promise<ApiRequestObject> {
  const row = await store.getRequest(unit.db, workspaceId, id);
  if (!row) throw notFound('request');
  return present(row);
}
