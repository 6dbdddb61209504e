/**
 * Accepts messages: the single function through which everything is sent (API, console, rules, publishing). Writes
 * message, chat, contact, queue row and event in the caller's transaction, with as few statements for many messages as
 * for one. Each message has its own outcome, and a rejected one leaves nothing behind.
 *
 * Lock order: `instance_queues` by ascending ID, chats, messages, contacts.
 */
import type { RawBuilder } from 'kysely';
import { runBatch } from '../../../platform/db/batch.ts';
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { bumpChatVersions } from '../records/chat.store.ts';
import { createFromUrl, type MediaServiceDeps } from '../media/media.service.ts';
import { insertRows, insertScheduled, type Joining } from '../records/queue-row.store.ts';
import type { KnownChat } from '../records/sending-instance.store.ts';
import { allocateSequences, type SequenceRequest } from '../records/queue-row.store.ts';
import { searchTextFor } from '../records/message-content.ts';
import { shortenContents, getUrls } from './link-shortener.ts';
import type { MessageInput } from './message-input.ts';
import { presentMessage } from '../records/message-present.ts';
import type { MessageObject, MessageSource } from '../records/message.schema.ts';
import {
  insertMessages,
  MESSAGE_DEFAULTS,
  type MessageRow,
  type NewMessage,
} from '../records/message.store.ts';
import { chatsFor } from './send-chats.ts';
import { type PlanDeps, planSending, type SendPlan } from './send-plan.ts';
import type { QuotaResource, Quotas } from '../../../core/workspaces/quota.ts';

export interface AcceptDeps extends PlanDeps {
  media: Pick<MediaServiceDeps, 'secrets' | 'urls'>;
  quotas: Quotas;
}

export interface Sender {
  /** Public ID of the key, person, rule or endpoint that sends. */
  id: string;
  source: MessageSource;
}

export interface Sending {
  sender: Sender;
  input: MessageInput;
  /** W3C traceparent of the request; by default of the current span. */
  traceparent?: string | null | undefined;
}

export interface Accepted {
  /** The last one, if a text was split. */
  message: MessageObject;
  version: number;
  /** Public IDs of the messages before it, if a text was split. */
  earlier?: string[];
}

/** A message about to be stored. */
interface Draft {
  nth: number;
  id: string;
  sender: Sender;
  plan: SendPlan;
  isScheduled: boolean;
  traceparent: string | null | undefined;
}

/** Returns the ID of the given file, or of a new one that is to be fetched. */
async function getMedia(
  unit: Unit,
  deps: AcceptDeps,
  workspaceId: string,
  { sender, plan: { input } }: Draft,
): Promise<string | null> {
  if (input.url === null) return input.mediaId;
  const { file_name: fileName } = input.content as { file_name?: string | null };
  const given = { url: input.url, ...(fileName ? { file_name: fileName } : {}) };
  const actor = { workspaceId, id: sender.id };
  return toUuid('media', (await createFromUrl(unit, deps.media, actor, given, { forMessage: true })).id);
}

/** Replaces URLs by short links in messages that request them, with as few statements for all as for one. */
async function shortenLinks(
  unit: Unit,
  { shortener }: AcceptDeps,
  workspaceId: string,
  drafts: readonly Draft[],
  chats: readonly KnownChat[],
): Promise<void> {
  const asking = drafts.flatMap(({ id, sender, plan, traceparent }, nth) => {
    const { kind, contact_id: contactId } = chats[nth]!;
    const about = {
      messageId: id,
      contactId: kind === 'direct' ? contactId : null,
      actorId: sender.id,
      traceparent,
    };
    return plan.urls.length
      ? [{ message: { ...about, content: plan.input.content, urls: plan.urls }, plan }]
      : [];
  });
  const contents = await shortenContents(
    unit,
    shortener,
    workspaceId,
    asking.map(({ message }) => message),
  );
  for (const [nth, { plan }] of asking.entries()) plan.input = { ...plan.input, content: contents[nth]! };
}

