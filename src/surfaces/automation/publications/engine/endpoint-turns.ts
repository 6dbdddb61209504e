/**
 * Which endpoint is served next: persons take turns, then their workspaces, then the endpoints of each, a batch of
 * publications at a time. Persons share the transactions of this process, with a reserve for those that have none
 * (fair-slots.ts): a transaction may wait for locks.
 */
import type { GetPerson } from '../../../../core/auth/person-lookup.ts';
import { createFairGate } from '../../../../platform/limits/fair-gate.ts';
import type { DueEndpoint } from './publication-queue.system-store.ts';

/**
 * Maximum concurrent transactions; one person gets at most two. Their pool is shared with work that can't wait long.
 */
const CAPACITY = 4;
/** Endpoints that wait in this process. Others are found again later. */
const MAX_WAITING = 1_000;

export interface EndpointTurns {
  /** Lets endpoints wait for their turn. Those that wait already keep their place. */
  add(endpoints: readonly DueEndpoint[]): void;
  /** How many wait or are served. */
  size(): number;
  /** Resolves once those under way are served; the others leave. */
  stop(): Promise<void>;
}

export interface EndpointTurnsDeps {
  getPerson: GetPerson;
  /** Publishes a batch of an endpoint. @returns whether it may have more */
  publish: (endpoint: DueEndpoint) => Promise<boolean>;
  /** A batch failed; its endpoint has left. */
  onError: (error: unknown) => void;
  /** The last endpoint has left. */
  onEmpty: () => void;
}

export function createEndpointTurns({
  getPerson,
  publish,
  onError,
  onEmpty,
}: EndpointTurnsDeps): EndpointTurns {
  const left = new Error('the endpoint is served later');
  const inTurn = createFairGate({ capacity: CAPACITY, maxWaiting: MAX_WAITING, refuse: () => left });
  const stopping = new AbortController();
  const present = new Map<string, Promise<void>>();

  const serve = async (endpoint: DueEndpoint): Promise<void> => {
    const { workspace_id: workspaceId, endpoint_id: id } = endpoint;
    try {
      const path = [await getPerson(workspaceId), workspaceId, id];
      while (await inTurn(path, () => publish(endpoint), stopping.signal));
    } catch (error) {
      if (error !== left) onError(error);
    }
    present.delete(id);
    if (present.size === 0) onEmpty();
  };

  return {
    add(endpoints) {
      for (const endpoint of endpoints)
        if (!present.has(endpoint.endpoint_id)) present.set(endpoint.endpoint_id, serve(endpoint));
    },
    size: () => present.size,
    async stop() {
      stopping.abort(left);
      await Promise.all(present.values());
    },
  };
}
