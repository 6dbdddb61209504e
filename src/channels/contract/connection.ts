/**
 * Operations of an open connection. Required operations exist on every channel; capabilities declare the optional ones.
 */
import type { Readable } from 'node:stream';
import type { MediaType, MessageType } from './capabilities.ts';
import type { IngressPart } from './ingress.ts';
import type { Json } from './json.ts';

/** A stored message to send. Every attempt to send it has the same `clientId`. */
export interface OutboundMessage {
  readonly id: string;
  /**
   * Globally unique ID that Fairlead assigns, `[0-9a-z_]{30}`. Used as the channel's message ID if the channel lets the
   * client choose it.
   */
  readonly clientId: string;
  readonly chat: ChatRef;
  readonly type: MessageType;
  readonly content: OutboundContent;
  readonly subject: string | null;
  /** With `thread_ids`: the thread within the chat; null for none. */
  readonly threadId: string | null;
  readonly replyTo: MessageRef | null;
  /** For threads: external IDs of earlier messages in the chat, oldest first, at most 20. */
  readonly references: readonly string[];
  /** Addresses of the mentioned people. */
  readonly mentions: readonly string[];
  /**
   * Whether a rule sent it. Channels that can mark such messages as automatic do, so that other programs don't reply.
   */
  readonly automatic: boolean;
  /** Number of earlier attempts with an unknown outcome. */
  readonly attempt: number;
}

export interface ChatRef {
  readonly kind: 'direct' | 'group';
  /** The channel's key of the chat: an address, or for a thread the ID of its first message. */
  readonly key: string;
  /** Address of the recipient or group. */
  readonly address: string;
  /** Subject of a thread, used for replies without a subject; null or omitted if unknown. */
  readonly title?: string | null;
}

export interface MessageRef {
  /** Client ID, if Fairlead sent the message. */
  readonly clientId: string | null;
  readonly externalId: string | null;
  readonly fromMe: boolean;
  /** Address of the author. */
  readonly author: string | null;
}

/** Message content as in the API, with the file ready to be read. */
export interface OutboundContent {
  /** Text, or the caption of a file. */
  readonly text: string | null;
  readonly file: OutboundFile | null;
  /** The field named after the type, for types that are neither text nor files. */
  readonly data: Json;
}

export interface OutboundFile {
  readonly mimeType: string;
  readonly size: number;
  readonly fileName: string | null;
  readonly type: MediaType;
  /** Opens a new stream of the file's bytes. */
  open(): Promise<Readable>;
  /** Signed download URL, valid for one hour. */
  readonly url: string;
}

/** Reference to a stored inbound file. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
}

/**
 * Addresses that may have changed hands without notice from the channel. If a person has one of `addresses` and also an
 * address for which `isAnothers` is true, the former has changed hands: it is taken away from that person, who keeps
 * the latter.
 */
export interface Reassignable {
  addresses: readonly string[];
  isAnothers: (address: string) => boolean;
}

export interface SendResult {
  /** The channel's ID; null if it has none and the client ID is used instead. */
  externalId: string | null;
  /** For direct messages: the channel's normalized address of the recipient, if it differs from the chat's. */
  address?: string;
  /** Whether `address` may have changed hands. */
  reassignable?: Reassignable;
  /** The status that the channel has confirmed. */
  status: 'sent' | 'delivered';
  at: Date;
}

