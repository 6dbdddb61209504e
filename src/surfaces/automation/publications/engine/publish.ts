/**
 * Publishes due publications of one endpoint in order of receipt: one message per destination.
 * | Messages, results, statuses, events and queue rows are written in one transaction. A crash leaves all of them or
 * none, so each destination gets exactly one message.
 * | Lock order: endpoint, publications by ascending ID, then the order defined by messaging.
 */
import type { Unit } from '../../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import { MAX_PARTS, type MessagesPort, type OutgoingMessage, toOutgoing } from '../../ports/ports.ts';
import { isWaiting, moveTo } from '../records/publication-state.ts';
import { withTraces } from '../records/publication-traces.ts';
import type { PublicationColumns, ResultRow } from '../records/publication.store.ts';
import { recordRequests } from './endpoint-stats.store.ts';
import { afterResults, toAbandoned, newResult, tried } from './outcome.ts';
import * as store from './publication-queue.system-store.ts';
import { completePublications, type Completed } from './complete.store.ts';

/** Maximum publications and messages per transaction; one publication is never split. */
export const MAX_PUBLICATIONS = 100;
const MAX_MESSAGES = 300;

export interface Published {
  /** Whether rows may be left that are due. */
  hasMore: boolean;
  completed: readonly Completed[];
}

const NOTHING: Published = { hasMore: false, completed: [] };

interface Step {
  row: store.ClaimedPublication;
  /** Results of all destinations before the attempt. */
  results: ResultRow[];
  /** Destinations to attempt now. */
  tries: { result: ResultRow; outgoing: OutgoingMessage }[];
}

const toColumns = ({
  results: _r,
  messages: _m,
  faults: _f,
  asks_model: _a,
  ...columns
}: store.ClaimedPublication): PublicationColumns => columns;

/**
 * Determines the work for a due publication.
 * @param dueAt due time by the database clock, which may be ahead of the local clock. Anything due by then is
 *   attempted; otherwise the same row would be claimed again in a busy loop.
 */
function buildStep(row: store.ClaimedPublication, now: Date, dueAt: Date): Step {
  const by = dueAt > now ? dueAt : now;
  const isFirst = isWaiting(row.status);
  const results = isFirst
    ? row.messages.flatMap((body, position) => {
        const fault = row.faults?.[position];
        const made = body ? { body } : fault ? { fault } : null;
        return made ? [newResult(row, position, made, now)] : [];
      })
    : row.results;
  const due = results.filter(
    ({ status, next_attempt_at: at }) =>
      (isFirst && status === 'pending') || (status === 'failed' && at !== null && at <= by),
  );
  const tries = due.flatMap((result) => {
    const body = row.messages[result.position];
    return body ? [{ result, outgoing: toOutgoing(body, row.asks_model) }] : [];
  });
  return { row, results, tries };
}

/** Returns as many steps, in order, as fit into one transaction. */
function selectSteps(
  rows: readonly store.ClaimedPublication[],
  due: readonly store.Queued[],
  now: Date,
): Step[] {
  const times = new Map(due.map((one) => [one.publication_id, one.due_at]));
  const steps: Step[] = [];
  let messages = 0;
  for (const row of rows) {
    const step = buildStep(row, now, times.get(row.id)!);
    messages += step.tries.length * (row.asks_model ? MAX_PARTS : 1);
    if (steps.length && messages > MAX_MESSAGES) break;
    steps.push(step);
  }
  return steps;
}

/** Notes which parts of texts that were split are sent already, so that only the others are sent again. */
async function findSentParts(
  unit: Unit,
  messages: MessagesPort,
  workspaceId: string,
  tries: Step['tries'],
): Promise<void> {
  const before = tries.flatMap((one) => {
    const { message_id: last, earlier_message_ids: earlier } = one.result;
    if (last === null || earlier === null || !one.outgoing.split) return [];
    return [{ one, ids: [...earlier, last].map((id) => publicId('message', id)) }];
  });
  if (!before.length) return;
  const states = await messages.getStates(
    unit,
    workspaceId,
    before.flatMap(({ ids }) => ids),
  );
  for (const { one, ids } of before) {
    const first = ids.findIndex((id) => states.get(id)?.wasSent !== true);
    const sent = first === -1 ? ids.length - 1 : first;
    one.outgoing = { ...one.outgoing, split: { max: MAX_PARTS, sent, of: ids.length } };
  }
}

