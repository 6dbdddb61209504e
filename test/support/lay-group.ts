/** A group as the channel told of it, without the channel. */
import type pg from 'pg';
import { timeOfUuid } from '../../src/platform/db/uuid-time.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import { publicId } from '../../src/core/vocabulary/ids.ts';

/** One that the account is in, with its chat and a participant. @param instance its uuid. @returns its public ID */
export async function layGroup(pool: pg.Pool, instance: string, subject: string): Promise<string> {
  const [group, chat] = [newUuid(), newUuid()];
  const address = `group:${group.replaceAll('-', '').slice(-20)}`;
  await pool.query(
    `with made as (
       insert into chats (workspace_id, id, instance_id, kind, key, address, title, created_at, updated_at)
       select workspace_id, $2, id, 'group', $4, $4, $5, now(), now() from instances where id = $3 returning *
     ), joined as (
       insert into group_participants (workspace_id, instance_id, group_id, address, role, created_at)
       select workspace_id, instance_id, $1, 'alice', 'member', created_at from made
     )
     insert into groups (workspace_id, id, instance_id, key, chat_id, subject, invite_url, membership, participants, created_at, updated_at)
     select workspace_id, $1, instance_id, key, id, $5, key || '?invite=' || $5, 'joined', 1, $6, $6 from made`,
    [group, chat, instance, address, subject, timeOfUuid(group)],
  );
  return publicId('group', group);
}
