/**
 * Plans a message: checks it against everything it refers to. Writes nothing. The queues of the instances are locked
 * first, so that a plan remains valid until the commit.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';
import type { Capabilities } from '../../../channels/contract/capabilities.ts';
import { can, isMediaType } from '../../../channels/contract/capabilities.ts';
import { type Driver } from '../../../channels/contract/driver.ts';
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import { type Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import * as store from '../records/sending-instance.store.ts';
import { readAddress } from '../records/address.ts';
import { checkMessage, getLength } from '../records/capability-check.ts';
import { speakingFor } from '../records/speaking.ts';
import { checkMembership } from '../records/group-membership.ts';
import { hasForm, toText } from '../records/message-content.ts';
import { findRoots } from '../contacts/same-person.store.ts';
import { checkTemplate, type TemplateContent } from '../templates/template-check.ts';
import { findTemplates } from '../templates/template.store.ts';
import { checkThread, noSuch, toFieldProblem, windowClosed } from '../records/message-problems.ts';
import type { MessageInput } from './message-input.ts';
import { findUrls, getUrls, type LinkShortener } from './link-shortener.ts';
import { splitText } from './split-text.ts';

export interface PlanDeps {
  drivers: Drivers;
  /** Creates short links. */
  shortener: LinkShortener;
}

/** A message that is sent instead of a text that is split. */
export interface PlannedPart {
  body: string;
  /** Those that become short. */
  urls: readonly string[];
}

export interface SendPlan {
  input: MessageInput;
  /** URLs of its text that become short. */
  urls: readonly string[];
  /** Parts of a text that is split, sent in its place; at least one. */
  parts: PlannedPart[] | null;
  instance: store.LockedInstance;
  /** Normalized address of the recipient. */
  address: string;
  mentions: string[];
  /** Within the chat. */
  threadId: string | null;
  /** The chat, if known: the given one, or that of the message replied to. Otherwise it follows from the address. */
  chat: store.KnownChat | null;
  /** State by address, if requested. */
  current: store.KnownChat | null;
  /** On channels with threads an address may have many chats, and a subject begins one. */
  threads: boolean;
  /** Whether the channel lists its templates. */
  templates: boolean;
  /** Seconds after the last message from the other side within which anything may be sent; null for no limit. */
  replyWindow: number | null;
}

/** Finds state by address. */
export const getRecipientKey = ({ instance, address }: Pick<SendPlan, 'instance' | 'address'>): string =>
  `${instance.id} ${address}`;

interface World {
  instances: Map<string, store.LockedInstance>;
  chats: Map<string, store.KnownChat>;
  groups: Map<string, { chat_id: string }>;
  contacts: Map<string, { exists: boolean; address: string | null }>;
  replies: Map<string, store.RepliedTo>;
  media: Map<string, store.SentMedia>;
  /** `instance id` + space + address → the address that it is another name of. */
  roots: Map<string, string>;
  /** Lengths of the short links that URLs of texts that may be split become. */
  shortened: ReadonlyMap<string, number>;
}

/** Returns the recipients given by a valid address. */
function addressesIn(
  inputs: readonly MessageInput[],
  instances: World['instances'],
  drivers: Drivers,
): { instanceId: string; address: string }[] {
  return inputs.flatMap(({ recipient, instanceId }) => {
    const instance = instances.get(instanceId);
    const driver = instance && drivers.get(instance.channel);
    if (recipient.by !== 'address' || !driver) return [];
    const address = normalize(driver, instance.settings as Json, { ...recipient }, []);
    return address === null ? [] : [{ instanceId, address }];
  });
}

/** URLs that become short, if links can lead to them. */
const getOwnUrls = ({ shortenLinks, content }: MessageInput): string[] =>
  shortenLinks ? getUrls(content) : [];

