/**
 * The contract between the product and a channel. A driver knows how to speak to one kind of server; it knows no
 * database, no HTTP and no state of the product. What a driver is given and what it gives back is durable on our side
 * before it is acknowledged on the other: `send` is called for a message that is stored, and whoever acknowledges to
 * the channel awaits `emit` first.
 *
 * docs/channel-drivers.md tells how to write one; `conformance/` is what each must pass.
 */
import type { Readable } from 'node:stream';
import type { TObject } from 'typebox';
import type { Egress } from '../../http/egress/egress.ts';
import type { Capabilities, MediaType, MessageType } from './capabilities.ts';

/** JSON that a driver wants kept for it. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * After a crash, or where no acknowledgement came in time, nobody knows whether the channel took a message.
 * - `deduplicated`: sending again under the same client id has no effect if it did.
 * - `lookup`: the channel can be asked for the client id (`Connection.lookup`).
 * - `never`: neither; the message fails as `delivery_unknown` unless the instance says resend.
 */
export type Resend = 'deduplicated' | 'lookup' | 'never';

export interface Driver {
  /** Its name in the API: `email`. */
  readonly channel: string;
  readonly title: string;
  /** One sentence for the console. */
  readonly description: string;
  /** Strict TypeBox objects; the console makes its forms of them. A secret field has `format: 'password'`. */
  readonly credentials: TObject;
  readonly settings: TObject;
  /** JSON pointers into `settings`, whose change asks for the credentials again, so that nobody sends them to a server of theirs: `/imap/host`. */
  readonly hostSettings: readonly string[];
  readonly resend: Resend;
  /** How long `send` may take until the message is looked after as `resend` says. Milliseconds. */
  readonly ackTimeoutMs: number;
  /** Whether it pairs (QR, code) rather than taking credentials alone. */
  readonly pairs: boolean;
  capabilities(settings: Json): Capabilities;
  /** The account's own address where it is known before any connection, normalised; else null. */
  ownAddress(input: { name: string; settings: Json; credentials: Json }): string | null;
  /**
   * The one way to write an address: what two spellings of one have in common. No look-up.
   * @throws AddressFault where it can be none
   */
  normaliseAddress(address: string, settings: Json): string;
  /** Hosts that the settings name, for the check before anything is stored. `pointer` is one into `settings`. */
  endpoints(settings: Json): { host: string; port: number; pointer: string }[];
  /**
   * Opens a connection and resolves once it can send and hears. Waits for pairing within it (`context.pairing`).
   * @throws DriverError
   */
  open(context: DriverContext): Promise<Connection>;
}

export class AddressFault extends Error {
  readonly pointer: string;

  /** @param pointer for `ownAddress`: where it came from, `/name` or `/settings/…` */
  constructor(message: string, pointer = '') {
    super(message);
    this.pointer = pointer;
  }
}

/**
 * Why a driver could not do what it was asked.
 * - `refused`: credentials are wrong, the account is closed or logged out: trying again is no use before somebody acts.
 * - `lost`: the server can't be reached or the connection is gone: tried again with growing waits.
 * - `restricted`: the channel limits the account for a time (`until`).
 * - `rejected`: this message or call was refused for good.
 * - `busy`: this message or call was refused for now; `retryAfterMs` where the channel says.
 * - `unknown`: it may have been taken, or not.
 */
export type FaultKind = 'refused' | 'lost' | 'restricted' | 'rejected' | 'busy' | 'unknown';

export class DriverError extends Error {
  readonly kind: FaultKind;
  /** Stable snake_case, shown as `error.code`: `recipient_unknown`, `authentication_failed`, `too_large`. */
  readonly code: string;
  readonly retryAfterMs: number | null;
  readonly until: Date | null;

