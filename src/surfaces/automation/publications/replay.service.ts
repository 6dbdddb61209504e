/**
 * Replays a publication: creates a new one, rendered with the original or current definition and published immediately.
 * The filter, the schedule and dedupe keys apply to incoming requests only, not to replays.
 */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { assertMayPublish } from '../publishing-endpoints/endpoint-input.ts';
import {
  type EndpointRow,
  getEndpoint,
  getRevision,
  getReceiving,
} from '../publishing-endpoints/endpoint.store.ts';
import { type RenderedPublication, toRequest } from './publication-request.ts';
import { EndpointChanged } from './publication-acceptance.ts';
import { completePublications } from './engine/complete.store.ts';
import { isWaiting } from './records/publication-state.ts';
import type { PublicationObject, ReplayPublicationBody } from './records/publication.schema.ts';
import * as store from './records/publication.store.ts';
import type { Receiver } from './receive.ts';

export interface ReplayDeps {
  receiver: Receiver;
}

/**
 * Returns the destinations to publish again; null for all.
 * @throws Problem conflict
 */
function getPositions(row: store.PublicationRow, only: ReplayPublicationBody['only']): number[] | null {
  if (isWaiting(row.status))
    throw new Problem(
      'conflict',
      `The publication is ${row.status} and has not been published yet. Cancel it instead.`,
    );
  if (only !== 'failed') return null;
  const failed = row.results.filter(({ status }) => status === 'failed').map(({ position }) => position);
  if (!failed.length) throw new Problem('conflict', 'No destination of the publication failed.');
  return failed;
}

/**
 * Returns the endpoint with the requested definition.
 * @throws Problem conflict if the definition is no longer stored
 */
async function endpointFor(
  unit: ReadUnit,
  row: store.PublicationRow,
  template: ReplayPublicationBody['template'],
) {
  const { workspace_id: workspaceId, endpoint_id: endpointId, revision } = row;
  const endpoint: EndpointRow | undefined = await getEndpoint(unit.db, workspaceId, endpointId);
  if (!endpoint) throw new Problem('conflict', 'The publishing endpoint was deleted.');
  const receiving = getReceiving(endpoint);
  if (template !== 'original' || endpoint.revision === revision) return receiving;
  const definition = await getRevision(unit.db, workspaceId, endpointId, revision);
  if (!definition)
    throw new Problem('conflict', 'The definition that it was rendered with is no longer stored.');
  return { ...receiving, definition, revision };
}

/**
 * Renders the replay; must run before any transaction. The caller needs the scopes for the messages.
 * @throws Problem not_found, conflict, insufficient_scope, unprocessable
 */
export async function prepareReplay(
  unit: ReadUnit,
  { receiver }: ReplayDeps,
  actor: WorkspaceActor,
  id: string,
  body: ReplayPublicationBody,
): Promise<RenderedPublication> {
  if (body.only === 'failed' && body.template !== 'original')
    throw new Problem('unprocessable', '`only: failed` requires `template: original`.', {
      errors: [
        {
          pointer: '/template',
          code: 'invalid_value',
          detail: 'must be original with only: failed, because the destinations may have changed',
        },
      ],
    });
  const row = await store.getPublication(unit.db, actor.workspaceId, id);
  const input = row && (await store.getInput(unit.db, actor.workspaceId, id));
  if (!row || !input) throw notFound('publication');
  if (input.erased)
    throw new Problem('conflict', 'The payload named a contact that was erased, so it is no longer stored.');
  const only = getPositions(row, body.only);
  const endpoint = await endpointFor(unit, row, body.template);
  assertMayPublish(actor, endpoint.definition);
  return receiver.prepare(toRequest(row, input, { endpoint, source: 'replay', actorId: actor.id, only }));
}

/**
 * Publishes the replay and stops automatic retries of the replayed destinations.
 * @param unit a transaction
 * @throws Problem not_found, conflict; 422 if rejected, stored as `rejected`
 */
export async function replayPublication(
  unit: Unit,
  { receiver }: ReplayDeps,
  rendered: RenderedPublication,
  only: ReplayPublicationBody['only'],
): Promise<PublicationObject> {
  const { endpoint, replay } = rendered.request;
  const row = await store.lockPublication(unit.db, endpoint.workspaceId, replay!.of);
  if (!row) throw notFound('publication');
  const positions = getPositions(row, only);
  // A destination that was retried in the meantime would be sent twice.
  if (String(positions) !== String(replay!.only))
    throw new Problem('conflict', 'Other destinations of the publication failed in the meantime. Try again.');
  const { results, ...before } = row;
  if (results.some(({ next_attempt_at: at }) => at !== null)) {
    const untried = results.map((result) => ({ ...result, next_attempt_at: null }));
    const now = unit.clock();
    const finishedAt = before.status === 'publishing' ? null : (before.finished_at ?? now);
    const after = { ...before, finished_at: finishedAt, updated_at: now };
    await completePublications(unit, [{ before, after, results: untried, changed: untried }]);
  }
  try {
    return await receiver.accept(rendered, { unit });
  } catch (error) {
    if (!(error instanceof EndpointChanged)) throw error;
    const id = publicId('publishing_endpoint', endpoint.id);
    throw new Problem('conflict', `The publishing endpoint ${id} was changed in the meantime. Try again.`);
  }
}