/** Returns a plan for each message: one, or one per part of a split text. Only the first part is the reply. */
const getMessages = (plan: SendPlan): SendPlan[] =>
  plan.parts?.map(({ body, urls }, nth) => {
    const { content, replyTo } = plan.input;
    const own = { content: { ...(content as object), body }, replyTo: nth === 0 ? replyTo : null };
    return { ...plan, urls, input: { ...plan.input, ...own } };
  }) ?? [plan];

function toRow(
  workspaceId: string,
  { id, sender, plan, isScheduled }: Draft,
  chat: KnownChat,
  mediaId: string | null,
  sequence: number,
): NewMessage {
  const { input, instance } = plan;
  // Lists bound times by IDs.
  const now = timeOfUuid(id);
  const status = isScheduled ? 'scheduled' : 'queued';
  const content =
    mediaId === null
      ? input.content
      : Object.assign({}, input.content, { media_id: publicId('media', mediaId) });
  return {
    ...MESSAGE_DEFAULTS,
    workspace_id: workspaceId,
    id,
    instance_id: instance.id,
    chat_id: chat.id,
    sequence,
    direction: 'outbound',
    source: sender.source,
    type: input.type,
    content: content as NewMessage['content'],
    search_text: searchTextFor(input.type, input.content, input.subject),
    subject: input.subject,
    thread_id: plan.threadId,
    media_id: mediaId,
    from_address: instance.address,
    to_address: chat.address,
    contact_id: chat.kind === 'direct' ? chat.contact_id : null,
    reply_to: input.replyTo,
    mentions: plan.mentions,
    status,
    status_history: [{ status, at: now.toISOString() }],
    scheduled_at: input.scheduledAt,
    metadata: input.metadata,
    created_by: sender.id,
    created_at: now,
    updated_at: now,
  };
}

/** Returns the newest message of each chat, except scheduled ones. */
function getNewest(rows: NewMessage[]): { chatId: string; messageId: string; at: Date }[] {
  const newest = new Map<string, { chatId: string; messageId: string; at: Date }>();
  for (const { chat_id: chatId, id: messageId, status, created_at: at } of rows)
    if (status === 'queued') newest.set(chatId, { chatId, messageId, at });
  return [...newest.values()];
}

interface Written {
  draft: Draft;
  row: NewMessage;
}

/** Returns how many sequence numbers the messages of each instance need, and which of them join its queue. */
function getQueues(written: readonly Written[]): { taken: SequenceRequest[]; joining: Joining[] } {
  const byInstance = [...Map.groupBy(written, ({ row }) => row.instance_id)].map(([instanceId, own]) => {
    const queued = own.filter(({ draft }) => !draft.isScheduled);
    const { last_position: last, queue_ttl_seconds: ttlSeconds } = own[0]!.draft.plan.instance;
    const rows = queued.map(({ row: { id, chat_id: chatId } }) => ({
      id,
      action: 'send' as const,
      chatId,
      messageId: id,
    }));
    return { instanceId, messages: own.length, rows, position: last + 1, ttlSeconds };
  });
  return {
    taken: byInstance.map(({ instanceId, messages, rows }) => ({
      instanceId,
      messages,
      queued: rows.length,
    })),
    joining: byInstance.filter(({ rows }) => rows.length),
  };
}

/** Writes messages in as few statements as possible, because the instance's order stays locked meanwhile. */
function getWrites(workspaceId: string, written: readonly Written[]): RawBuilder<unknown>[] {
  const rows = written.map(({ row }) => row);
  const { taken, joining } = getQueues(written);
  const newest = getNewest(rows);
  const scheduled = written.flatMap(({ draft: { isScheduled, plan }, row }) =>
    isScheduled ? [{ id: row.id, instanceId: row.instance_id, dueAt: plan.input.scheduledAt! }] : [],
  );
  return [
    allocateSequences(workspaceId, taken),
    ...(newest.length ? [bumpChatVersions(workspaceId, newest)] : []),
    insertMessages(workspaceId, rows),
    ...(joining.length ? [insertRows(workspaceId, joining)] : []),
    ...(scheduled.length ? [insertScheduled(workspaceId, scheduled)] : []),
  ];
}

