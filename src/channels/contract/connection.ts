/**
 * Operations of an open connection. `send` is called for stored messages. Required operations exist on every channel;
 * capabilities declare the optional ones.
 */
import type { Readable } from 'node:stream';
import type { MediaType, MessageType } from './capabilities.ts';
import type { IngressPart } from './ingress.ts';
import type { Json } from './json.ts';

/** A message to be sent. Its `clientId` is the same whenever this message is sent. */
export interface OutboundMessage {
  readonly id: string;
  /** Chosen by us, unique for ever, `[0-9a-z_]{30}`: to be the channel's ID where it lets us choose. */
  readonly clientId: string;
  readonly chat: ChatRef;
  readonly type: MessageType;
  readonly content: OutboundContent;
  readonly subject: string | null;
  /** With `thread_ids`: the thread within the chat; null for none. */
  readonly threadId: string | null;
  readonly replyTo: MessageRef | null;
  /** For threads: external IDs of the chat's messages so far, oldest first, at most 20. */
  readonly references: readonly string[];
  /** Addresses. */
  readonly mentions: readonly string[];
  /** Whether a rule sent it. Channels that can mark such messages do, so that other programs don't reply. */
  readonly automatic: boolean;
  /** Times that it was given to the channel before, without a known outcome. */
  readonly attempt: number;
}

export interface ChatRef {
  readonly kind: 'direct' | 'group';
  /** The channel's key of the chat: an address, or the first message's ID of a thread. */
  readonly key: string;
  /** Whom it goes to. */
  readonly address: string;
  /** What a thread is about, for answers that don't say; null or left out where that is not known. */
  readonly title?: string | null;
}

export interface MessageRef {
  /** Of a message that we sent. */
  readonly clientId: string | null;
  readonly externalId: string | null;
  readonly fromMe: boolean;
  /** Who wrote it. */
  readonly author: string | null;
}

/** Content as the API has it, files opened. */
export interface OutboundContent {
  /** Text, or the caption of a file. */
  readonly text: string | null;
  readonly file: OutboundFile | null;
  /** The object under the type's name, for types that are neither text nor file. */
  readonly data: Json;
}

export interface OutboundFile {
  readonly mimeType: string;
  readonly size: number;
  readonly fileName: string | null;
  readonly type: MediaType;
  /** A fresh stream of its bytes. */
  open(): Promise<Readable>;
  /** Where a receiver without a key gets it for an hour. */
  readonly url: string;
}

/** A stored inbound file, as the content of an inbound message refers to it. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
}

/**
 * Addresses that may have been another person's before, without news of that: they were if the channel called them one
 * person's with an address of which `isAnothers` is true. That person keeps the latter.
 */
export interface Reassignable {
  addresses: readonly string[];
  isAnothers: (address: string) => boolean;
}

export interface SendResult {
  /** The channel's ID; null if it has none and the client ID is used instead. */
  externalId: string | null;
  /** Of a direct message: the address that the channel knows the recipient by, if that is not the chat's. Normalized. */
  address?: string;
  /** Of that address. */
  reassignable?: Reassignable;
  /** What the channel is known to have done with it. */
  status: 'sent' | 'delivered';
  at: Date;
}