async function readWorld(
  unit: Unit,
  { drivers, shortener }: PlanDeps,
  workspaceId: string,
  inputs: readonly MessageInput[],
  isDryRun: boolean,
): Promise<World> {
  const { db } = unit;
  const distinct = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
  const recipients = inputs.map(({ recipient }) => recipient);
  const instances = await store.lockInstances(
    db,
    workspaceId,
    distinct(inputs.map(({ instanceId }) => instanceId)),
    isDryRun,
  );
  const replies = await store.repliesById(db, workspaceId, distinct(inputs.map(({ replyTo }) => replyTo)));
  const contacts = await store.addressesOfContacts(
    db,
    workspaceId,
    inputs.flatMap(({ recipient, instanceId }) =>
      recipient.by === 'contact' ? [{ contactId: recipient.id, instanceId }] : [],
    ),
  );
  const named = (by: 'chat' | 'group') =>
    recipients.map((recipient) => (recipient.by === by ? recipient.id : null));
  const groups = await store.chatsOfGroups(db, workspaceId, distinct(named('group')));
  const chats = await store.chatsById(
    db,
    workspaceId,
    distinct([...named('chat'), ...[...groups.values(), ...replies.values()].map(({ chat_id: id }) => id)]),
  );
  const media = await store.mediaById(db, workspaceId, distinct(inputs.map(({ mediaId }) => mediaId)));
  const roots = await findRoots(db, workspaceId, addressesIn(inputs, instances, drivers));
  const urls = inputs.flatMap((input) => (input.split ? getOwnUrls(input) : []));
  const shortened = urls.length
    ? await shortener.measure(unit, workspaceId, [...new Set(urls)])
    : new Map<string, number>();
  return { instances, chats, groups, contacts, replies, media, roots, shortened };
}

/** Normalizes an address. @returns null, with a field error, if it is invalid */
function normalize(
  driver: Driver,
  settings: Json,
  given: { address: string; pointer: string },
  faults: FieldError[],
): string | null {
  try {
    return readAddress(driver, settings, given.address);
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    faults.push({ pointer: given.pointer, code: 'invalid_address', detail: error.message });
    return null;
  }
}

interface Target {
  address: string;
  chat: store.KnownChat | null;
}

/**
 * Resolves the recipient.
 * @returns null and adds a field error if it is invalid.
 * @throws Problem not_found
 */
function getTarget(
  { recipient, instanceId }: MessageInput,
  world: World,
  normalized: (address: string) => string | null,
  faults: FieldError[],
): Target | null {
  const { pointer } = recipient;
  if (recipient.by === 'address') {
    const address = normalized(recipient.address);
    if (address === null) return null;
    return { address: world.roots.get(`${instanceId} ${address}`) ?? address, chat: null };
  }
  if (recipient.by === 'contact') {
    const contact = world.contacts.get(`${instanceId} ${recipient.id}`);
    if (!contact?.exists) throw noSuch('contact', pointer);
    if (contact.address !== null) return { address: contact.address, chat: null };
    faults.push({ pointer, code: 'no_address', detail: 'the contact has no address on this instance' });
    return null;
  }
  const { by, id } = recipient;
  const chat = world.chats.get(by === 'group' ? (world.groups.get(id)?.chat_id ?? '') : id);
  if (!chat) throw noSuch(by, pointer);
  if (chat.instance_id === instanceId) return { address: chat.address, chat };
  faults.push({ pointer, code: 'other_instance', detail: `is a ${by} of another instance` });
  return null;
}

/** The chat of the message replied to, which must be the one that the message goes to. */
function chatOfReply(
  input: MessageInput,
  world: World,
  target: Target,
  faults: FieldError[],
): store.KnownChat | null {
  if (input.replyTo === null) return target.chat;
  const replied = world.replies.get(input.replyTo);
  if (!replied) throw noSuch('message', '/reply_to');
  const chat = world.chats.get(replied.chat_id)!;
  const isSame = target.chat
    ? target.chat.id === chat.id
    : chat.instance_id === input.instanceId && chat.address === target.address;
  if (isSame) return chat;
  faults.push({ pointer: '/reply_to', code: 'other_chat', detail: 'is not a message of this chat' });
  return null;
}