async function write(
  unit: Unit,
  deps: AcceptDeps,
  workspaceId: string,
  drafts: Draft[],
): Promise<Accepted[]> {
  const chats = await chatsFor(
    unit,
    workspaceId,
    drafts.map(({ id, plan, sender }) => ({ ...plan, messageId: id, createdBy: sender.id })),
  );
  await shortenLinks(unit, deps, workspaceId, drafts, chats);
  const last = new Map<string, number>();
  const written: Written[] = [];
  for (const [nth, draft] of drafts.entries()) {
    const { instance } = draft.plan;
    const sequence = (last.get(instance.id) ?? instance.last_sequence) + 1;
    last.set(instance.id, sequence);
    const mediaId = await getMedia(unit, deps, workspaceId, draft);
    written.push({ draft, row: toRow(workspaceId, draft, chats[nth]!, mediaId, sequence) });
  }
  const messages = written.map(({ row }, nth) =>
    presentMessage({ ...row, chat_kind: chats[nth]!.kind, reactions: [] } satisfies MessageRow),
  );
  const events = messages.map((message, nth) => ({
    workspaceId,
    type: drafts[nth]!.isScheduled ? ('message.scheduled' as const) : ('message.queued' as const),
    resourceId: message.id,
    object: message,
    traceparent: drafts[nth]!.traceparent,
  }));
  await runBatch(unit.db, [...getWrites(workspaceId, written), await unit.events.insertion(unit, events)]);
  return messages.map((message) => ({ message, version: MESSAGE_DEFAULTS.version }));
}

/**
 * Accepts messages of one workspace independently of each other.
 * @param unit a transaction whose only locks in messaging are on instances
 * @returns an outcome for each, in order
 */
export async function acceptMessages(
  unit: Unit,
  deps: AcceptDeps,
  workspaceId: string,
  items: Sending[],
): Promise<(Accepted | Problem)[]> {
  const quotaFor = (resource: QuotaResource, isNeeded: boolean) =>
    isNeeded ? deps.quotas.remaining(unit, workspaceId, resource) : null;
  const mediaQuota = await quotaFor(
    'media',
    items.some(({ input }) => input.url !== null),
  );
  const linkQuota = await quotaFor(
    'links',
    items.some(({ input: { shortenLinks: isAsked, content } }) => isAsked && getUrls(content).length > 0),
  );
  let files = 0;
  let links = 0;
  const inputs = items.map(({ input }) => input);
  const now = unit.clock();
  const plans = await planSending(unit, deps, workspaceId, inputs, now);
  const drafts: Draft[] = [];
  const outcomes = plans.map((plan, nth): Accepted | Problem | null => {
    if (plan instanceof Problem) return plan;
    if (mediaQuota && plan.input.url !== null && files >= mediaQuota.count) return mediaQuota.exceeded;
    const own = getMessages(plan);
    const urls = own.reduce((sum, one) => sum + one.urls.length, 0);
    if (linkQuota && links + urls > linkQuota.count) return linkQuota.exceeded;
    links += urls;
    if (plan.input.url !== null) files += 1;
    const at = plan.input.scheduledAt;
    const { sender, traceparent } = items[nth]!;
    const isScheduled = at !== null && at > now;
    for (const one of own)
      drafts.push({ nth, id: unit.newUuid(), sender, plan: one, isScheduled, traceparent });
    return null;
  });
  const accepted = drafts.length ? await write(unit, deps, workspaceId, drafts) : [];
  for (const [index, { nth }] of drafts.entries()) {
    const before = outcomes[nth] as Accepted | null;
    const own = accepted[index]!;
    outcomes[nth] = before ? { ...own, earlier: [...(before.earlier ?? []), before.message.id] } : own;
  }
  return outcomes.map((outcome) => outcome!);
}
