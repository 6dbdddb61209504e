/** Reads publications and cancels pending ones. */
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { maskPairs, maskSecrets } from '../publishing-endpoints/mask.ts';
import { completePublications } from './engine/complete.store.ts';
import { presentPublication } from './records/publication-present.ts';
import { isWaiting, moveTo } from './records/publication-state.ts';
import type { PublicationDetailObject, PublicationObject } from './records/publication.schema.ts';
import * as store from './records/publication.store.ts';
import { recordRequest } from './records/receive.store.ts';

/** Query as given by callers: an invalid ID matches nothing. */
export interface ListPublicationsQuery extends Omit<store.PublicationFilter, 'endpointId'> {
  endpointId?: string;
}

export async function listPublications(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { endpointId, ...filter }: ListPublicationsQuery,
): Promise<List<PublicationObject>> {
  const uuid = endpointId === undefined ? undefined : toUuid('publishing_endpoint', endpointId);
  const { rows, windowEnd } =
    uuid === null
      ? { rows: [], windowEnd: null }
      : await store.listPublications(unit.db, workspaceId, page, { ...filter, endpointId: uuid });
  return toList(rows, page, ({ id }) => id, presentPublication, windowEnd);
}

/**
 * Returns a publication with its input; values that look secret are masked.
 * @throws Problem not_found
 */
export async function getPublication(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<PublicationDetailObject> {
  const row = await store.getPublication(unit.db, workspaceId, id);
  const input = row && (await store.getInput(unit.db, workspaceId, id));
  if (!row || !input) throw notFound('publication');
  return {
    ...presentPublication(row),
    payload: maskSecrets(input.payload),
    headers: maskPairs(input.headers),
    query: maskPairs(input.query),
    messages: input.messages
      .filter((message) => message !== null)
      .map((message) => maskSecrets(message) as Record<string, unknown>),
  };
}

/**
 * Cancels a publication that has not been sent yet. Idempotent.
 * @throws Problem not_found, conflict once it is published
 */
export async function cancelPublication(
  unit: Unit,
  workspaceId: string,
  id: string,
): Promise<PublicationObject> {
  const row = await store.lockPublication(unit.db, workspaceId, id);
  if (!row) throw notFound('publication');
  if (row.status === 'canceled') return presentPublication(row);
  if (!isWaiting(row.status))
    throw new Problem(
      'conflict',
      `The publication is ${row.status.replaceAll('_', ' ')}: only received or scheduled publications can be canceled.`,
    );
  const now = unit.clock();
  const { results, ...before } = row;
  const status = moveTo(before.status, 'canceled');
  const after = { ...before, status, reason: 'user', finished_at: now, updated_at: now };
  // The publisher counts publications that are due immediately; this one never gets there.
  const others = before.status === 'received' ? [recordRequest(after)] : [];
  await completePublications(unit, [{ before, after, results, changed: [] }], others);
  return presentPublication({ ...after, results });
}
