/**
 * Counts requests to `/in/` whose body or signature is invalid, and keeps the last one of each endpoint: they belong to
 * no API key and create no publication. Kept in memory and written about once a second, so that a sender can't cause a
 * database write for each of them. A crash may lose that second.
 */
import type { Database } from '../../../../platform/db/database.ts';
import { storableText } from '../../../../platform/db/storable-text.ts';
import type { Problem } from '../../../../platform/http/problem.ts';
import type { ReceivingEndpoint } from '../endpoint.store.ts';
import { addInvalidRequests, type InvalidRequestsOf } from '../endpoint.system-store.ts';

const FLUSH_EVERY_MS = 1_000;
const MAX_DETAIL = 200;
/** Of a body that can't be read, and of an invalid signature. */
const STATUSES = new Set([400, 401, 408, 413, 415]);

export interface InvalidRequests {
  /** Has no effect for other errors. */
  note(endpoint: ReceivingEndpoint, problem: Problem, at: Date): void;
  /** Writes pending counts. */
  stop(): Promise<void>;
}

/** Errors of the JSON parser quote the invalid text, which the database may not be able to store. */
const withoutQuotes = (detail: string): string =>
  storableText(detail.replace(/".*"|'.*'/s, '"…"').slice(0, MAX_DETAIL));

export function startInvalidRequests(db: Database, onError: (error: unknown) => void): InvalidRequests {
  let noted = new Map<string, InvalidRequestsOf>();
  let flushing: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    if (!noted.size) return;
    const batch = noted;
    noted = new Map();
    try {
      await addInvalidRequests(db, [...batch.values()]);
    } catch (error) {
      for (const [id, before] of batch) {
        const since = noted.get(id);
        noted.set(id, since ? { ...since, count: since.count + before.count } : before);
      }
      throw error;
    }
  };
  const flushOnce = (): Promise<void> =>
    (flushing ??= flush()
      .catch(onError)
      .finally(() => {
        flushing = null;
      }));
  const timer = setInterval(() => void flushOnce(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    note({ workspaceId, id: endpointId }, { status, code, message }, at) {
      if (!STATUSES.has(status)) return;
      const count = (noted.get(endpointId)?.count ?? 0) + 1;
      noted.set(endpointId, { workspaceId, endpointId, count, at, code, detail: withoutQuotes(message) });
    },
    async stop() {
      clearInterval(timer);
      await flushOnce();
      await flushOnce();
    },
  };
}
