/** A span for each attempt to send a message, in the trace in which the message was accepted. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { loadTraces, saveTraces } from '../../../core/unit/traced-resources.system-store.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { isTracing, startSpan, withSpan } from '../../../platform/tracing/tracing.ts';
import type { Claimed } from './claim.system-store.ts';
import type { Outcome } from './outcome.ts';

const NONE: ReadonlyMap<string, string> = new Map();

/** Loads the traces of messages about to be sent. @returns traceparents by the message's public ID */
export async function loadSendTraces(
  db: Database,
  rows: readonly Claimed[],
): Promise<ReadonlyMap<string, string>> {
  if (!isTracing()) return NONE;
  const sends = rows.filter(({ action }) => action === 'send');
  return loadTraces(
    db,
    sends.map(({ workspace_id: workspaceId, id }) => ({ workspaceId, resourceId: publicId('message', id) })),
  );
}

/**
 * Executes a row within its span, which becomes `row.traceparent`.
 * @param execute never rejects
 */
export async function executeTraced(
  row: Claimed,
  channel: string,
  traces: ReadonlyMap<string, string>,
  execute: () => Promise<Outcome>,
): Promise<Outcome> {
  const messageId = publicId('message', row.id);
  const parent = row.action === 'send' ? traces.get(messageId) : undefined;
  if (parent === undefined) return withSpan(null, execute);
  const attributes = {
    'fairlead.workspace.id': publicId('workspace', row.workspace_id),
    'fairlead.instance.id': publicId('instance', row.instance_id),
    'fairlead.message.id': messageId,
    'fairlead.channel': channel,
    'fairlead.attempt': row.attempts,
  };
  const span = startSpan('message.send', 'client', attributes, parent);
  const outcome = await withSpan(span, execute);
  if (span) {
    span.set({ 'fairlead.outcome': outcome.kind });
    const error = outcome.kind === 'again' || outcome.kind === 'failed' ? outcome.error : null;
    if (error) span.fail(error.code);
    span.end();
    row.traceparent = span.traceparent;
  }
  return outcome;
}

/** Has the receipts of sent messages continue from their sends. */
export async function saveSendTraces(tx: Tx, rows: readonly Claimed[]): Promise<void> {
  const traces = rows.flatMap(({ workspace_id: workspaceId, id, traceparent }) =>
    traceparent === undefined ? [] : [{ workspaceId, resourceId: publicId('message', id), traceparent }],
  );
  if (traces.length) await saveTraces(traces).execute(tx);
}
