/** Converts group rows for the API and the event log. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { GroupObject, GroupParticipantObject } from './group.schema.ts';
import type { GroupRow, ShownParticipant } from './group.store.ts';

export const presentParticipant = (one: ShownParticipant): GroupParticipantObject => ({
  contact_id: one.contact_id === null ? null : publicId('contact', one.contact_id),
  address: one.address,
  name: one.name,
  role: one.role,
});

export function presentGroup(row: GroupRow): GroupObject {
  const participants = row.shown.map(presentParticipant);
  const isIn = row.membership === 'joined';
  return {
    id: publicId('group', row.id),
    object: 'group',
    instance_id: publicId('instance', row.instance_id),
    chat_id: publicId('chat', row.chat_id),
    external_id: row.key,
    subject: row.subject,
    description: row.description,
    picture:
      row.picture_id === null || !row.has_picture ? null : { media_id: publicId('media', row.picture_id) },
    membership: row.membership as GroupObject['membership'],
    role: isIn ? row.own_role : null,
    owner: participants.find(({ role }) => role === 'owner') ?? null,
    participants,
    participants_count: row.participants,
    settings: {
      announce_only: row.announce_only,
      locked: row.locked,
      members_only: row.members_only,
    },
    invite_url: row.invite_url,
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
