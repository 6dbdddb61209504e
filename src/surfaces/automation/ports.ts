/**
 * What automation asks of the other surfaces, which it doesn't import: app.ts passes these in. All of it happens in the
 * caller's transaction, in the name of a publishing endpoint or a rule.
 */
import type { Unit, ReadUnit } from '../../core/unit-of-work.ts';
import type { FieldError, Problem } from '../../platform/http/problem.ts';

/** Who sends: public id of the endpoint or rule. */
export interface SendingAs {
  id: string;
  source: 'publishing' | 'rule';
}

/** A message as `POST /messages` takes it; anything may stand in it. */
export type MessageBody = Record<string, unknown>;

export interface AcceptedMessage {
  /** Public id. */
  id: string;
  /** Public id. */
  instanceId: string;
  status: string;
}

/** How a message stands; ids are public. */
export interface MessageState {
  id: string;
  status: string;
  error: { code: string; detail: string; retryable: boolean } | null;
  /** Whether the channel took it, whatever came later. */
  wasSent: boolean;
}

/** Where messages are to go; ids are public, and null stands for what is known only with the message. */
export interface MessageRecipient {
  instance_id: string;
  to: string | null;
  contact_id: string | null;
  chat_id: string | null;
  group_id: string | null;
  type: string | null;
  hasSubject: boolean;
}

export interface MessagesPort {
  /** Types of content that some channel may take: what `type` of a message can be. */
  types: readonly string[];
  /**
   * For each place what would keep any message from being sent there, whether or not the instance is connected now;
   * pointers are its fields.
   */
  checkPlaces(
    unit: ReadUnit,
    workspaceId: string,
    recipients: readonly MessageRecipient[],
  ): Promise<FieldError[][]>;
  /**
   * What `accept` would refuse now, without writing or locking anything; null for a body that it would take. Pointers are
   * those of the body.
   */
  check(unit: ReadUnit, workspaceId: string, bodies: readonly MessageBody[]): Promise<(Problem | null)[]>;
  /** As `POST /messages` does for each: written in this transaction, which has locked nothing of messaging yet. */
  accept(
    unit: Unit,
    workspaceId: string,
    sender: SendingAs,
    bodies: readonly MessageBody[],
  ): Promise<(AcceptedMessage | Problem)[]>;
  /** Looked up before any transaction: addresses of files that no request may go to. Null for one that may. */
  refusedUrls(bodies: readonly MessageBody[]): Promise<(Problem | null)[]>;
  /** After the commit: something waits to be sent. */
  wake(instanceIds: readonly string[]): void;
  /** How messages stand, by public id; without those that are gone. */
  statesOf(unit: Unit, workspaceId: string, ids: readonly string[]): Promise<Map<string, MessageState>>;
  /** Takes messages back that wait to be sent (`POST /messages/{id}/cancel`); others stay as they are. */
  cancel(unit: Unit, workspaceId: string, ids: readonly string[]): Promise<void>;
}

export interface LinksPort {
  /**
   * Makes a link as `POST /links` does. @returns the link as the API shows it
   * @throws Problem as that would be refused
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
   * Asks a model, outside any transaction, and counts what was used for `actorId`.
   * @returns the text of the answer
   * @throws Problem not_found, model_provider_error
   */
  ask(
    workspaceId: string,
    actorId: string,
    question: { model: string; system: string | null; prompt: string; maxTokens: number | null },
    signal: AbortSignal,
  ): Promise<{ text: string }>;
}