/** @throws Problem not_found */
function getFile(
  { mediaId, type }: MessageInput,
  world: World,
  faults: FieldError[],
): store.SentMedia | null {
  if (mediaId === null) return null;
  const pointer = `/${type}/media_id`;
  const media = world.media.get(mediaId);
  if (!media) throw noSuch('media', pointer);
  if (media.state === 'failed')
    faults.push({ pointer, code: 'media_failed', detail: 'the file could not be fetched' });
  return media;
}

/**
 * Splits a text into parts; null if it is sent unchanged, or rejected because it is too long. URLs are shortened before
 * the text is split, and are never split.
 */
function getParts(
  input: MessageInput,
  { types }: Capabilities,
  shortened: World['shortened'],
): PlannedPart[] | null {
  const { type, content, split } = input;
  const max = types[type]?.text;
  if (!split || type !== 'text' || !max) return null;
  const text = toText(type, content)!;
  if (getLength(text) <= max) return null;
  const short = new Set(getOwnUrls(input).filter((url) => (shortened.get(url) ?? Infinity) <= max));
  const urls = findUrls(text).map(({ url, at }) => {
    const size = short.has(url) ? shortened.get(url)! : getLength(url);
    return { url, at, length: url.length, size };
  });
  const parts = splitText(text, max, split.max, urls);
  if (parts.length > split.max) return null;
  // If it is split differently than before, everything is sent again, so that no part is missing.
  const unsent = parts.length === split.of ? parts.slice(split.sent) : parts;
  return unsent.map(({ start, end }) => {
    const own = urls.filter(({ url, at }) => at >= start && at < end && short.has(url));
    return { body: text.slice(start, end), urls: [...new Set(own.map(({ url }) => url))] };
  });
}

/** @throws Problem not_found, instance_disconnected, invalid_address, unsupported_by_channel, unprocessable */
function planOne(input: MessageInput, world: World, drivers: Drivers): SendPlan {
  const instance = world.instances.get(input.instanceId);
  if (!instance) throw noSuch('instance', '/instance_id');
  const { driver, capabilities } = speakingFor(drivers, instance);
  const settings = instance.settings as Json;
  const faults: FieldError[] = [];
  const addressAt = (address: string, pointer: string) =>
    normalize(driver, settings, { address, pointer }, faults);
  const target = getTarget(input, world, (address) => addressAt(address, '/to'), faults);
  const chat = target && chatOfReply(input, world, target, faults);
  const media = getFile(input, world, faults);
  const mentions = input.mentions.map((address, nth) => addressAt(address, `/mentions/${nth}`));
  const { type, content, subject } = input;
  const parts = getParts(input, capabilities, world.shortened);
  faults.push(
    ...checkThread(driver, input.threadId),
    ...checkMessage(capabilities, {
      type,
      text: parts ? null : toText(type, content),
      textPointer: `/${type}/${isMediaType(type) ? 'caption' : 'body'}`,
      file:
        media?.state === 'ready'
          ? { size: media.size!, mimeType: media.mime_type!, pointer: `/${type}/media_id` }
          : null,
      subject,
      hasThread: input.threadId !== null,
      replies: input.replyTo !== null,
      mentions: mentions.length > 0,
      forms: hasForm(content),
    }),
  );
  faults.push(...(driver.checkContent?.(type, content as Json) ?? []));
  if (faults.length) throw toFieldProblem(faults);
  return {
    input,
    urls: getOwnUrls(input),
    parts,
    instance,
    address: target!.address,
    mentions: mentions as string[],
    threadId: input.threadId ?? world.replies.get(input.replyTo ?? '')?.thread_id ?? null,
    chat,
    current: null,
    threads: can(capabilities, 'threads'),
    templates: can(capabilities, 'templates'),
    replyWindow: capabilities.limits.replyWindow ?? null,
  };
}

