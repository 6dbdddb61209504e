/** Carries the trace of a publication from its request to the messages that a publisher creates later. */
import { loadTraces, saveTraces } from '../../../../core/unit/traced-resources.system-store.ts';
import { publicId } from '../../../../core/vocabulary/ids.ts';
import type { Db } from '../../../../platform/db/database.ts';
import { isTracing } from '../../../../platform/tracing/tracing.ts';
import type { OutgoingMessage } from '../../ports/ports.ts';

/** Stores the traces of accepted publications whose request is sampled. */
export async function savePublicationTraces(
  db: Db,
  publications: readonly {
    id: string;
    request: { endpoint: { workspaceId: string } };
    traceparent: string | null;
  }[],
): Promise<void> {
  const traces = publications.flatMap(({ id, request, traceparent }) =>
    traceparent === null
      ? []
      : [{ workspaceId: request.endpoint.workspaceId, resourceId: publicId('publication', id), traceparent }],
  );
  if (traces.length) await saveTraces(traces).execute(db);
}

/** Returns the messages of all steps, in order, each in the trace of its publication. */
export async function withTraces(
  db: Db,
  workspaceId: string,
  steps: readonly { row: { id: string }; tries: readonly { outgoing: OutgoingMessage }[] }[],
): Promise<OutgoingMessage[]> {
  const all = steps.map(({ row, tries }) => ({ resourceId: publicId('publication', row.id), tries }));
  const traces = isTracing()
    ? await loadTraces(
        db,
        all.map(({ resourceId }) => ({ workspaceId, resourceId })),
      )
    : new Map<string, string>();
  return all.flatMap(({ resourceId, tries }) => {
    const traceparent = traces.get(resourceId);
    return tries.map(({ outgoing }) => (traceparent ? { ...outgoing, traceparent } : outgoing));
  });
}