  /** @param detail for people; never a credential. */
  constructor(
    kind: FaultKind,
    code: string,
    detail: string,
    options: { retryAfterMs?: number; until?: Date; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.until = options.until ?? null;
  }
}

export interface DriverContext {
  readonly workspaceId: string;
  readonly instanceId: string;
  readonly name: string;
  readonly settings: Json;
  readonly credentials: Json;
  /** The only way to the network. */
  readonly egress: Egress;
  /** What was told last by `emit` as `position`: where hearing goes on; null at first. */
  readonly position: Json;
  readonly log: {
    debug(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
  /** Aborts when the instance is to be disconnected, while `open` still waits. */
  readonly signal: AbortSignal;
  /**
   * What the channel told, in its order. Resolves once all of it is durable, each thing once however often it is told;
   * only then may the channel be told that it arrived. `position` is kept in the same transaction.
   * @throws DriverError lost, where this connection is not the instance's any more: close.
   */
  emit(signals: Signal[], position?: Json): Promise<void>;
  /** Streams a file in, whatever its size. The file is kept only once a message with it was emitted. */
  receiveFile(
    source: Readable,
    about: { fileName: string | null; mimeType: string | null },
  ): Promise<ReceivedFile>;
  /** What somebody must do on a device, until it is done; null once it is. */
  pairing(step: PairingStep | null): void;
  /** New credentials that pairing gave, kept sealed from then on. */
  saveCredentials(credentials: Json): Promise<void>;
  /** The connection that `open` gave has ended or hears nothing any more. Nothing is called on it afterwards but `close`. */
  ended(reason: DriverError): void;
}

export interface PairingStep {
  kind: 'qr' | 'code' | 'link';
  /** What the QR code holds, the code to type, or the address to open. */
  data: string;
  expiresAt: Date;
}

/** Handed back in an inbound message's content. */
export interface ReceivedFile {
  readonly size: number;
  readonly sha256: string;
}

/** A message to be sent. Its `clientId` is the same whenever this message is sent. */
export interface OutboundMessage {
  readonly id: string;
  /** Chosen by us, unique for ever, `[0-9a-z_]{30}`: to be the channel's id where it lets us choose. */
  readonly clientId: string;
  readonly chat: ChatRef;
  readonly type: MessageType;
  readonly content: OutboundContent;
  readonly subject: string | null;
  readonly replyTo: MessageRef | null;
  /** For threads: external ids of the chat's messages so far, oldest first, at most 20. */
  readonly references: readonly string[];
  /** Addresses. */
  readonly mentions: readonly string[];
  /** Times that it was given to the channel before, without a known outcome. */
  readonly attempt: number;
}

export interface ChatRef {
  readonly kind: 'direct' | 'group';
  /** The channel's key of the chat: an address, or the first message's id of a thread. */
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

export interface SendResult {
  /** The channel's id; null where it has none and the client id stands for it. */
  externalId: string | null;
  /** What the channel is known to have done with it. */
  status: 'sent' | 'delivered';
  at: Date;
}

/** Each call gets the signal by which it is given up. All may throw DriverError. */
export interface Connection {
  /** The account's own address, normalised. */
  readonly address: string | null;
  readonly profileName?: string | null;
  /** Resolves when the channel has acknowledged it. */
  send(message: OutboundMessage, signal: AbortSignal): Promise<SendResult>;
  /** For `resend: lookup`: what became of a client id; null when the channel never got it. */
  lookup?(clientId: string, chat: ChatRef, signal: AbortSignal): Promise<SendResult | null>;
  edit?(chat: ChatRef, message: MessageRef, text: string, signal: AbortSignal): Promise<void>;
  revoke?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  /** @param emoji null takes the reaction back */
  react?(chat: ChatRef, message: MessageRef, emoji: string | null, signal: AbortSignal): Promise<void>;
  /** Tells the channel that all up to this message is read. */
  markRead?(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void>;
  setTyping?(chat: ChatRef, isTyping: boolean, signal: AbortSignal): Promise<void>;
  contacts?: ContactCalls;
  groups?: GroupCalls;
  /** Proves that it is up and hears. Rejects, or misses its time, when it is deaf: then it is closed and made anew. */
  probe(signal: AbortSignal): Promise<void>;
  /** Ends the account's session at the channel. */
  logout?(signal: AbortSignal): Promise<void>;
  /** Ends the connection; no signal is told afterwards. Never rejects. */
  close(): Promise<void>;
}

export interface ContactCalls {
  list?(signal: AbortSignal): Promise<{ address: string; name: string | null }[]>;
  /** Whether each address exists; null where that can't be known. In the order given. */
  check?(addresses: readonly string[], signal: AbortSignal): Promise<(boolean | null)[]>;
  setBlocked?(address: string, isBlocked: boolean, signal: AbortSignal): Promise<void>;
}

export type GroupRole = 'owner' | 'admin' | 'member';

export interface GroupInfo {
  key: string;
  subject: string;
  description: string | null;
  participants: { address: string; role: GroupRole }[];
  settings: { announceOnly: boolean; locked: boolean; membersOnly: boolean };
  inviteUrl: string | null;
}

/** For the operations on groups; each resolves once the channel has done it. */
export interface GroupCalls {
  create(
    input: { clientId: string; subject: string; participants: string[] },
    signal: AbortSignal,
  ): Promise<GroupInfo>;
  get(key: string, signal: AbortSignal): Promise<GroupInfo>;
  update(
    key: string,
    change: { subject?: string; description?: string | null; settings?: Partial<GroupInfo['settings']> },
    signal: AbortSignal,
  ): Promise<void>;
  changeParticipants(
    key: string,
    action: 'add' | 'remove' | 'promote' | 'demote' | 'ban' | 'unban',
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<void>;
  invite?(key: string, action: 'get' | 'revoke', signal: AbortSignal): Promise<string | null>;
  join(invite: string, signal: AbortSignal): Promise<GroupInfo>;
  leave(key: string, signal: AbortSignal): Promise<void>;
}

/** What a channel tells. `externalId` is unique within the instance; the same thing told twice has the same. */
export type Signal =
  | InboundMessage
  | Receipt
  | Edited
  | Revoked
  | Reacted
  | TypingSignal
  | PresenceSignal
  | ProfileSignal
  | GroupSignal
  | ChannelLimit;

export interface InboundChat {
  kind: 'direct' | 'group';
  key: string;
  /** The other side: a contact's address, or the group's. Normalised. */
  address: string;
  title: string | null;
}

/** What no person wrote: an answer that came by itself, a program's, a mailing list's. Who answers such makes a loop. */
export const AUTOMATIC = ['auto_replied', 'auto_generated', 'list'] as const;
export type Automatic = (typeof AUTOMATIC)[number];

export interface InboundMessage {
  kind: 'message';
  externalId: string;
  /** What we sent it under, where this is the copy of a message of ours. */
  clientId?: string | null;
  chat: InboundChat;
  /** Who wrote it, normalised. */
  from: string;
  /** What the channel calls the writer. */
  fromName: string | null;
  /** The account wrote it itself, on another device or through us. */
  fromMe: boolean;
  to: string | null;
  type: MessageType;
  text: string | null;
  file: { received: ReceivedFile } | { url: string; fileName: string | null } | null;
  /** Several files: further ones become messages of their own in this order, `externalId` + `/2` …  */
  data: Json;
  subject: string | null;
  replyTo: { externalId: string } | null;
  mentions: string[];
  /** Where the channel marks what no person wrote. */
  automatic?: Automatic | null;
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
  at: Date;
  /** Where reading one means that all before it in the chat were read. */
  upTo?: boolean;
}

export interface Edited {
  kind: 'edited';
  externalId: string;
  /** Of the change itself, where the channel has one. */
  changeId: string | null;
  text: string;
  at: Date;
}

export interface Revoked {
  kind: 'revoked';
  externalId: string;
  at: Date;
}

export interface Reacted {
  kind: 'reacted';
  /** Of the message, as the channel or as we named it. */
  externalId: string | null;
  clientId: string | null;
  author: string;
  fromMe: boolean;
  /** null: taken back. */
  emoji: string | null;
  at: Date;
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
  name: string | null;
}

export interface GroupSignal {
  kind: 'group';
  key: string;
  change: 'updated' | 'participants_changed' | 'joined' | 'left';
  group: GroupInfo;
}

/** The channel limits the account for a time; null: not any more. */
export interface ChannelLimit {
  kind: 'limit';
  restriction: { kind: string; until: Date | null } | null;
}
