/** Converts contact rows for the API and the event log. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { ContactObject } from './contact.schema.ts';
import type { ContactRow } from './contact.store.ts';

export const presentContact = (row: ContactRow): ContactObject => ({
  id: publicId('contact', row.id),
  object: 'contact',
  name: row.name,
  profile_name: row.profile_name,
  username: row.username,
  identities: row.identities.map(({ instance_id: id, address, unreachable_since: since }) => ({
    instance_id: publicId('instance', id),
    address,
    reachable: since === null || since === undefined,
  })),
  avatar_url: row.avatar_url,
  blocked: row.blocked,
  metadata: row.metadata as Record<string, string>,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
