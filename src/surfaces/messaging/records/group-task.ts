/** What a connection is to do about a group: it waits in the queue as the action `group`, with the job that tells of it. */
import type { GroupSettings, ParticipantAction } from '../../../channels/contract/connection.ts';

/** What a caller gives a group besides what the channel knows of it. */
export interface OwnPart {
  metadata: Record<string, string>;
  /** Public ID of the key or person. */
  created_by: string;
}

/** IDs are in the database format. `settings` are as drivers take them. */
export type GroupTask =
  | ({
      do: 'create';
      /** Of the group that comes of it; its public form is what the channel is given, the same however often it is asked. */
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
