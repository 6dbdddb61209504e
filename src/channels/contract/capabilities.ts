/**
 * What a channel can do: one document per driver. From it comes the 422 before anything is queued, what the console's
 * composer offers, and the table in docs/channels.md. Nothing here is a promise of a driver that its conformance run
 * doesn't check.
 */

/**
 * After a crash, or where no acknowledgement came in time, nobody knows whether the channel took a message.
 * - `deduplicated`: sending again under the same client ID has no effect if it did.
 * - `lookup`: the channel can be asked for the client ID (`Connection.lookup`).
 * - `never`: neither; the message fails as `delivery_unknown` unless the instance says resend.
 */
export type Resend = 'deduplicated' | 'lookup' | 'never';

/** Types of message content, as in the API; the content stands under the type's name. */
export const MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
  'location',
  'contacts',
  'poll',
  'reaction',
  'template',
  'interactive',
  'event',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** Types whose content is a file. */
export const MEDIA_TYPES = ['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];
export const isMediaType = (type: string): type is MediaType =>
  (MEDIA_TYPES as readonly string[]).includes(type);

/** Operations other than sending. */
export const OPERATIONS = [
  /** A sent message's text can be changed. */
  'edit',
  /** A sent message can be taken back for everybody. */
  'revoke',
  'react',
  /** Any message of a chat can be pinned in it, and unpinned. */
  'pin',
  'reply',
  'mention',
  /** Telling the other side that a message was read. */
  'read',
  /** Telling the other side that somebody types. */
  'typing',
  'forward',
  /** The channel tells of delivery; of reading. */
  'delivery_receipts',
  'read_receipts',
  'presence',
  /** Groups can be left, their subject changed, and participants removed. */
  'groups',
  'group_create',
  /** Groups can be joined by an invitation or their address. */
  'group_join',
  /** Participants can be added. */
  'group_add',
  /** Participants can be promoted and demoted. */
  'group_promote',
  'group_description',
  'group_picture',
  'group_ban',
  /** A group has an invitation link, which can be replaced. */
  'group_invite',
  'group_invite_revoke',
  /** Settings of groups. */
  'group_announce_only',
  'group_locked',
  'group_members_only',
  /** Whether an address exists can be asked. */
  'check_address',
  'block',
  /** The channel has a list of contacts. */
  'contact_list',
  /** Messages missed while disconnected are fetched afterwards. */
  'history',
  /** The account's own messages from other devices arrive. */
  'own_copies',
  /** A chat is a thread with a subject; an address may have many. */
  'threads',
  /** A chat can have threads: messages are received and sent with the ID of one. */
  'thread_ids',
  /** Messages can be sent from templates, which the channel lists. */
  'templates',
  /** A choice of an interactive message can open a form that the channel has. */
  'forms',
] as const;
export type ChannelOperation = (typeof OPERATIONS)[number];

export interface TypeCapability {
  /** Most characters (code points) of the body or caption; null for none allowed. */
  text: number | null;
  /** For files: most bytes, and types that are taken (`image/*`, `application/pdf`); null for any. */
  bytes?: number;
  mimeTypes?: string[] | null;
}

export interface Capabilities {
  /** Replaces the driver's `resend` where it depends on the settings. */
  resend?: Resend;
  /** Sendable types with their limits. Other types can't be sent. */
  types: Partial<Record<MessageType, TypeCapability>>;
  operations: readonly ChannelOperation[];
  /**
   * Pacing. `perSecond`, `perChat` and `perGroup` are messages per second, null for no limit; `perGroup` is for chats
   * with groups and defaults to `perChat`; `concurrency` is the number of concurrent chats.
   */
  pacing: {
    perSecond: number | null;
    perChat: number | null;
    perGroup?: number | null;
    concurrency: number;
  };
  limits: {
    /** Seconds after sending within which edit and revoke are taken; null for ever. */
    editWithin: number | null;
    revokeWithin: number | null;
    /** Most members of a group; null where there are no groups or no bound. */
    groupMembers: number | null;
    /**
     * Seconds after the last message from the other side within which messages other than templates are accepted. Omitted
     * or null: always.
     */
    replyWindow?: number | null;
  };
}

export const can = (capabilities: Capabilities, operation: ChannelOperation): boolean =>
  capabilities.operations.includes(operation);
