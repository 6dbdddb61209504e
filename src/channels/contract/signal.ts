/** Signals from a channel: messages, receipts, changes. Each is stored once, however often it is emitted. */
import type { MediaType, MessageType } from './capabilities.ts';
import type { ChannelData } from './channel-data.ts';
import type { GroupAbout, GroupParticipant, GroupRole, Reassignable, ReceivedFile } from './connection.ts';
import type { Json } from './json.ts';
import type { ChannelTemplate } from './template.ts';

/**
 * Messages that no person wrote: auto-replies, programs, mailing lists. Replying to them automatically creates a loop.
 */
export const AUTOMATIC = ['auto_replied', 'auto_generated', 'list'] as const;
export type Automatic = (typeof AUTOMATIC)[number];

/** What a channel tells. `externalId` is unique within the instance; the same thing told twice has the same. */
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
  /** The other side: a contact's address, or the group's. Normalized. */
  address: string;
  title: string | null;
}

export interface InboundMessage {
  kind: 'message';
  /** What the channel calls it: shown to users, and given back when it is answered, read or reacted to. */
  externalId: string;
  /**
   * Where `externalId` is the writer's choice, and so may come twice: what the server calls it. By this it is taken in
   * once; left out, by `externalId`.
   */
  uniqueId?: string;
  /**
   * By what later signals may name it (their `externalId`), where that is not its own `externalId` or `uniqueId`. Of two
   * messages with the same alias the newer is meant. A name that its writer chose holds the chat or the writer too: else
   * a stranger could name others' messages.
   */
  aliases?: readonly string[];
  /**
   * What we sent it under, where this is the copy of a message of ours. Where that is so, it is no message of its own;
   * that the channel has ours follows only where it is `fromMe`.
   */
  clientId?: string | null;
  /**
   * The channel can't tell whether the account wrote it. Where `clientId` names what was sent to this chat and is not
   * confirmed yet, this confirms it; of what is confirmed it is a copy, which changes nothing; else it is `from`'s. Not
   * together with `fromMe`.
   */
  mayBeOurs?: boolean;
  chat: InboundChat;
  /** Who wrote it, normalized. */
  from: string;
  /** What the channel calls the writer. */
  fromName: string | null;
  /** What others find the writer by, where that is no address: a name that may change hands. Left out: not told. */
  fromUsername?: string | null;
  /** The account wrote it itself, on another device or through us. */
  fromMe: boolean;
  to: string | null;
  type: MessageType;
  text: string | null;
  file: { received: ReceivedFile } | { url: string; fileName: string | null } | null;
  /** The whole as the channel delivered it, to be kept beside what was read from it. */
  source?: { received: ReceivedFile } | null;
  /** Several files: further ones become messages of their own in this order, `externalId` + `/2` …  */
  data: Json;
  subject: string | null;
  /** With `thread_ids`: the thread within the chat, at most 255 characters; null or left out for none. */
  threadId?: string | null;
  /** By any name of it, or by what we sent it under. */
  replyTo: { externalId: string } | null;
  mentions: string[];
  /** Where the channel marks what no person wrote. */
  automatic?: Automatic | null;
  channelData?: ChannelData | null;
  /** When the channel says it was written. */
  at: Date;
}

export interface Receipt {
  kind: 'receipt';
  /** One of the two. */
  externalId: string | null;
  clientId: string | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  /** With `failed`. */
  error: { code: string; detail: string } | null;
  /** What the channel charges for the message, if it says so. */
  pricing?: { category: string; isBillable: boolean };
  at: Date;
  /** Where reading one means that all before it in the chat were read. */
  upTo?: boolean;
  /**
   * For `delivered` or `read` of a message to a group: everybody has it. If omitted, it is one member's receipt, which
   * only proves that the message was sent.
   */
  ofAll?: boolean;
  /**
   * Told in a direct chat, where everybody who got our message knows its `clientId`: what was sent to a group, in which
   * that are all of its people, is not meant.
   */
  isDirect?: boolean;
  /** The key of the chat that it was told in: none fills up what is kept of things told too early. */
  heardIn?: string;
}

export interface Edited {
  kind: 'edited';
  /** Who may change the message has to be known before: a name that is its writer's own sees to it. */
  externalId: string;
  /** As with receipts, where the account itself changed it. */
  clientId?: string | null;
  /** Of the change itself, where the channel has one. */
  changeId: string | null;
  /** Text or caption; null: it was removed. Left out: unchanged. */
  text?: string | null;
  /** The file that the message has now; one with the same bytes changes nothing. Left out: unchanged. */
  file?: { type: MediaType; received: ReceivedFile };
  /** Members that replace those of the message; others are unchanged. */
  channelData?: Partial<ChannelData>;
  at: Date;
  /** As with receipts. */
  heardIn?: string;
}