/**
 * Builds the completed publication.
 * @param outcomes results of the attempted destinations
 */
function toCompleted(
  { row, results }: Step,
  outcomes: ReadonlyMap<ResultRow, ResultRow>,
  now: Date,
): Completed {
  const before = toColumns(row);
  const after = results.map((result) => outcomes.get(result) ?? result);
  return {
    before,
    after: afterResults(before, after, now),
    results: after,
    changed: after.filter((result, nth) => result !== results[nth] || isWaiting(row.status)),
  };
}

/** Cancels a pending publication of a deleted endpoint, or stops its retries. */
function withoutEndpoint(row: store.ClaimedPublication, now: Date): Completed {
  const before = toColumns(row);
  if (isWaiting(row.status)) {
    const status = moveTo(row.status, 'canceled');
    const after = { ...before, status, reason: 'endpoint_deleted', finished_at: now, updated_at: now };
    return { before, after, results: [], changed: [] };
  }
  const results = row.results.map((result) => ({ ...result, next_attempt_at: null }));
  return { before, after: afterResults(before, results, now), results, changed: results };
}

/**
 * Publishes claimed publications.
 * @param unit the transaction that claimed them and holds no other locks
 */
export async function publishClaimed(
  unit: Unit,
  messages: MessagesPort,
  due: readonly store.Queued[],
): Promise<Published> {
  if (!due.length) return NOTHING;
  const { workspace_id: workspaceId, endpoint_id: endpointId } = due[0]!;
  const isFull = due.length >= MAX_PUBLICATIONS;
  const ids = due.map(({ publication_id: id }) => id);
  const found = new Map((await store.lockClaimed(unit.db, workspaceId, ids)).map((row) => [row.id, row]));
  const now = unit.clock();
  const isOver = (id: string): boolean => {
    const status = found.get(id)?.status;
    return status === undefined || status === 'canceled' || status === 'rejected' || status === 'duplicate';
  };
  const over = ids.filter(isOver);
  if (over.length) await store.removeQueued(unit.db, over);
  const rows = ids.flatMap((id) => (isOver(id) ? [] : [found.get(id)!]));

  if (!(await store.endpointExists(unit.db, workspaceId, endpointId))) {
    const completed = rows.map((row) => withoutEndpoint(row, now));
    await completePublications(unit, completed);
    return { hasMore: isFull, completed };
  }
  const steps = selectSteps(rows, due, now);
  const tries = steps.flatMap((step) => step.tries);
  const sender = { id: publicId('publishing_endpoint', endpointId), source: 'publishing' } as const;
  await findSentParts(unit, messages, workspaceId, tries);
  const outgoing = await withTraces(unit.db, workspaceId, steps);
  const accepted = outgoing.length ? await messages.accept(unit, workspaceId, sender, outgoing) : [];
  const outcomes = new Map(
    tries.map(({ result, outgoing: { split } }, nth) => [result, tried(result, accepted[nth]!, now, split)]),
  );
  const completed = steps.map((step) => toCompleted(step, outcomes, now));
  const arrived = steps.filter(({ row }) => row.status === 'received').map(({ row }) => row);
  await completePublications(unit, completed, await recordRequests(unit.db, arrived));
  const instances = accepted.flatMap((outcome) => (outcome instanceof Problem ? [] : [outcome.instanceId]));
  if (instances.length) unit.afterCommit(() => messages.wake([...new Set(instances)]));
  return { hasMore: isFull || steps.length < rows.length, completed };
}

/** Fails a publication that cannot be published because of an internal error. */
export async function giveUp(unit: Unit, endpoint: store.DueEndpoint, id: string): Promise<Published> {
  const [queued] = await store.claimOne(unit.db, endpoint, id);
  if (!queued) return NOTHING;
  const [row] = await store.lockClaimed(unit.db, queued.workspace_id, [id]);
  if (!row) {
    await store.removeQueued(unit.db, [id]);
    return NOTHING;
  }
  const now = unit.clock();
  const step = buildStep(row, now, queued.due_at);
  const outcomes = new Map(step.tries.map(({ result }) => [result, toAbandoned(result, now)]));
  const completed = [toCompleted(step, outcomes, now)];
  await completePublications(unit, completed);
  return { hasMore: false, completed };
}