/** Whether it is the first of a new thread. */
export const begins = ({ chat, threads, input }: SendPlan): boolean =>
  chat === null && threads && input.subject !== null;

/** Finds the chats that go on with the addresses of plans. */
async function findChats(db: Db, workspaceId: string, plans: readonly SendPlan[]): Promise<void> {
  const lacking = plans.filter((plan) => plan.chat === null && !begins(plan));
  const asked = lacking.map((plan) => {
    const { instance, address, threads } = plan;
    return [getRecipientKey(plan), { instanceId: instance.id, address, threads }] as const;
  });
  const found = await store.chatsByAddress(db, workspaceId, [...new Map(asked).values()]);
  for (const plan of lacking) plan.current = found.get(getRecipientKey(plan)) ?? null;
}

/** Only members of a group may write to it. */
function notInGroup({ chat, current, input }: SendPlan): Problem | null {
  const known = chat ?? current;
  const fault = known && checkMembership(known, input.recipient.pointer);
  return fault && toFieldProblem([fault]);
}

/** Outside the window only templates go. A scheduled message may find it open again. */
function outsideWindow({ chat, current, input, replyWindow }: SendPlan, now: Date): Problem | null {
  if (replyWindow === null || input.type === 'template') return null;
  if (input.scheduledAt !== null && input.scheduledAt > now) return null;
  const last = (chat ?? current)?.last_inbound_at ?? null;
  const closes = last === null ? null : new Date(last.getTime() + replyWindow * 1_000);
  return closes === null || closes <= now ? windowClosed(closes) : null;
}

/** The content of a message of type `template`, as its schema has it. */
const toTemplate = ({ content }: MessageInput): TemplateContent => content as unknown as TemplateContent;

/** @returns a problem for each plan whose template cannot be sent */
async function checkTemplates(
  db: Db,
  workspaceId: string,
  plans: readonly SendPlan[],
): Promise<Map<SendPlan, Problem>> {
  const named = plans.filter(({ input, templates }) => templates && input.type === 'template');
  const { found, synchronized } = await findTemplates(
    db,
    workspaceId,
    named.map(({ instance, input }) => ({
      instanceId: instance.id,
      name: toTemplate(input).name,
    })),
  );
  const problems = new Map<SendPlan, Problem>();
  for (const plan of named) {
    const { instance, input } = plan;
    // Before the first synchronization the channel decides.
    if (!synchronized.has(instance.id)) continue;
    const content = toTemplate(input);
    const own = found.filter((row) => row.instance_id === instance.id && row.name === content.name);
    const outcome = checkTemplate(content, own);
    if ('error' in outcome) problems.set(plan, toFieldProblem([outcome.error]));
    else plan.input = { ...input, content: { ...content, language: outcome.template.language } };
  }
  return problems;
}

/**
 * Plans each input, or returns the reason why it is impossible, in order. Locks the queues of their instances until the
 * commit, before anything else is read.
 * @param isDryRun takes no locks, so the plan may be out of date when it is used
 */
export async function planSending(
  unit: Unit,
  deps: PlanDeps,
  workspaceId: string,
  inputs: readonly MessageInput[],
  now: Date,
  isDryRun = false,
): Promise<(SendPlan | Problem)[]> {
  const { db } = unit;
  const world = await readWorld(unit, deps, workspaceId, inputs, isDryRun);
  const outcomes = inputs.map((input) => {
    try {
      return planOne(input, world, deps.drivers);
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  });
  const plans = outcomes.filter((outcome): outcome is SendPlan => !(outcome instanceof Problem));
  await findChats(db, workspaceId, plans);
  const wrong = await checkTemplates(db, workspaceId, plans);
  return outcomes.map((outcome) =>
    outcome instanceof Problem
      ? outcome
      : (notInGroup(outcome) ?? outsideWindow(outcome, now) ?? wrong.get(outcome) ?? outcome),
  );
}
