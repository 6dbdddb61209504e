/**
 * Spans of clicks: one for each batch that is loaded, which begins a trace, and one for each click on a link that was
 * created in a sampled trace, which continues it. They have no visitor, address, or slug.
 */
import { loadTraces } from '../../../core/unit/traced-resources.system-store.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { isTracing, startSpan, startTrace, traced } from '../../../platform/tracing/tracing.ts';
import type { LoadedClick } from './load-row.ts';

export function loadTraced<T>(clicks: number, load: () => Promise<T>): Promise<T> {
  const span = clicks > 0 ? startTrace('click.load', 'consumer') : null;
  span?.set({ 'messaging.batch.message_count': clicks });
  return traced(span, load);
}

/** Records the clicks whose links are in a trace, once they are committed. @returns their traceparents */
export async function traceClicks(
  unit: Unit,
  clicks: readonly LoadedClick[],
): Promise<ReadonlyMap<LoadedClick, string>> {
  const spans = new Map<LoadedClick, string>();
  if (!isTracing()) return spans;
  const links = new Map(clicks.map(({ link_id: id, workspace_id: workspaceId }) => [id, workspaceId]));
  const traces = await loadTraces(
    unit.db,
    [...links].map(([id, workspaceId]) => ({ workspaceId, resourceId: publicId('link', id) })),
  );
  if (!traces.size) return spans;
  for (const click of clicks) {
    const linkId = publicId('link', click.link_id);
    const parent = traces.get(linkId);
    if (parent === undefined) continue;
    const attributes = {
      'fairlead.workspace.id': publicId('workspace', click.workspace_id),
      'fairlead.link.id': linkId,
      'fairlead.click.bot': click.bot,
    };
    const span = startSpan('link.click', 'consumer', attributes, parent);
    if (!span) continue;
    spans.set(click, span.traceparent);
    // A batch may be rolled back and loaded again.
    unit.afterCommit(() => span.end());
  }
  return spans;
}
