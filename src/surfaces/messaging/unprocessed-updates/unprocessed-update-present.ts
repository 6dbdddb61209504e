/** Unprocessed updates as the API and the event log show them. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { UnprocessedUpdateObject } from './unprocessed-update.schema.ts';
import type { UpdateRow } from './unprocessed-update.store.ts';

/** Without their content. */
export const presentUpdate = (
  row: Omit<UpdateRow, 'workspace_id' | 'is_signal'>,
): UnprocessedUpdateObject => ({
  id: publicId('unprocessed_update', row.id),
  object: 'unprocessed_update',
  instance_id: publicId('instance', row.instance_id),
  reason: row.reason as UnprocessedUpdateObject['reason'],
  type: row.type,
  size: row.size,
  raw_truncated: row.is_cut,
  replay_requested_at: row.replay_requested_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
