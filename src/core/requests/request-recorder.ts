/**
 * Records API requests in memory and writes them in batches, so that no request waits for the log.
 *
 * Memory is bounded: while the database is unavailable, at most MAX_PENDING requests are kept, and later ones are
 * dropped and counted. A process that is killed loses the requests since its last batch; a graceful stop loses none.
 */
import { Counter, type Registry } from 'prom-client';
import type { Database } from '../../platform/db/database.ts';
import { isConnectionError } from '../../platform/db/database.ts';
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import { requestIdToUuid } from '../../platform/http/ids.ts';
import type { Log } from '../../platform/logging/log.ts';
import type { WorkspaceActor } from '../auth/actor.ts';
import { insertRequests, type RequestRow } from './request-log.system-store.ts';

const FLUSH_EVERY_MS = 1_000;
/** Rows of one statement. */
const MAX_BATCH = 2_000;
const MAX_PENDING = 50_000;
/** Tries of a batch that the database rejects. Connection errors don't count: the batch then waits for the database. */
const MAX_TRIES = 5;

export interface RecordedRequest {
  /** Public request ID. */
  id: string;
  actor: WorkspaceActor;
  method: string;
  operation: string;
  /** Path pattern below /api/v1. */
  route: string;
  status: number;
  errorCode: string | null;
  address: string;
  durationMs: number;
}

export interface RequestRecorder {
  record(request: RecordedRequest): void;
  /** Writes pending records; call it once no request is running. */
  stop(): Promise<void>;
}

interface Deps {
  db: Database;
  log: Pick<Log, 'warn'>;
  registry?: Registry;
  /** Overridden in tests. */
  maxPending?: number;
}

function toRow({ actor, ...request }: RecordedRequest): RequestRow {
  const id = requestIdToUuid(request.id);
  return {
    id,
    workspace_id: actor.workspaceId,
    created_ms: timeOfUuid(id).getTime(),
    method: request.method,
    operation: request.operation,
    route: request.route,
    status: request.status,
    error_code: request.errorCode,
    api_key_id: actor.kind === 'api_key' ? actor.keyId : null,
    user_id: actor.kind === 'session' ? actor.userId : null,
    actor: actor.id,
    actor_name: actor.name,
    address: request.address,
    duration_ms: Math.min(Math.round(request.durationMs), 2 ** 31 - 1),
  };
}

export function startRequestRecorder({ db, log, registry, maxPending = MAX_PENDING }: Deps): RequestRecorder {
  let pending: RecordedRequest[] = [];
  let tries = 0;
  let droppedSinceFlush = 0;
  let flushing: Promise<void> | null = null;
  const dropped = new Counter({
    name: 'fairlead_request_log_dropped_total',
    help: 'Requests that could not be stored in the request log.',
    registers: registry ? [registry] : [],
  });

  const drop = (count: number): void => {
    dropped.inc(count);
    droppedSinceFlush += count;
  };

  /** @returns whether the batch is done: written, or given up */
  const writeBatch = async (batch: readonly RecordedRequest[]): Promise<boolean> => {
    try {
      await insertRequests(db, batch.map(toRow));
    } catch (error) {
      if (!isConnectionError(error)) tries++;
      const givesUp = tries >= MAX_TRIES;
      log.warn(
        { err: error, requests: batch.length },
        givesUp ? 'request log: batch dropped' : 'request log: batch failed, retrying',
      );
      if (!givesUp) return false;
      drop(batch.length);
    }
    tries = 0;
    return true;
  };

  const flush = async (): Promise<void> => {
    if (droppedSinceFlush) log.warn({ requests: droppedSinceFlush }, 'request log: requests dropped');
    droppedSinceFlush = 0;
    while (pending.length) {
      const batch = pending.slice(0, MAX_BATCH);
      if (!(await writeBatch(batch))) return;
      pending = pending.slice(batch.length);
    }
  };
  const flushOnce = (): Promise<void> =>
    (flushing ??= flush().finally(() => {
      flushing = null;
    }));
  const timer = setInterval(() => void flushOnce(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    record(request) {
      if (pending.length < maxPending) pending.push(request);
      else drop(1);
    },
    async stop() {
      clearInterval(timer);
      await flushOnce();
      await flushOnce();
      if (pending.length) log.warn({ requests: pending.length }, 'request log: requests dropped at the stop');
    },
  };
}
