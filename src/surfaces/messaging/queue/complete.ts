/**
 * Stores the outcomes of claimed rows in the caller's transaction: completes or reschedules rows, updates messages,
 * writes events. Rows that no longer belong to this node are left alone.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { finishJob, reportProgress, takeUpJob } from '../../../core/jobs/job.service.ts';
import { joinAddresses } from '../contacts/same-person.ts';
import { isUnsent } from '../records/message-status.ts';
import type { MessageRow } from '../records/message.store.ts';
import { channelKey } from '../records/channel-key.ts';
import { lockAndRead } from '../records/message-change.system-store.ts';
import { createMessageEffects, type MessageEffects } from '../records/message-effects.ts';
import { saveSendTraces } from './send-spans.ts';
import type { Done } from './outcome.ts';
import { completeRows, type CompletedRow } from './complete.system-store.ts';

function flat({ row, outcome }: Done): CompletedRow {
  const again = outcome.kind === 'again' ? outcome : null;
  const externalId = outcome.kind === 'sent' ? outcome.result.externalId : null;
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    instance_id: row.instance_id,
    chat_id: row.chat_id,
    epoch: row.epoch,
    ends: again === null,
    due_ms: again?.dueMs ?? 0,
    uncertain: again?.uncertain ?? false,
    uncounted: again?.counted === false ? 1 : 0,
    error_code: again?.error?.code ?? null,
    error_detail: again?.error?.detail ?? null,
    external_key: externalId === null ? null : channelKey(externalId),
  };
}

function foldSend(
  effects: MessageEffects,
  message: MessageRow,
  { outcome, ownAddress }: Done,
  now: Date,
): void {
  if (outcome.kind === 'sent') {
    const { externalId, status, at } = outcome.result;
    message.external_id ??= externalId;
    message.from_address ??= ownAddress;
    effects.changed(message);
    effects.move(message, status, at);
  } else if (outcome.kind === 'failed' && isUnsent(message.status))
    effects.move(message, 'failed', now, outcome.error);
  else if (outcome.kind === 'again' && !outcome.uncertain && message.status === 'sending')
    effects.move(message, 'queued', now);
}

function foldAction(effects: MessageEffects, message: MessageRow, done: Done, now: Date): void {
  const { outcome } = done;
  const { action, payload } = done.row;
  if (outcome.kind === 'again' || outcome.kind === 'gone') return;
  message.pending_action = null;
  message.action_error = null;
  if (outcome.kind === 'failed') {
    const { code, detail } = outcome.error;
    message.action_error = { action, code, detail, at: now.toISOString() };
  } else if (action === 'edit') effects.edit(message, { text: payload?.text ?? '' }, now);
  else if (action === 'revoke') effects.takeBack(message, now);
  else if (action === 'react') {
    const emoji = payload?.emoji ?? null;
    const author = done.ownAddress ?? 'me';
    effects.react(message, { author, from_me: true, emoji, at: now });
  } else if (action === 'pin' || action === 'unpin') effects.pin(message, action === 'pin');
  else if (action === 'read') effects.move(message, 'read', now);
  effects.changed(message);
}

/** Completes the job of a `check`. */
async function finishCheck(unit: Unit, { row, outcome }: Done): Promise<void> {
  const jobId = row.payload?.job_id;
  if (typeof jobId !== 'string' || outcome.kind === 'again') return;
  const progress = await takeUpJob(unit, row.workspace_id, jobId);
  if (!progress) return;
  const result =
    outcome.kind === 'done'
      ? { results: outcome.result }
      : { results: null, ...(outcome.kind === 'failed' ? { error: outcome.error } : {}) };
  await reportProgress(unit, row.workspace_id, jobId, { ...progress, done: progress.total ?? 0 });
  await finishJob(unit, row.workspace_id, jobId, result);
}

/** Joins addresses if the channel knows a recipient by a different address than the one used. */
async function joinRecipients(unit: Unit, done: readonly Done[]): Promise<void> {
  const told = done.flatMap(({ row, outcome }) => {
    if (outcome.kind !== 'sent' || outcome.result.address === undefined || row.chat?.kind !== 'direct')
      return [];
    const { address, reassignable } = outcome.result;
    return [{ row, told: { addresses: [row.chat.address, address].map(channelKey), reassignable } }];
  });
  for (const [instanceId, steps] of Map.groupBy(told, ({ row }) => row.instance_id))
    await joinAddresses(unit, steps[0]!.row.workspace_id, instanceId, steps);
}

export interface CompletionDeps {
  /** Completes an operation on a group: groups are above the queue. */
  completeGroup(unit: Unit, done: Done): Promise<void>;
}

/**
 * @param unit its transaction has called `lockHeldQueues`
 * @param held the result of that
 */
export async function completeSends(
  unit: Unit,
  { completeGroup }: CompletionDeps,
  done: readonly Done[],
  held: ReadonlySet<string>,
): Promise<void> {
  const ours = done.filter(({ row }) => held.has(row.instance_id));
  if (!ours.length) return;
  const tx = unit.db;
  const settled = await completeRows(tx, ours.map(flat));
  const matched = ours.filter(({ row }) => settled.has(row.id));
  // Runs before messages are locked, because groups lock their chats.
  for (const one of matched) if (one.row.action === 'group') await completeGroup(unit, one);
  const now = unit.clock();
  const keys = matched.flatMap(({ row: { workspace_id, message_id: id } }) =>
    id === null ? [] : [{ workspace_id, id }],
  );
  const rows = new Map((await lockAndRead(tx, keys)).map((row) => [row.id, row]));
  const effects = createMessageEffects(now);
  for (const one of matched) {
    if (one.row.action === 'check') await finishCheck(unit, one);
    const message = one.row.message_id === null ? undefined : rows.get(one.row.message_id);
    if (!message) continue;
    if (one.row.action === 'send') foldSend(effects, message, one, now);
    else foldAction(effects, message, one, now);
  }
  await saveSendTraces(
    tx,
    matched.map(({ row }) => row),
  );
  await effects.write(unit);
  await joinRecipients(unit, matched);
}
