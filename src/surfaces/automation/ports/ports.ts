/**
 * Ports to the other surfaces, which automation does not import: create-app.ts provides the implementations. All methods run
 * in the caller's transaction, on behalf of a publishing endpoint or a rule, unless noted otherwise.
 */
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { FieldError, Problem } from '../../../platform/http/problem.ts';

/** The sender: public ID of the endpoint or rule. */
export interface SendingAs {
  id: string;
  source: 'publishing' | 'rule';
}

/** A message in the form of `POST /messages`; not validated yet. */
export type MessageBody = Record<string, unknown>;

export interface AcceptedMessage {
  /** Public ID. */
  id: string;
  /** Public ID. */
  instanceId: string;
  status: string;
  /** Public IDs of the messages before it, if the text was split. */
  earlier: readonly string[];
}

export interface OutgoingMessage {
  body: MessageBody;
  /** Lets a text that is longer than the channel takes become several messages; it is rejected by default. */
  split?: {
    /** Number of messages. */
    max: number;
    /** Parts that are sent already, of how many. 0 of 0 for a text that was not split before. */
    sent: number;
    of: number;
  };
  /** W3C traceparent of its cause; by default of the current span. */
  traceparent?: string | undefined;
}

/** Maximum messages that a text with a model's answer may be split into, because its length is unknown in advance. */
export const MAX_PARTS = 20;

/** @param asksModel whether the text may contain the answer of a model */
export const toOutgoing = (body: MessageBody, asksModel: boolean): OutgoingMessage => ({
  body,
  ...(asksModel && { split: { max: MAX_PARTS, sent: 0, of: 0 } }),
});

/** State of a message; IDs are public. */
export interface MessageState {
  id: string;
  status: string;
  error: { code: string; detail: string; retryable: boolean } | null;
  /** Whether the channel accepted the message at any point. */
  wasSent: boolean;
}

/** Target of messages; IDs are public. Null means that the value is known only per message. */
export interface MessageRecipient {
  instance_id: string;
  to: string | null;
  contact_id: string | null;
  chat_id: string | null;
  group_id: string | null;
  type: string | null;
  hasSubject: boolean;
  threadId: string | null;
}

export interface MessagesPort {
  /** All message types that any channel supports. */
  types: readonly string[];
  /**
   * Returns, for each target, the field errors that would reject any message there, whether or not the instance is
   * connected now. Pointers are the fields of the target.
   */
  checkPlaces(
    unit: ReadUnit,
    workspaceId: string,
    recipients: readonly MessageRecipient[],
  ): Promise<FieldError[][]>;
  /**
   * Returns what `accept` would reject now, without writing or locking; null for an acceptable body. Pointers refer to
   * the body.
   */
  check(
    unit: ReadUnit,
    workspaceId: string,
    outgoing: readonly OutgoingMessage[],
  ): Promise<(Problem | null)[]>;
  /**
   * Accepts messages like `POST /messages`. Writes in the current transaction, which must not hold locks of messaging
   * yet.
   */
  accept(
    unit: Unit,
    workspaceId: string,
    sender: SendingAs,
    outgoing: readonly OutgoingMessage[],
  ): Promise<(AcceptedMessage | Problem)[]>;
  /**
   * Resolves file URLs and rejects those that requests must not reach; null for an allowed one. Must run outside
   * transactions.
   */
  refusedUrls(bodies: readonly MessageBody[]): Promise<(Problem | null)[]>;
  /** Wakes the send queue after the commit. */
  wake(instanceIds: readonly string[]): void;
  /** Returns the states of messages by public ID; deleted messages are omitted. */
  getStates(unit: Unit, workspaceId: string, ids: readonly string[]): Promise<Map<string, MessageState>>;
  /** Cancels messages that have not been sent yet (`POST /messages/{id}/cancel`); others are unchanged. */
  cancel(unit: Unit, workspaceId: string, ids: readonly string[]): Promise<void>;
}

export interface LinksPort {
  /**
   * Creates a link like `POST /links`.
   * @returns the link as returned by the API
   * @throws Problem the same as that operation
   */
  create(
    unit: Unit,
    workspaceId: string,
    actorId: string,
    body: Record<string, unknown>,
  ): Promise<{ id: string; short_url: string }>;
}

export interface ModelsPort {
  exists(workspaceId: string, model: string): Promise<boolean>;
  /**
   * Calls a model, outside any transaction, and records the usage for `actorId`.
   * @returns the text of the response, and the model's reasoning before it; null if there is none
   * @throws Problem not_found, model_provider_error
   */
  ask(
    workspaceId: string,
    actorId: string,
    question: { model: string; system: string | null; prompt: string; maxTokens: number | null },
    signal: AbortSignal,
  ): Promise<{ text: string; reasoning: string | null }>;
}
