/**
 * Signals from a channel: messages, receipts and changes. A signal is applied once, even if it is emitted repeatedly.
 */
import type { MediaType, MessageType } from './capabilities.ts';
import type { ChannelData } from './channel-data.ts';
import type { GroupAbout, GroupParticipant, GroupRole, Reassignable, ReceivedFile } from './connection.ts';
import type { Json } from './json.ts';
import type { ChannelTemplate } from './template.ts';

/**
 * Kinds of messages that no person wrote: auto-replies, generated messages, mailing lists. Automatic replies to them
 * could loop.
 */
export const AUTOMATIC = ['auto_replied', 'auto_generated', 'list'] as const;
export type Automatic = (typeof AUTOMATIC)[number];

/** A signal. `externalId` is unique within the instance, and the same if the signal is emitted again. */
export type Signal =
  | InboundMessage
  | Receipt
  | Edited
  | Revoked
  | Reacted
  | Pinned
  | TypingSignal
  | PresenceSignal
  | ProfileSignal
  | GroupSignal
  | TemplatesSignal
  | ReachabilitySignal
  | SamePersonSignal
  | ChannelLimit
  | Unprocessed;

export interface InboundChat {
  kind: 'direct' | 'group';
  key: string;
  /** Normalized address of the contact or group. */
  address: string;
  title: string | null;
}

export interface InboundMessage {
  kind: 'message';
  /**
   * The channel's message ID. It is shown to users and passed back to reply to the message, mark it as read or react to
   * it.
   */
  externalId: string;
  /**
   * The server's message ID, on channels where senders choose `externalId` and could reuse one. Used for deduplication;
   * if omitted, `externalId` is used.
   */
  uniqueId?: string;
  /**
   * Other IDs that later signals may use as their `externalId` to refer to this message. If two messages share an
   * alias, it refers to the newer one. An alias that the sender chose must include the chat or the sender: otherwise
   * strangers could refer to messages of others.
   */
  aliases?: readonly string[];
  /**
   * Client ID, if this is a copy of a message that Fairlead sent. A copy is not stored as a message. It confirms that
   * the channel has the message only if `fromMe` is true.
   */
  clientId?: string | null;
  /**
   * The channel can't tell whether the account wrote it. If `clientId` is a message sent to this chat, this confirms
   * that message, or changes nothing if it is already confirmed. Otherwise it is a new message by `from`. Not combined
   * with `fromMe`.
   */
  mayBeOurs?: boolean;
  chat: InboundChat;
  /** Normalized address of the sender. */
  from: string;
  /** The sender's display name on the channel. */
  fromName: string | null;
  /** The sender's username, if it is not an address: usernames may change hands. Omitted if unknown. */
  fromUsername?: string | null;
  /** Whether the account sent it, through Fairlead or from another device. */
  fromMe: boolean;
  to: string | null;
  type: MessageType;
  text: string | null;
  file: { received: ReceivedFile } | { url: string; fileName: string | null } | null;
  /** The complete message as the channel delivered it, stored together with the parsed content. */
  source?: { received: ReceivedFile } | null;
  /**
   * If a message has several files, the driver emits each further file as a separate message in order, with `/2`, `/3`
   * … appended to `externalId`.
   */
  data: Json;
  subject: string | null;
  /** With `thread_ids`: the thread within the chat, at most 255 characters; null or omitted for none. */
  threadId?: string | null;
  /** `externalId` is any ID or alias of the replied-to message, or its client ID. */
  replyTo: { externalId: string } | null;
  mentions: string[];
  /** Set if the channel marks the message as automatic. */
  automatic?: Automatic | null;
  channelData?: ChannelData | null;
  /** Time of sending according to the channel. */
  at: Date;
}

export interface Receipt {
  kind: 'receipt';
  /** The message, by `externalId` or by `clientId`; the other is null. */
  externalId: string | null;
  clientId: string | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** Set if `status` is `failed`. */
  error: { code: string; detail: string } | null;
  /** The price of the message, if reported. */
  pricing?: { category: string; isBillable: boolean };
  at: Date;
  /** Whether the receipt covers all earlier messages in the chat as well. */
  upTo?: boolean;
  /**
   * For `delivered` or `read` of a message to a group: whether all members received or read it. If omitted, the receipt
   * is from one member, which only proves that the message was sent.
   */
  ofAll?: boolean;
  /**
   * Emitted for a direct chat, so it never applies to a message that was sent to a group. All members of a group know
   * the `clientId` of messages there, and could otherwise forge receipts for them.
   */
  isDirect?: boolean;
  /**
   * Key of the chat of the signal. Signals that arrive before their message are buffered per chat, so that one chat
   * can't fill the buffer.
   */
  heardIn?: string;
}

export interface Edited {
  kind: 'edited';
  /**
   * The driver must ensure that only the message's author can edit it, for example with an ID that contains the author.
   */
  externalId: string;
  /** As in `Receipt`, if the account itself edited the message. */
  clientId?: string | null;
  /** ID of the edit, if the channel has one. */
  changeId: string | null;
  /** New text or caption; null if removed, omitted if unchanged. */
  text?: string | null;
  /** New file of the message; omitted if unchanged. A file with the same bytes changes nothing. */
  file?: { type: MediaType; received: ReceivedFile };
  /** Fields to replace in the message's `channelData`; others are unchanged. */
  channelData?: Partial<ChannelData>;
  at: Date;
  /** As in `Receipt`. */
  heardIn?: string;
}

