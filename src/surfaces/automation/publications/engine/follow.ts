/**
 * Updates results from the state of their messages.
 * | The sequencer records message updates of publications without waiting for any lock. This module consumes those
 * records and reads the current state of the messages. The order, number and delay of updates therefore do not matter.
 */
import type { Unit } from '../../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import type { MessagesPort, MessageState } from '../../ports/ports.ts';
import { isLast } from '../records/publication-state.ts';
import type { PublicationRow, ResultRow } from '../records/publication.store.ts';
import { recordRequests } from './endpoint-stats.store.ts';
import { afterMessage, afterResults } from './outcome.ts';
import * as store from './publication-queue.system-store.ts';
import { completePublications, type Completed } from './complete.store.ts';

export const MAX_UPDATES = 500;

const getMessageId = ({ message_id: id }: ResultRow): string | null => id && publicId('message', id);

function toCompleted(
  { results, ...before }: PublicationRow,
  states: ReadonlyMap<string, MessageState>,
  now: Date,
): Completed | null {
  const after = results.map((result) => {
    const id = getMessageId(result);
    return (id !== null && !isLast(result.status) && afterMessage(result, states.get(id), now)) || result;
  });
  const changed = after.filter((result, nth) => result !== results[nth]);
  return changed.length ? { before, after: afterResults(before, after, now), results: after, changed } : null;
}

async function getStates(
  unit: Unit,
  messages: Pick<MessagesPort, 'getStates'>,
  workspaceId: string,
  rows: readonly PublicationRow[],
): Promise<Map<string, MessageState>> {
  const open = rows.flatMap(({ results }) => results.filter(({ status }) => !isLast(status)));
  const ids = open.map(getMessageId).filter((id) => id !== null);
  return ids.length ? messages.getStates(unit, workspaceId, ids) : new Map();
}

export interface Followed {
  seen: number;
  completed: readonly Completed[];
  /** Received publications that are not published yet or never will be. */
  arrived: readonly PublicationRow[];
}

/**
 * Processes recorded updates.
 * @param unit a transaction that holds no locks
 * @param max maximum number of updates
 */
export async function followUpdates(
  unit: Unit,
  messages: Pick<MessagesPort, 'getStates'>,
  max = MAX_UPDATES,
): Promise<Followed> {
  const news = await store.claimUpdates(unit.db, max);
  if (!news.length) return { seen: 0, completed: [], arrived: [] };
  const places = [
    ...new Map(
      news.map(({ publication_id: id, workspace_id: workspaceId }) => [id, { workspaceId, id }]),
    ).values(),
  ];
  await store.lockPublications(unit.db, places);
  const rows = await store.readPublications(unit.db, places);
  const now = unit.clock();
  const requests = new Set(news.filter((one) => one.is_arrival).map((one) => one.publication_id));
  const completed: Completed[] = [];
  for (const [workspaceId, own] of Map.groupBy(rows, (row) => row.workspace_id)) {
    const states = await getStates(unit, messages, workspaceId, own);
    completed.push(...own.map((row) => toCompleted(row, states, now)).filter((one) => one !== null));
  }
  const arrived = rows.filter(({ id }) => requests.has(id));
  await completePublications(unit, completed, await recordRequests(unit.db, arrived));
  return { seen: news.length, completed, arrived };
}
