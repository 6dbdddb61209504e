/** Applies edits reported by a channel: text, file and further data. */
import { isDeepStrictEqual } from 'node:util';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { Edited } from '../../../channels/contract/signal.ts';
import { deleteUnshown } from '../contacts/contact-trace.store.ts';
import { toText } from '../records/message-content.ts';
import type { MessageRow } from '../records/message.store.ts';
import type { ContentChange } from '../records/message-effects.ts';
import { type State, toMessage } from './inbound-batch.ts';
import { toInboundData, toInboundText } from '../records/inbound-content.ts';
import * as store from './inbound.store.ts';
import { type ApplyDeps, keepFile } from './new-message.ts';

type ChannelDataRow = MessageRow['channel_data'];

/** Returns the data with the given members replaced; null if nothing is left. */
function mergeData(row: MessageRow, given: Edited['channelData']): ChannelDataRow {
  const changes = toInboundData(given);
  if (changes === null) return row.channel_data;
  const before = row.channel_data as { [name: string]: unknown } | null;
  // A null member is equivalent to a missing one.
  const changed = Object.entries(changes).filter(([name, value]) => value !== null || before?.[name] != null);
  const merged = { ...before, ...Object.fromEntries(changed) };
  return Object.values(merged).every((one) => one === null) ? null : merged;
}

async function getChange(
  unit: Unit,
  deps: ApplyDeps,
  { holding, replaced }: State,
  row: MessageRow,
  { text: given, file, channelData }: Edited,
): Promise<ContentChange> {
  const change: ContentChange = {};
  const text = typeof given === 'string' ? toInboundText(given) : (given ?? null);
  if (given !== undefined && (text ?? '') !== (toText(row.type, row.content) ?? '')) change.text = text;
  if (file && !(await store.hasSameBytes(unit.db, holding.workspaceId, row.media_id, file.received.sha256))) {
    const { id, fileName } = await keepFile(unit, deps, holding, file);
    change.file = { type: file.type, id, fileName };
    if (row.direction === 'inbound' && row.media_id !== null) replaced.push(row.media_id);
  }
  if (channelData === undefined) return change;
  const data = mergeData(row, channelData);
  if (!isDeepStrictEqual(data, row.channel_data)) change.channelData = data;
  return change;
}

/** @returns false if the message is not known (yet) */
export async function applyEdit(unit: Unit, deps: ApplyDeps, state: State, signal: Edited): Promise<boolean> {
  const row = toMessage(state, signal);
  if (!row) return false;
  if (row.deleted_at !== null) return true;
  const change = await getChange(unit, deps, state, row, signal);
  if (Object.keys(change).length) state.effects.edit(row, change, signal.at);
  return true;
}

/** Deletes files that no message shows any more, once the changes are written. */
export async function deleteReplaced(unit: Unit, { holding, replaced }: State): Promise<void> {
  const { workspaceId } = holding;
  for (const sha256 of new Set(await deleteUnshown(unit.db, workspaceId, replaced)))
    await unit.jobs.enqueue(unit.db, 'media.collect', { workspaceId, sha256 });
}