export interface Revoked {
  kind: 'revoked';
  externalId: string;
  clientId?: string | null;
  at: Date;
  /** As in `Receipt`. */
  heardIn?: string;
}

export interface Reacted {
  kind: 'reacted';
  /** Of the message, as the channel or as we named it. */
  externalId: string | null;
  clientId: string | null;
  author: string;
  fromMe: boolean;
  /** As in `Receipt`. */
  isDirect?: boolean;
  /** null if the reaction was removed. */
  emoji: string | null;
  /** The author's other reactions to the message, on channels that allow several. Each signal lists all of them. */
  others?: readonly string[];
  at: Date;
  /** As in `Receipt`. */
  heardIn?: string;
}

/** Someone pinned a message in its chat or unpinned it. */
export interface Pinned {
  kind: 'pinned';
  /** Of the message, as the channel or as we named it. */
  externalId: string;
  clientId?: string | null;
  isPinned: boolean;
  at: Date;
  /** As in `Receipt`. */
  heardIn?: string;
}

/** Not stored; only sent to subscribers of the event stream. */
export interface TypingSignal {
  kind: 'typing';
  chat: InboundChat;
  address: string;
  isTyping: boolean;
}

/** Not stored. */
export interface PresenceSignal {
  kind: 'presence';
  address: string;
  isOnline: boolean;
}

export interface ProfileSignal {
  kind: 'profile';
  address: string;
  /** Display name; null if the person has none, or if the channel knows none for a contact. */
  name: string | null;
  /** As `fromUsername` of `InboundMessage`. */
  username?: string | null;
  /**
   * Whether the address is in the account's contact list at the channel. If there is no contact yet, one is created.
   */
  isContact?: boolean;
}

/** State of the account's own membership in a group. */
export type GroupMembership = 'joined' | 'left' | 'removed' | 'banned' | 'destroyed';

export interface GroupParticipantChange {
  address: string;
  /** null if the participant is no longer in the group. */
  role: GroupRole | null;
  /** Display name on the channel; omitted if unknown. */
  name?: string | null;
  /** Why the participant is gone, if `role` is null and the reason is known. */
  gone?: 'left' | 'removed' | 'banned';
}

/**
 * State of a group. Only differences from the stored state become events, so a driver may emit the same or the complete
 * state repeatedly, for example after each opening.
 */
export interface GroupSignal {
  kind: 'group';
  /** Key of the group, equal to its chat's key. */
  key: string;
  /** Normalized address of the group. */
  address: string;
  membership?: GroupMembership;
  /** Omitted fields are unchanged. */
  about?: Partial<GroupAbout>;
  /** `all` is the complete list; anyone not listed is not in the group. */
  participants?: { all: readonly GroupParticipant[] } | { changed: readonly GroupParticipantChange[] };
  /** Address of the person who made the change; null if unknown. */
  by: string | null;
  at: Date;
}

/** All message templates of the account. Templates that are not listed no longer exist. */
export interface TemplatesSignal {
  kind: 'templates';
  all: readonly ChannelTemplate[];
}

/** Whether messages of the account can reach an address. For example, they can't after its owner blocks the account. */
export interface ReachabilitySignal {
  kind: 'reachability';
  address: string;
  isReachable: boolean;
  at: Date;
}

/**
 * Addresses of one person, such as a phone number and a user ID, or two spellings of a number. They become one contact
 * with one direct chat. Emitted before signals that contain one of the addresses; may be repeated.
 */
export interface SamePersonSignal {
  kind: 'same_person';
  /** Normalized. A new contact is created with the first. */
  addresses: readonly string[];
  /** Addresses that the person no longer has and that may be reassigned. The first of `addresses` replaces them. */
  former?: readonly string[];
  /** Which of `addresses` may have changed hands. */
  reassignable?: Reassignable;
}

/** A temporary restriction of the account by the channel; null once it is lifted. */
export interface ChannelLimit {
  kind: 'limit';
  restriction: { kind: string; until: Date | null } | null;
}

export const UNPROCESSED_REASONS = [
  'unknown_kind',
  'malformed',
  'no_sender',
  'driver_error',
  'not_storable',
  'expired',
] as const;
export type UnprocessedReason = (typeof UNPROCESSED_REASONS)[number];

/**
 * Content that the driver cannot read, or only in part. It is stored and shown to the user. A later version may be able
 * to read it: `raw` is then passed to `Connection.receive` as the body of a part. A driver lists the content that it
 * ignores on purpose; it reports all other content without a signal as unprocessed.
 */
export interface Unprocessed {
  kind: 'unprocessed';
  /**
   * - `unknown_kind`: the driver doesn't know this kind of content.
   * - `malformed`: the driver knows the kind, but fields are missing or have the wrong type.
   * - `no_sender`: the sender is missing, or its address is of an unknown kind.
   */
  reason: Extract<UnprocessedReason, 'unknown_kind' | 'malformed' | 'no_sender'>;
  /** The channel's name for this kind of content; null if it has none. */
  type: string | null;
  /** Must not contain URLs or headers of the request, which may contain secrets. */
  raw: Json;
}

/** Creates an `Unprocessed` signal for content that the driver cannot read. */
export const unprocessed = (
  reason: Unprocessed['reason'],
  type: string | null,
  raw: unknown,
): Unprocessed => ({ kind: 'unprocessed', reason, type, raw: raw as Json });