export interface Revoked {
  kind: 'revoked';
  externalId: string;
  clientId?: string | null;
  at: Date;
  /** As with receipts. */
  heardIn?: string;
}

export interface Reacted {
  kind: 'reacted';
  /** Of the message, as the channel or as we named it. */
  externalId: string | null;
  clientId: string | null;
  author: string;
  fromMe: boolean;
  /** As with receipts. */
  isDirect?: boolean;
  /** null: taken back. */
  emoji: string | null;
  /** The author's other reactions, on channels that allow several: each signal has all of them. */
  others?: readonly string[];
  at: Date;
  /** As with receipts. */
  heardIn?: string;
}

/** A message was pinned in its chat or unpinned, by anybody. */
export interface Pinned {
  kind: 'pinned';
  /** Of the message, as the channel or as we named it. */
  externalId: string;
  clientId?: string | null;
  isPinned: boolean;
  at: Date;
  /** As with receipts. */
  heardIn?: string;
}

/** Not kept: told to those who follow the stream. */
export interface TypingSignal {
  kind: 'typing';
  chat: InboundChat;
  address: string;
  isTyping: boolean;
}

/** Not kept. */
export interface PresenceSignal {
  kind: 'presence';
  address: string;
  isOnline: boolean;
}

export interface ProfileSignal {
  kind: 'profile';
  address: string;
  /** null: none any more; of a contact of the account's: none that the channel knows. */
  name: string | null;
  /** As with messages. */
  username?: string | null;
  /** The account's own list at the channel has it: whoever is no contact yet becomes one. */
  isContact?: boolean;
}

/** What became of the account's own place in a group. */
export type GroupMembership = 'joined' | 'left' | 'removed' | 'banned' | 'destroyed';

export interface GroupParticipantChange {
  address: string;
  /** null: not in it any more. */
  role: GroupRole | null;
  /** What the channel calls it; left out where that is not told. */
  name?: string | null;
  /** If `role` is null: the reason, if known. */
  gone?: 'left' | 'removed' | 'banned';
}

/**
 * State of a group. Only differences from the stored state become events, so it may be emitted again, or completely
 * after each opening.
 */
export interface GroupSignal {
  kind: 'group';
  /** The group's chat has the same. */
  key: string;
  /** Of the group, normalized. */
  address: string;
  membership?: GroupMembership;
  /** Omitted fields are unchanged. */
  about?: Partial<GroupAbout>;
  /** `all`: whoever is not named is not in it. */
  participants?: { all: readonly GroupParticipant[] } | { changed: readonly GroupParticipantChange[] };
  /** Who did it; null where nobody says. */
  by: string | null;
  at: Date;
}

/** All message templates of the account; templates that are not listed no longer exist. */
export interface TemplatesSignal {
  kind: 'templates';
  all: readonly ChannelTemplate[];
}

/** Whether messages of the account can reach an address, such as after its owner blocked the account. */
export interface ReachabilitySignal {
  kind: 'reachability';
  address: string;
  isReachable: boolean;
  at: Date;
}

/**
 * Addresses of one person, such as a phone number and a user ID, or two ways to write a number: they become one contact
 * with one direct chat. It comes before signals that name one of them, and may come again.
 */
export interface SamePersonSignal {
  kind: 'same_person';
  /** Normalized. Somebody new is known by the first. */
  addresses: readonly string[];
  /** Addresses that the person has given up, so that they may become another's: the first of `addresses` replaces them. */
  former?: readonly string[];
  /** Of `addresses`. */
  reassignable?: Reassignable;
}

/** The channel limits the account for a time; null: not any more. */
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
 * Content that the driver cannot read, or not completely. It is stored and shown to the user. A later version may read
 * it: `Connection.receive` gets `raw` again as the body of a part. What a driver ignores on purpose it names in a list
 * of its own; everything else that gives no signal is reported as this.
 */
export interface Unprocessed {
  kind: 'unprocessed';
  /**
   * - `unknown_kind`: the driver knows no such kind of content.
   * - `malformed`: a kind that it knows, but members are missing or have another type.
   * - `no_sender`: no sender, or one whose address is of an unknown kind.
   */
  reason: Extract<UnprocessedReason, 'unknown_kind' | 'malformed' | 'no_sender'>;
  /** What the channel calls this kind of content; null if it does not say. */
  type: string | null;
  /** Neither URLs nor headers of the request: they may contain secrets. */
  raw: Json;
}

/** Reports content that the driver cannot read. */
export const unprocessed = (
  reason: Unprocessed['reason'],
  type: string | null,
  raw: unknown,
): Unprocessed => ({ kind: 'unprocessed', reason, type, raw: raw as Json });
