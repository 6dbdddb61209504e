/**
 * Publishing what is due: publications of one endpoint, in the order in which they came, each of their destinations as a
 * message. Messages, results, statuses, events and the place in the queue are one transaction: a crash leaves all of it or
 * nothing, so each destination gets one message, whatever dies.
 *
 * Lock order: bucket, publications by ascending id, then as messaging has it.
 */
import type { Unit } from '../../../../core/unit-of-work.ts';
import { publicId } from '../../../../platform/http/ids.ts';
import { Problem } from '../../../../platform/http/problem.ts';
import type { MessageBody, MessagesPort } from '../../ports.ts';
import { isWaiting, moveTo } from '../publication-state.ts';
import type { PublicationColumns, ResultRow } from '../publication.store.ts';
import { recordRequests } from './endpoint-stats.store.ts';
import { afterResults, toAbandoned, newResult, tried } from './outcome.ts';
import * as store from './publication-queue.system-store.ts';
import { completePublications, type Completed } from './complete.store.ts';

/** Publications of a transaction, and messages; of one publication all go together. */
export const MAX_PUBLICATIONS = 100;
const MAX_MESSAGES = 300;

export interface Published {
  /** Whose turn it was; null where nothing was due. */
  endpointId: string | null;
  /** Rows of the queue that were seen to. */
  seen: number;
  completed: readonly Completed[];
}

const NOTHING: Published = { endpointId: null, seen: 0, completed: [] };

interface Step {
  row: store.ClaimedPublication;
  /** All of its destinations, as they are before. */
  results: ResultRow[];
  /** Those that are tried now. */
  tries: { result: ResultRow; body: MessageBody }[];
}

const columnsOf = ({
  results: _r,
  messages: _m,
  faults: _f,
  ...columns
}: store.ClaimedPublication): PublicationColumns => columns;

/**
 * What is to be done for a publication whose time has come.
 * @param dueAt when it was due by the clock of the database, which may be ahead of ours: what is due by it is tried, else the
 * same would be taken again at once, and again
 */
function stepOf(row: store.ClaimedPublication, now: Date, dueAt: Date): Step {
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
    return body ? [{ result, body }] : [];
  });
  return { row, results, tries };
}

/** As many as go together, in their order. */
function inOne(rows: readonly store.ClaimedPublication[], due: readonly store.Queued[], now: Date): Step[] {
  const times = new Map(due.map((one) => [one.publication_id, one.due_at]));
  const steps: Step[] = [];
  let messages = 0;
  for (const row of rows) {
    const step = stepOf(row, now, times.get(row.id)!);
    messages += step.tries.length;
    if (steps.length && messages > MAX_MESSAGES) break;
    steps.push(step);
  }
  return steps;
}

/** @param outcomes of the destinations that were tried */
function settledOf(
  { row, results }: Step,
  outcomes: ReadonlyMap<ResultRow, ResultRow>,
  now: Date,
): Completed {
  const before = columnsOf(row);
  const after = results.map((result) => outcomes.get(result) ?? result);
  return {
    before,
    after: afterResults(before, after, now),
    results: after,
    changed: after.filter((result, nth) => result !== results[nth] || isWaiting(row.status)),
  };
}

/** Its endpoint was deleted: what waits is canceled, and what failed is tried no more. */
function withoutEndpoint(row: store.ClaimedPublication, now: Date): Completed {
  const before = columnsOf(row);
  if (isWaiting(row.status)) {
    const status = moveTo(row.status, 'canceled');
    const after = { ...before, status, reason: 'endpoint_deleted', finished_at: now, updated_at: now };
    return { before, after, results: [], changed: [] };
  }
  const results = row.results.map((result) => ({ ...result, next_attempt_at: null }));
  return { before, after: afterResults(before, results, now), results, changed: results };
}

/**
 * Publishes what was taken.
 * @param unit the transaction that has taken it, and locked nothing else
 */
export async function publishClaimed(
  unit: Unit,
  messages: MessagesPort,
  due: readonly store.Queued[],
): Promise<Published> {
  if (!due.length) return NOTHING;
  const { workspace_id: workspaceId, endpoint_id: endpointId } = due[0]!;
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
    return { endpointId, seen: due.length, completed };
  }
  const steps = inOne(rows, due, now);
  const tries = steps.flatMap((step) => step.tries);
  const sender = { id: publicId('publishing_endpoint', endpointId), source: 'publishing' } as const;
  const accepted = tries.length
    ? await messages.accept(
        unit,
        workspaceId,
        sender,
        tries.map(({ body }) => body),
      )
    : [];
  const outcomes = new Map(tries.map(({ result }, nth) => [result, tried(result, accepted[nth]!, now)]));
  const completed = steps.map((step) => settledOf(step, outcomes, now));
  const arrived = steps.filter(({ row }) => row.status === 'received').map(({ row }) => row);
  await completePublications(unit, completed, await recordRequests(unit.db, arrived));
  const instances = accepted.flatMap((outcome) => (outcome instanceof Problem ? [] : [outcome.instanceId]));
  if (instances.length) unit.afterCommit(() => messages.wake([...new Set(instances)]));
  return { endpointId, seen: steps.length + over.length, completed };
}

/** Ends one that can't be published, for a fault of the server: its destinations failed. */
export async function giveUp(unit: Unit, bucket: number, id: string): Promise<Published> {
  const [queued] = await store.takeOne(unit.db, bucket, id);
  if (!queued) return NOTHING;
  const [row] = await store.lockClaimed(unit.db, queued.workspace_id, [id]);
  if (!row) {
    await store.removeQueued(unit.db, [id]);
    return { ...NOTHING, seen: 1 };
  }
  const now = unit.clock();
  const step = stepOf(row, now, queued.due_at);
  const outcomes = new Map(step.tries.map(({ result }) => [result, toAbandoned(result, now)]));
  const completed = [settledOf(step, outcomes, now)];
  await completePublications(unit, completed);
  return { endpointId: queued.endpoint_id, seen: 1, completed };
}
