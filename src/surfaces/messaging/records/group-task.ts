/** A group task for a connection. It is queued as the action `group`, with the job that reports its result. */
import type { GroupSettings, ParticipantAction } from '../../../channels/contract/connection.ts';

/** Data of a group that the caller sets and the channel does not know. */
export interface OwnPart {
  metadata: Record<string, string>;
  /** Public ID of the key or person. */
  created_by: string;
}

/** IDs are in the database format. `settings` are as drivers take them. */
export type GroupTask =
  | ({
      do: 'create';
      /** ID of the group to create. The channel receives its public form, which is the same for every attempt. */
      group_id: string;
      subject: string;
      description: string | null;
      settings: Partial<GroupSettings>;
      participants: string[];
    } & OwnPart)
  | ({ do: 'join'; invite: string } & OwnPart)
  | {
      do: 'update';
      group_id: string;
      subject?: string;
      description?: string | null;
      settings?: Partial<GroupSettings>;
      /** Of media; null takes the picture away. */
      picture_id?: string | null;
    }
  | { do: 'participants'; group_id: string; action: ParticipantAction; addresses: string[] }
  | { do: 'leave' | 'revoke_invite' | 'refresh'; group_id: string };
