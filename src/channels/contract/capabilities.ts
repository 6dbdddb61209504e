/**
 * Declares what a channel can do, one document per driver. The API rejects unsupported messages from it with a 422
 * before anything is queued; the console's composer and the table in docs/channels.md are derived from it too. The
 * conformance suite checks every capability that a driver declares.
 */

/**
 * How to resolve an unknown outcome: after a crash or an acknowledgement timeout, the channel may or may not have
 * accepted the message.
 * - `deduplicated`: sending again with the same client ID has no effect if the channel accepted it before.
 * - `lookup`: the channel can be queried by client ID (`Connection.lookup`).
 * - `never`: neither. The message fails with `delivery_unknown`, unless the instance is set to resend.
 */
export type Resend = 'deduplicated' | 'lookup' | 'never';

/** Message types, as in the API. The content of a message is in the field named after its type. */
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
  /** Changes the text of a sent message. */
  'edit',
  /** Deletes a sent message for everyone. */
  'revoke',
  'react',
  /** Pins and unpins any message of a chat. */
  'pin',
  'reply',
  'mention',
  /** Sends read receipts. */
  'read',
  /** Sends typing indicators. */
  'typing',
  'forward',
  /** The channel reports delivery and reading of sent messages. */
  'delivery_receipts',
  'read_receipts',
  'presence',
  /** Leaves groups, changes their subject and removes participants. */
  'groups',
  'group_create',
  /** Joins a group by an invitation or by the group's address. */
  'group_join',
  /** Adds participants. */
  'group_add',
  /** Promotes and demotes participants. */
  'group_promote',
  'group_description',
  'group_picture',
  'group_ban',
  /** Groups have an invitation link, which can be revoked and replaced. */
  'group_invite',
  'group_invite_revoke',
  /** Group settings, see `GroupSettings`. */
  'group_announce_only',
  'group_locked',
  'group_members_only',
  /** Checks whether an address exists. */
  'check_address',
  'block',
  /** Reads the account's contact list. */
  'contact_list',
  /** Fetches messages that were missed while disconnected. */
  'history',
  /** Receives copies of messages that the account sends from other devices. */
  'own_copies',
  /** Each chat is a thread with a subject, and an address can have many. */
  'threads',
  /** A chat can have threads. Messages are received and sent with a thread ID. */
  'thread_ids',
  /** Lists message templates and sends messages from them. */
  'templates',
  /** A choice of an interactive message can open a form that is stored at the channel. */
  'forms',
] as const;
export type ChannelOperation = (typeof OPERATIONS)[number];

export interface TypeCapability {
  /** Maximum characters (code points) of the body or caption; null if text is not allowed. */
  text: number | null;
  /** For files: maximum size in bytes, and accepted types (`image/*`, `application/pdf`), null for any. */
  bytes?: number;
  mimeTypes?: string[] | null;
}

export interface Capabilities {
  /** Overrides the driver's `resend` if it depends on the settings. */
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
    /** Seconds after sending within which the channel accepts edits and revocations; null for no limit. */
    editWithin: number | null;
    revokeWithin: number | null;
    /** Maximum number of group members; null for no limit or no groups. */
    groupMembers: number | null;
    /**
     * Seconds after the last message from the other side within which messages other than templates are accepted; null
     * or omitted for no limit.
     */
    replyWindow?: number | null;
  };
}

export const can = (capabilities: Capabilities, operation: ChannelOperation): boolean =>
  capabilities.operations.includes(operation);
