/** Sends and reads messages. Changes to existing ones are in message-update.service.ts, message-withdraw.service.ts and message-reaction.service.ts. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import type { WithVersion } from '../../../platform/http/etag.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { asProblem, invalid, notFound, Problem } from '../../../platform/http/problem.ts';
import { compileValidator } from '../../../platform/http/validation.ts';
import { isMediaType, type MessageType } from '../../../channels/contract/capabilities.ts';
import { type Accepted, type AcceptDeps, acceptMessages, type Sender, type Sending } from './accept.ts';
import type { StoredContent } from '../records/message-content.ts';
import { idIn, type MessageInput, readMessage, readRecipient } from './message-input.ts';
import { listMessages as listRows, type MessageFilter } from '../records/message-list.store.ts';
import { presentMessage } from '../records/message-present.ts';
import { type ForwardMessageBody, SendMessage, type SendMessageBody } from './message-input.schema.ts';
import { type MessageObject } from '../records/message.schema.ts';
import * as store from '../records/message.store.ts';

/** A person sends in the console. */
const getSender = (actor: WorkspaceActor): Sender => ({
  id: actor.id,
  source: actor.kind === 'session' ? 'console' : 'api',
});

/** Short links are links, so creating them requires the scope for links. @throws Problem insufficient_scope */
function assertMayShorten({ scopes }: WorkspaceActor, isAsked: boolean | undefined): void {
  if (isAsked && !scopes.has('links:create') && !scopes.has('links:write'))
    throw new Problem('insufficient_scope', 'shorten_links requires the scope links:create or links:write.');
}

/** @throws the problem of the only message */
function only([outcome]: (Accepted | Problem)[]): Accepted {
  if (outcome instanceof Error) throw outcome;
  return outcome!;
}

/** @throws Problem invalid_request, not_found, instance_disconnected, invalid_address, unsupported_by_channel, unprocessable */
export async function sendMessage(
  unit: Unit,
  deps: AcceptDeps,
  actor: WorkspaceActor,
  body: SendMessageBody,
): Promise<Accepted> {
  const input = readMessage(body, unit.clock());
  assertMayShorten(actor, input.shortenLinks);
  return only(await acceptMessages(unit, deps, actor.workspaceId, [{ sender: getSender(actor), input }]));
}

export interface SendRequest {
  actor: WorkspaceActor;
  body: SendMessageBody;
  /** W3C traceparent of the request. */
  traceparent: string | null;
}

/**
 * Sends the messages of several requests of one workspace in one transaction.
 * @returns an outcome for each, in order
 */
export async function sendTogether(
  unit: Unit,
  deps: AcceptDeps,
  requests: readonly SendRequest[],
): Promise<(Accepted | Problem)[]> {
  const now = unit.clock();
  const sendings: Sending[] = [];
  const outcomes = requests.map(({ actor, body, traceparent }): Problem | null => {
    try {
      const input = readMessage(body, now);
      assertMayShorten(actor, input.shortenLinks);
      sendings.push({ sender: getSender(actor), input, traceparent });
      return null;
    } catch (error) {
      return asProblem(error);
    }
  });
  const accepted = await acceptMessages(unit, deps, requests[0]!.actor.workspaceId, sendings);
  return outcomes.map((outcome) => outcome ?? accepted.shift()!);
}

const checkMessage = compileValidator(SendMessage, 'body');

/** @throws Problem invalid_request, as `POST /messages` would */
function readItem(item: unknown, now: Date): { body: SendMessageBody; input: MessageInput | null } {
  const checked = checkMessage(item);
  if ('error' in checked) throw checked.error;
  const body = item as SendMessageBody;
  return { body, input: body.type === 'reaction' ? null : readMessage(body, now) };
}

/**
 * Sends messages independently: an invalid one does not affect the others.
 * @param refused known problems, by index
 * @param react executes messages of type `reaction`
 */