/** Each call gets the signal by which it is given up. All may throw DriverError. */
export interface Connection {
  /** The account's own address, normalized. */
  readonly address: string | null;
  readonly profileName?: string | null;
  /** Resolves when the channel has acknowledged it. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendResult>;
  /**
   * For `resend: lookup`: what became of a client ID; null when the channel never got it. `unknown` where that can't be
   * told (this server keeps no archive): then it is as with `resend: never`.
   */
  lookup?(clientId: string, chat: ChatRef, signal: AbortSignal): Promise<SendResult | 'unknown' | null>;
  edit?(chat: ChatRef, message: MessageRef, text: string, signal: AbortSignal): Promise<void>;
  revoke?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  /** @param emoji null takes the reaction back */
  react?(chat: ChatRef, message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void>;
  /** Pins a message in its chat, or unpins it. Must not fail if that is already so. */
  setPinned?(chat: ChatRef, message: MessageRef, isPinned: boolean, signal: AbortSignal): Promise<void>;
  /** Tells the channel that all up to this message is read. */
  markRead?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  setTyping?(chat: ChatRef, isTyping: boolean, signal: AbortSignal): Promise<void>;
  contacts?: ContactCalls;
  groups?: GroupCalls;
  /**
   * Emits the signals of stored ingress parts, in order. Once it resolves they are removed; until then they are given
   * again to this or a later connection. A part that cannot be read is emitted as `unprocessed`; on request, its `raw` is
   * given again as the body of a part.
   */
  receive(parts: readonly IngressPart[], signal: AbortSignal): Promise<void>;
  /** Checks that the connection is up and receives. Rejects or times out otherwise; it is then closed and reopened. */
  probe(signal: AbortSignal): Promise<void>;
  /** Ends the account's session at the channel. */
  logout?(signal: AbortSignal): Promise<void>;
  /** Ends the connection; no signals are emitted afterwards. Never rejects. */
  close(): Promise<void>;
}

export interface ContactCalls {
  list?(signal: AbortSignal): Promise<{ address: string; name: string | null }[]>;
  /** Whether each address exists; null where that can't be known. In the order given. */
  check?(addresses: readonly string[], signal: AbortSignal): Promise<(boolean | null)[]>;
  setBlocked?(address: string, isBlocked: boolean, signal: AbortSignal): Promise<void>;
}

export type GroupRole = 'owner' | 'admin' | 'member';

export interface GroupSettings {
  /** Only owners and admins write. */
  announceOnly: boolean;
  /** Only owners and admins change what it is called and says of itself. */
  locked: boolean;
  /** Nobody comes in uninvited. */
  membersOnly: boolean;
}

export interface GroupAbout {
  subject: string;
  description: string | null;
  settings: GroupSettings;
  /** Link for joining; null if there is none or the account may not see it. */
  inviteUrl: string | null;
  /** Its picture, as received, or where it is to be fetched; null for none. */
  picture: { received: ReceivedFile } | { url: string } | null;
}

export interface GroupParticipant {
  /** Normalized; of somebody whom the group shows only under a name of its own, that. */
  address: string;
  role: GroupRole;
  /** What the channel calls it; left out where that is not told. */
  name?: string | null;
}

/** What the channel does not tell is left out, and stays as it is known. */
export interface GroupInfo
  extends
    Pick<GroupAbout, 'subject' | 'description'>,
    Partial<Pick<GroupAbout, 'settings' | 'inviteUrl' | 'picture'>> {
  key: string;
  address: string;
  participants: readonly GroupParticipant[];
  /** The channel lists only some participants, such as administrators: others stay as they are known. */
  isPartial?: boolean;
}

export const PARTICIPANT_ACTIONS = ['add', 'remove', 'promote', 'demote', 'ban', 'unban'] as const;
export type ParticipantAction = (typeof PARTICIPANT_ACTIONS)[number];

/** What became of one of many. */
export interface ParticipantOutcome {
  address: string;
  error: { code: string; detail: string } | null;
}

export interface GroupChange {
  subject?: string;
  description?: string | null;
  settings?: Partial<GroupSettings>;
  /** null takes it away. */
  picture?: OutboundFile | null;
}

/**
 * Group operations; each resolves once the channel has done it. After a crash or timeout it is called again, so an
 * operation that is already done must not fail. Groups of the account are reported by signals after opening.
 */
export interface GroupCalls {
  /** @param input `clientId`: the same whenever this group is made: two calls make one group */
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
  /** As it is at the channel now. */
  get(key: string, signal: AbortSignal): Promise<GroupInfo>;
  update(key: string, change: GroupChange, signal: AbortSignal): Promise<void>;
  /** In the order given. @throws DriverError rejected, where none of it may be done */
  changeParticipants(
    key: string,
    action: ParticipantAction,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<ParticipantOutcome[]>;
  /** Makes a new invitation; the old one is worth nothing from then on. */
  revokeInvite?(key: string, signal: AbortSignal): Promise<string | null>;
  /** @param invite an invitation, or the group's address */
  join?(invite: string, signal: AbortSignal): Promise<GroupInfo>;
  leave(key: string, signal: AbortSignal): Promise<void>;
}
