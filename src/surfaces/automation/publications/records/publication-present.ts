/** Converts publications to API objects. */
import { publicId } from '../../../../core/vocabulary/ids.ts';
import type { PublicationObject, PublicationResultObject } from './publication.schema.ts';
import type { PublicationRow, ResultRow } from './publication.store.ts';

const orNull = (time: Date | null): string | null => time && time.toISOString();

function presentResult(row: ResultRow): PublicationResultObject {
  const { error_code: code, error_detail: detail, error_retryable: retryable } = row;
  return {
    destination: row.position,
    instance_id: publicId('instance', row.instance_id),
    to: row.recipient || null, // empty after an erasure
    type: row.type,
    message_id: row.message_id && publicId('message', row.message_id),
    status: row.status,
    error: code === null ? null : { code, detail: detail ?? '', retryable: retryable === true },
    attempts: row.attempts,
    next_attempt_at: orNull(row.next_attempt_at),
    updated_at: row.updated_at.toISOString(),
  };
}

const pub = (id: string | null): string | null => id && publicId('publication', id);

export const presentPublication = (row: PublicationRow): PublicationObject => ({
  id: publicId('publication', row.id),
  object: 'publication',
  endpoint_id: publicId('publishing_endpoint', row.endpoint_id),
  revision: row.revision,
  status: row.status,
  reason: row.reason as PublicationObject['reason'],
  error: row.error as PublicationObject['error'],
  source: row.source,
  replay_of: pub(row.replay_of),
  duplicate_of: pub(row.duplicate_of),
  results: row.results.map(presentResult),
  content_type: row.content_type,
  size: row.size,
  replaced_characters: row.replaced_characters,
  scheduled_at: orNull(row.scheduled_at),
  finished_at: orNull(row.finished_at),
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