/** An open connection. The signal of each call aborts it. Every call may throw a DriverError. */
export interface Connection {
  /** The account's own normalized address. */
  readonly address: string | null;
  readonly profileName?: string | null;
  /** Sends a message. Resolves once the channel acknowledges it. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendResult>;
  /**
   * For `resend: lookup`: finds out whether the channel accepted a message. @returns the result; null if the channel
   * never received it; `unknown` if the channel can't tell (for example, because the server has no archive), which is
   * handled like `resend: never`
   */
  lookup?(clientId: string, chat: ChatRef, signal: AbortSignal): Promise<SendResult | 'unknown' | null>;
  edit?(chat: ChatRef, message: MessageRef, text: string, signal: AbortSignal): Promise<void>;
  revoke?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  /** @param emoji null removes the reaction */
  react?(chat: ChatRef, message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void>;
  /** Pins a message in its chat, or unpins it. Must not fail if the message is already in that state. */
  setPinned?(chat: ChatRef, message: MessageRef, isPinned: boolean, signal: AbortSignal): Promise<void>;
  /** Marks this message and all earlier ones in the chat as read. */
  markRead?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  setTyping?(chat: ChatRef, isTyping: boolean, signal: AbortSignal): Promise<void>;
  contacts?: ContactCalls;
  groups?: GroupCalls;
  /**
   * Emits the signals of stored ingress parts in order. The parts are removed once it resolves; until then they are
   * passed again to this or a later connection. A part that cannot be read is emitted as `unprocessed`; on request, its
   * `raw` is passed again as the body of a part.
   */
  receive(parts: readonly IngressPart[], signal: AbortSignal): Promise<void>;
  /**
   * Checks that the connection is open and can receive. If it rejects or times out, the connection is closed and
   * reopened.
   */
  probe(signal: AbortSignal): Promise<void>;
  /** Signs the account out at the channel. */
  logout?(signal: AbortSignal): Promise<void>;
  /** Closes the connection. No signals are emitted afterwards. Never rejects. */
  close(): Promise<void>;
}

export interface ContactCalls {
  list?(signal: AbortSignal): Promise<{ address: string; name: string | null }[]>;
  /** Checks whether each address exists; null if unknown. Results are in the order of `addresses`. */
  check?(addresses: readonly string[], signal: AbortSignal): Promise<(boolean | null)[]>;
  setBlocked?(address: string, isBlocked: boolean, signal: AbortSignal): Promise<void>;
}

export type GroupRole = 'owner' | 'admin' | 'member';

export interface GroupSettings {
  /** Only owners and admins can send messages. */
  announceOnly: boolean;
  /** Only owners and admins can change the subject, description and picture. */
  locked: boolean;
  /** Joining requires an invitation. */
  membersOnly: boolean;
}

export interface GroupAbout {
  subject: string;
  description: string | null;
  settings: GroupSettings;
  /** Link for joining; null if there is none or the account may not see it. */
  inviteUrl: string | null;
  /** The group's picture, as a received file or a URL to fetch it from; null for none. */
  picture: { received: ReceivedFile } | { url: string } | null;
}

export interface GroupParticipant {
  /** Normalized address, or the in-group nickname if the group hides addresses. */
  address: string;
  role: GroupRole;
  /** Display name on the channel; omitted if unknown. */
  name?: string | null;
}

/** State of a group. Omitted fields keep their stored values. */
export interface GroupInfo
  extends
    Pick<GroupAbout, 'subject' | 'description'>,
    Partial<Pick<GroupAbout, 'settings' | 'inviteUrl' | 'picture'>> {
  key: string;
  address: string;
  participants: readonly GroupParticipant[];
  /** The channel lists only some participants, such as administrators. The stored state of others is kept. */
  isPartial?: boolean;
}

export const PARTICIPANT_ACTIONS = ['add', 'remove', 'promote', 'demote', 'ban', 'unban'] as const;
export type ParticipantAction = (typeof PARTICIPANT_ACTIONS)[number];

/** Result for one participant. */
export interface ParticipantOutcome {
  address: string;
  error: { code: string; detail: string } | null;
}

export interface GroupChange {
  subject?: string;
  description?: string | null;
  settings?: Partial<GroupSettings>;
  /** null removes the picture. */
  picture?: OutboundFile | null;
}

/**
 * Group operations. Each resolves once the channel has applied it. Operations are retried after a crash or timeout, so
 * repeating one that is already applied must not fail. After opening, the account's groups are reported by signals.
 */
export interface GroupCalls {
  /**
   * Creates a group. @param input `clientId` identifies the request: repeated calls with the same one create a single
   * group
   */
  create?(
    input: {
      clientId: string;
      subject: string;
      description: string | null;
      settings: Partial<GroupSettings>;
      participants: readonly string[];
    },
    signal: AbortSignal,
  ): Promise<{ group: GroupInfo; participants: ParticipantOutcome[] }>;
  /** Reads the current state of the group from the channel. */
  get(key: string, signal: AbortSignal): Promise<GroupInfo>;
  update(key: string, change: GroupChange, signal: AbortSignal): Promise<void>;
  /**
   * Applies an action to participants. @returns results in the order of `addresses` @throws DriverError rejected if the
   * action is not allowed for any of them
   */
  changeParticipants(
    key: string,
    action: ParticipantAction,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ParticipantOutcome[]>;
  /** Revokes the invitation link and creates a new one. @returns the new link */
  revokeInvite?(key: string, signal: AbortSignal): Promise<string | null>;
  /** Joins a group. @param invite invitation, or the group's address */
  join?(invite: string, signal: AbortSignal): Promise<GroupInfo>;
  leave(key: string, signal: AbortSignal): Promise<void>;
}