export async function sendMessages(
  unit: Unit,
  deps: AcceptDeps,
  actor: WorkspaceActor,
  items: readonly unknown[],
  refused: ReadonlyMap<number, Problem>,
  react: (body: SendMessageBody) => Promise<Accepted>,
): Promise<(Accepted | Problem)[]> {
  const now = unit.clock();
  const outcomes = new Map<number, Accepted | Problem>(refused);
  const sendings: (Sending & { index: number })[] = [];
  const reactions: { index: number; body: SendMessageBody }[] = [];
  for (const [index, item] of items.entries()) {
    if (outcomes.has(index)) continue;
    try {
      const { body, input } = readItem(item, now);
      assertMayShorten(actor, input?.shortenLinks);
      if (input) sendings.push({ index, sender: getSender(actor), input });
      else reactions.push({ index, body });
    } catch (error) {
      outcomes.set(index, asProblem(error));
    }
  }
  const accepted = await acceptMessages(unit, deps, actor.workspaceId, sendings);
  for (const [nth, { index }] of sendings.entries()) outcomes.set(index, accepted[nth]!);
  for (const { index, body } of reactions)
    outcomes.set(index, await react(body).catch((error: unknown) => asProblem(error)));
  return items.map((_, index) => outcomes.get(index)!);
}

export const show = (row: store.MessageRow): WithVersion<{ message: MessageObject }> => ({
  message: presentMessage(row),
  version: row.version,
});

/** @throws Problem not_found */
export async function getMessage(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ message: MessageObject }>> {
  const row = await store.getMessage(unit.db, workspaceId, id);
  if (!row) throw notFound('message');
  return show(row);
}

/** Filters as received. An ID that cannot exist matches nothing. */
export interface ListMessagesQuery extends Omit<MessageFilter, 'text'> {
  q?: string;
}

export async function listMessages(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  { q, instanceId, chatId, contactId, ...filter }: ListMessagesQuery,
): Promise<List<MessageObject>> {
  const ids = {
    instanceId: instanceId === undefined ? undefined : toUuid('instance', instanceId),
    chatId: chatId === undefined ? undefined : toUuid('chat', chatId),
    contactId: contactId === undefined ? undefined : toUuid('contact', contactId),
  };
  const { rows, windowEnd } = Object.values(ids).includes(null)
    ? { rows: [], windowEnd: null }
    : await listRows(unit.db, workspaceId, page, { ...filter, ...(ids as MessageFilter), text: q });
  return toList(rows, page, ({ id }) => id, presentMessage, windowEnd);
}

/**
 * Sends a new message with the same content, from the same instance or another.
 * @throws Problem not_found, conflict if the content was deleted; otherwise as sendMessage
 */
export async function forwardMessage(
  unit: Unit,
  deps: AcceptDeps,
  actor: WorkspaceActor,
  id: string,
  body: ForwardMessageBody,
): Promise<Accepted> {
  assertMayShorten(actor, body.shorten_links);
  const { workspaceId } = actor;
  const faults: Parameters<typeof readRecipient>[1] = [];
  const recipient = readRecipient(body, faults);
  const instanceId =
    body.instance_id === undefined ? null : idIn('instance', body.instance_id, '/instance_id', faults);
  if (faults.length) throw invalid(faults);
  const row = await store.getMessage(unit.db, workspaceId, id);
  if (!row) throw notFound('message');
  if (row.deleted_at !== null) throw new Problem('conflict', 'The message and its content were deleted.');
  if (isMediaType(row.type) && row.media_id === null)
    throw new Problem('conflict', 'The file of the message no longer exists.');
  const input: MessageInput = {
    instanceId: instanceId ?? row.instance_id,
    recipient: recipient!,
    type: row.type as MessageType,
    content: row.content as unknown as StoredContent,
    mediaId: row.media_id,
    url: null,
    subject: null,
    threadId: body.thread_id ?? null,
    replyTo: null,
    mentions: [],
    scheduledAt: null,
    shortenLinks: body.shorten_links ?? false,
    metadata: body.metadata ?? {},
  };
  return only(await acceptMessages(unit, deps, workspaceId, [{ sender: getSender(actor), input }]));
}
