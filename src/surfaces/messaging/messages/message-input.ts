/** Reads and validates the input of an outbound message; reports all field errors. */
import type { IdKind } from '../../../core/vocabulary/nouns.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type FieldError, invalid } from '../../../platform/http/problem.ts';
import { isMediaType, MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import type { SendMessageBody } from './message-input.schema.ts';
import { normalizeContent, type StoredContent } from '../records/message-content.ts';
import { toFieldProblem } from '../records/message-problems.ts';

const MAX_AHEAD_MS = 366 * 86_400_000;

export type Recipient =
  | { by: 'address'; address: string; pointer: string }
  | { by: 'contact'; id: string; pointer: string }
  | { by: 'chat'; id: string; pointer: string }
  | { by: 'group'; id: string; pointer: string };

/** IDs are in the database format. */
/** How a text may be split. */
export interface TextSplit {
  /** Number of messages. */
  max: number;
  /** Parts that are sent already, of how many. 0 of 0 for a text that was not split before. */
  sent: number;
  of: number;
}

export interface MessageInput {
  instanceId: string;
  recipient: Recipient;
  type: MessageType;
  /** Content as stored. Lacks the ID of a file that is yet to be created. */
  content: StoredContent;
  mediaId: string | null;
  /** Where the file is to be fetched from. */
  url: string | null;
  subject: string | null;
  /** Null for the thread of the message replied to, if there is one. */
  threadId: string | null;
  replyTo: string | null;
  mentions: string[];
  scheduledAt: Date | null;
  /** Whether URLs in its text become short links. */
  shortenLinks: boolean;
  metadata: Record<string, string>;
  /** Lets a text that is longer than the channel takes become several messages; it is rejected by default. */
  split?: TextSplit;
}

type Body = Partial<Omit<SendMessageBody, MessageType>> & Pick<SendMessageBody, 'type'>;

const RECIPIENTS = ['to', 'contact_id', 'chat_id', 'group_id'] as const;
const NAMED = ['contact', 'chat', 'group'] as const;
const ONE_OF_THEM = 'one of to, contact_id, chat_id and group_id';

/** Exactly one of the four. */
export function readRecipient(
  body: { to?: string; contact_id?: string; chat_id?: string; group_id?: string },
  faults: FieldError[],
): Recipient | null {
  const given = RECIPIENTS.filter((name) => body[name] !== undefined);
  if (given.length === 0) faults.push({ pointer: '/to', code: 'required', detail: `give ${ONE_OF_THEM}` });
  for (const name of given.slice(1))
    faults.push({
      pointer: `/${name}`,
      code: 'ambiguous',
      detail: `give only ${ONE_OF_THEM}`,
    });
  if (given.length !== 1) return null;
  if (body.to !== undefined) return { by: 'address', address: body.to, pointer: '/to' };
  const by = NAMED.find((kind) => body[`${kind}_id`] !== undefined)!;
  const pointer = `/${by}_id`;
  const id = idIn(by, body[`${by}_id`]!, pointer, faults);
  return id === null ? null : { by, id, pointer };
}

/** The schema has checked its form, but not that it is one of a UUID. */
export function idIn(kind: IdKind, id: string, pointer: string, faults: FieldError[]): string | null {
  const uuid = toUuid(kind, id);
  if (uuid === null) faults.push({ pointer, code: 'invalid_value', detail: `is not the ID of a ${kind}` });
  return uuid;
}

/** The content that belongs to the type; all else that stands under a type's name is a fault. */
function getContent(body: object, type: MessageType, faults: FieldError[]): Record<string, unknown> | null {
  const contents = body as Partial<Record<MessageType, unknown>>;
  for (const other of MESSAGE_TYPES)
    if (other !== type && contents[other] !== undefined)
      faults.push({ pointer: `/${other}`, code: 'unexpected', detail: `the type is ${type}` });
  const own = contents[type];
  if (own === undefined)
    faults.push({ pointer: `/${type}`, code: 'required', detail: `is required if type is ${type}` });
  return (own as Record<string, unknown> | undefined) ?? null;
}

interface FileInput {
  media_id?: string;
  url?: string;
}

function faultOfFile(type: MessageType, { media_id: mediaId, url }: FileInput): FieldError | null {
  if (!isMediaType(type)) return null;
  if (mediaId === undefined && url === undefined)
    return { pointer: `/${type}/media_id`, code: 'required', detail: 'media_id or url is required' };
  if (mediaId !== undefined && url !== undefined)
    return { pointer: `/${type}/url`, code: 'ambiguous', detail: 'give either media_id or url' };
  return null;
}

function faultOfEvent(type: MessageType, content: Record<string, unknown>): FieldError | null {
  if (type !== 'event' || typeof content['end_at'] !== 'string') return null;
  return Date.parse(content['end_at']) < Date.parse(String(content['start_at']))
    ? { pointer: '/event/end_at', code: 'out_of_range', detail: 'must not be before start_at' }
    : null;
}

/** The time that a message is to be sent at. @throws Problem unprocessable more than a year ahead */
export function readSchedule(given: string | null | undefined, now: Date): Date | null {
  if (!given) return null;
  const at = new Date(given);
  if (at.getTime() - now.getTime() > MAX_AHEAD_MS)
    throw toFieldProblem([
      { pointer: '/scheduled_at', code: 'out_of_range', detail: 'must be within a year' },
    ]);
  return at;
}

/** @throws Problem invalid_request, unprocessable */
export function readMessage(body: Body, now: Date): MessageInput {
  const faults: FieldError[] = [];
  const { type } = body;
  const instanceId = idIn('instance', body.instance_id!, '/instance_id', faults);
  const recipient = readRecipient(body, faults);
  const given = getContent(body, type, faults);
  const file = (isMediaType(type) ? (given ?? {}) : {}) as FileInput;
  if (given)
    faults.push(...[faultOfFile(type, file), faultOfEvent(type, given)].filter((one) => one !== null));
  const mediaId =
    file.media_id === undefined ? null : idIn('media', file.media_id, `/${type}/media_id`, faults);
  const replyTo = body.reply_to ? idIn('message', body.reply_to, '/reply_to', faults) : null;
  if (faults.length) throw invalid(faults);
  return {
    instanceId: instanceId!,
    recipient: recipient!,
    type,
    content: normalizeContent(type, given),
    mediaId,
    url: file.url ?? null,
    subject: body.subject ?? null,
    threadId: body.thread_id ?? null,
    replyTo,
    mentions: body.mentions ?? [],
    scheduledAt: readSchedule(body.scheduled_at, now),
    shortenLinks: body.shorten_links ?? false,
    metadata: body.metadata ?? {},
  };
}
