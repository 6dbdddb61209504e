/** Operations on chats. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type List, toList, type Page } from '../../../platform/http/pagination.ts';
import { invalid, notFound } from '../../../platform/http/problem.ts';
import type { ChatRef } from '../../../channels/contract/connection.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { instancesById } from '../records/sending-instance.store.ts';
import { checkOperation } from '../records/capability-check.ts';
import { assertIn } from '../records/group-membership.ts';
import { toFieldProblem } from '../records/message-problems.ts';
import { listChatMessages } from '../records/message-list.store.ts';
import { presentMessage } from '../records/message-present.ts';
import type { MessageObject } from '../records/message.schema.ts';
import { speakingFor } from '../records/speaking.ts';
import { presentChat, presentChatInEvent } from './chat-present.ts';
import { getChatKey } from '../records/chat-key.ts';
import { type ChatFilter, listChats as listRows } from './chat-list.store.ts';
import type { ChatObject, UpdateChatBody } from './chat.schema.ts';
import * as store from '../records/chat.store.ts';

/** The reader, whose scopes determine which parts of a chat are visible. */
type Reader = Pick<WorkspaceActor, 'workspaceId' | 'scopes'>;

const show = (unit: ReadUnit, row: store.ChatRow, { scopes }: Reader): WithVersion<{ chat: ChatObject }> => ({
  chat: presentChat(row, unit.clock(), scopes),
  version: row.version,
});

/** Filters as received. An ID that cannot exist matches nothing. */
export async function listChats(
  unit: ReadUnit,
  { workspaceId, scopes }: Reader,
  page: Page,
  { instanceId, contactId, ...filter }: ChatFilter,
): Promise<List<ChatObject>> {
  const ids = {
    instanceId: instanceId === undefined ? undefined : toUuid('instance', instanceId),
    contactId: contactId === undefined ? undefined : toUuid('contact', contactId),
  };
  const { rows, windowEnd } = Object.values(ids).includes(null)
    ? { rows: [], windowEnd: null }
    : await listRows(unit.db, workspaceId, page, { ...filter, ...(ids as ChatFilter) });
  const now = unit.clock();
  return toList(rows, page, getChatKey, (row) => presentChat(row, now, scopes), windowEnd);
}

/** @throws Problem not_found */
export async function getChat(
  unit: ReadUnit,
  reader: Reader,
  id: string,
): Promise<WithVersion<{ chat: ChatObject }>> {
  return show(unit, await requireChat(unit, reader.workspaceId, id), reader);
}

/** @throws Problem not_found */
async function requireChat(unit: ReadUnit, workspaceId: string, id: string): Promise<store.ChatRow> {
  const row = await store.getChat(unit.db, workspaceId, id);
  if (!row) throw notFound('chat');
  return row;
}

/**
 * Returns when a mute ends; undefined if the body does not set it.
 * @throws Problem invalid_request if both fields are set
 */
function mutedUntil(body: UpdateChatBody): Date | 'infinity' | null | undefined {
  const { muted, muted_until: until } = body;
  if (muted !== undefined && until !== undefined)
    throw invalid([{ pointer: '/muted', code: 'ambiguous', detail: 'give either muted or muted_until' }]);
  if (muted !== undefined) return muted ? 'infinity' : null;
  return until === undefined || until === null ? until : new Date(until);
}

/** @throws Problem not_found, precondition_failed */
export async function updateChat(
  unit: Unit,
  reader: Reader,
  id: string,
  body: UpdateChatBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ chat: ChatObject }>> {
  const { workspaceId } = reader;
  const until = mutedUntil(body);
  const row = await store.lockChat(unit.db, workspaceId, id);
  if (!row) throw notFound('chat');
  assertMatches(ifMatch, row, 'chat');
  const now = unit.clock();
  const change: store.ChatChange = {
    ...(body.title === undefined ? {} : { title: body.title?.trim() ?? null }),
    ...(body.archived === undefined ? {} : { archived_at: body.archived ? (row.archived_at ?? now) : null }),
    ...(until === undefined ? {} : { muted_until: until }),
    ...(body.metadata ? { metadata: body.metadata } : {}),
  };
  if (Object.keys(change).length === 0) return show(unit, row, reader);
  await store.updateChat(unit.db, workspaceId, id, change, now);
  const after = await requireChat(unit, workspaceId, id);
  const object = presentChatInEvent(after, now);
  await unit.events.write(unit, {
    workspaceId,
    type: 'chat.updated',
    resourceId: object.id,
    object,
    previous: changedFields(presentChatInEvent(row, now), object),
  });
  return show(unit, after, reader);
}

/** @throws Problem not_found */
export async function listMessagesFor(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  page: Page,
  filter: Parameters<typeof listChatMessages>[4],
): Promise<List<MessageObject>> {
  await requireChat(unit, workspaceId, id);
  const rows = await listChatMessages(unit.db, workspaceId, id, page, filter);
  return toList(rows, page, (row) => row.id, presentMessage);
}

/**
 * Returns the channel's reference to a chat, for typing notifications.
 * @throws Problem not_found, instance_disconnected, unsupported_by_channel, not_in_group
 */
export async function chatForTyping(
  unit: Unit,
  drivers: Drivers,
  workspaceId: string,
  id: string,
): Promise<{ instanceId: string; chat: ChatRef }> {
  const row = await requireChat(unit, workspaceId, id);
  const instance = (await instancesById(unit.db, workspaceId, [row.instance_id])).get(row.instance_id);
  if (!instance) throw notFound('chat');
  const { capabilities } = speakingFor(drivers, instance);
  const fault = checkOperation(capabilities, 'typing', '');
  if (fault) throw toFieldProblem([fault]);
  await assertIn(unit.db, workspaceId, row);
  const chat: ChatRef = { kind: row.kind as ChatRef['kind'], key: row.key, address: row.address };
  return { instanceId: instance.id, chat };
}
