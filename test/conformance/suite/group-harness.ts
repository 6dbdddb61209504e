/** What somebody at the other end sees of groups and does with them, without the driver's code. */
import type {
  ChatRef,
  GroupRole,
  GroupSettings,
  ParticipantAction,
} from '../../../src/channels/contract/connection.ts';
import type { Peer } from './harness.ts';

/** A group as somebody who is in it sees it. */
export interface GroupSight {
  subject: string;
  description: string | null;
  /** SHA-256 of its picture, hexadecimal; null for none. */
  picture: string | null;
  settings: GroupSettings;
  /** All of them, those who are offline too. */
  participants: readonly {
    address: string;
    role: GroupRole;
    /** On the group's lists, but not in the group. Only such channels say it as keep the last owner of a group listed. */
    isAbsent?: boolean;
  }[];
}

export interface GroupSightChange {
  subject?: string;
  description?: string;
  /** The bytes of a PNG. */
  picture?: Buffer;
  settings?: Partial<GroupSettings>;
}

/** Thrown where the channel refuses the other end something. */
export class Refused extends Error {}

/** It comes by itself into groups to which it is added. Each rejects with `Refused` where the channel refuses it. */
export interface PeerGroups {
  /** Makes a group, whose owner it is, and adds those members. @returns the group's chat, as an account has it */
  create(
    about: { subject: string; settings?: Partial<GroupSettings> },
    members: readonly string[],
  ): Promise<ChatRef>;
  /** null where it is not in it (any more). */
  see(group: ChatRef): Promise<GroupSight | null>;
  update(group: ChatRef, change: GroupSightChange): Promise<void>;
  changeParticipants(group: ChatRef, action: ParticipantAction, address: string): Promise<void>;
  /** By an invitation, or a group's address. */
  join(invite: string): Promise<void>;
  leave(group: ChatRef): Promise<void>;
  /** An invitation by which an account may join. */
  invite?(group: ChatRef): Promise<string>;
  /** Ends the group for everybody. */
  destroy?(group: ChatRef): Promise<void>;
  /**
   * The same person in that group: its `chat` is the group's, what it sends goes there whoever it is `to`, and it sees only
   * what is written there.
   */
  within(group: ChatRef): Peer;
}
