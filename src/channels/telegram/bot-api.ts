/**
 * Calls of the Bot API, typed by its methods. The token is part of each URL: it appears in no error, because the client
 * drops URLs and descriptions are searched for it.
 */
import type { ApiMethods } from '@grammyjs/types';
import type { Egress } from '../../platform/egress/egress.ts';
import type { OutboundFile } from '../contract/connection.ts';
import { DriverError, type DriverErrorKind } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { type ApiAnswer, createApiClient } from '../http-api/client.ts';
import { boundRetryAfter, toDetail } from '../http-api/failures.ts';
import { createUpload } from '../http-api/upload.ts';
import { integer, object, type Untrusted } from './untrusted.ts';

export type Methods = ApiMethods<string>;
export type Method = keyof Methods;
type Given<M extends Method> = Parameters<Methods[M]>[0];
/** Of methods without parameters: an empty object. */
export type Params<M extends Method> =
  Given<M> extends undefined ? Record<string, never> : NonNullable<Given<M>>;

/** Methods that only read, or whose repetition changes nothing. */
const SAFE: ReadonlySet<Method> = new Set<Method>([
  'getMe',
  'getUpdates',
  'getFile',
  'getChat',
  'getChatAdministrators',
  'getChatMember',
  'getCustomEmojiStickers',
  'getWebhookInfo',
  'setWebhook',
  'deleteWebhook',
  'answerCallbackQuery',
  'sendChatAction',
  'setMessageReaction',
  'pinChatMessage',
  'unpinChatMessage',
  'setChatTitle',
  'setChatDescription',
  'setChatPhoto',
  'deleteChatPhoto',
  'setChatPermissions',
  'banChatMember',
  'unbanChatMember',
  'promoteChatMember',
  'leaveChat',
  'editMessageText',
  'editMessageCaption',
  'deleteMessage',
  'exportChatInviteLink',
]);

const TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 240_000;
/** Enough for 100 updates with the longest texts. */
const MAX_ANSWER = 16_000_000;

export class BotApiError extends DriverError {
  /** Telegram's error text, only for comparisons. */
  readonly description: string;
  /** The supergroup that the group has become. */
  readonly migratedTo: number | null;

  constructor(
    kind: DriverErrorKind,
    code: string,
    description: string,
    about: { retryAfterMs?: number; migratedTo?: number | null } = {},
  ) {
    super(kind, code, `Telegram: ${description}`, about);
    this.description = description;
    this.migratedTo = about.migratedTo ?? null;
  }
}

/** Descriptions of 400 and 403 that have a code of their own. */
const REJECTIONS: readonly (readonly [RegExp, string])[] = [
  [/bot was blocked by the user/i, 'blocked'],
  [/user is deactivated/i, 'recipient_unknown'],
  [
    /chat not found|user not found|PEER_ID_INVALID|USER_ID_INVALID|PARTICIPANT_ID_INVALID/i,
    'recipient_unknown',
  ],
  [/can't initiate conversation/i, 'conversation_not_started'],
  [/bot was kicked|bot is not a member|CHAT_WRITE_FORBIDDEN|group chat was deleted/i, 'not_in_group'],
  [/not enough rights|need administrator rights|CHAT_ADMIN_REQUIRED|have no rights/i, 'not_allowed'],
  [/group chat was upgraded/i, 'group_migrated'],
  [/message is not modified|CHAT_NOT_MODIFIED/i, 'not_modified'],
  [/there is no text in the message to edit/i, 'no_text'],
  [/message to unpin not found/i, 'not_pinned'],
  [/message (to .{1,20} )?not found|MESSAGE_ID_INVALID/i, 'message_not_found'],
  [/message can't be (edited|deleted)/i, 'too_late'],
  [
    /PHOTO_INVALID_DIMENSIONS|IMAGE_PROCESS_FAILED|PHOTO_SAVE_FILE_INVALID|PHOTO_EXT_INVALID/i,
    'invalid_image',
  ],
  [/VOICE_MESSAGES_FORBIDDEN/i, 'voice_forbidden'],
  [/file is too big|Entity Too Large/i, 'too_large'],
  [/REACTION_INVALID|REACTION_EMPTY/i, 'invalid_reaction'],
];

interface ErrorBody {
  ok: boolean;
  description: string;
  error_code: number;
  parameters: { retry_after?: number; migrate_to_chat_id?: number };
}

function toError(
  { status, json }: Pick<ApiAnswer, 'status' | 'json'>,
  isSafe: boolean,
  token: string,
): DriverError | null {
  const body: Untrusted<ErrorBody> = object<ErrorBody>(json) ?? {};
  if (status >= 200 && status < 300 && body.ok === true) return null;
  const description =
    toDetail(body.description).replaceAll(token, '…') || `the response has status ${status}`;
  const fail = (kind: DriverErrorKind, code: string, about = {}): BotApiError =>
    new BotApiError(kind, code, description, about);
  const parameters = object<ErrorBody['parameters']>(body.parameters) ?? {};
  if (status === 401 || (status === 404 && !/method/i.test(description)))
    return new DriverError(
      'refused',
      'authentication_failed',
      'Telegram rejected the token. It is wrong, or it was revoked in @BotFather.',
    );
  if (status === 429) {
    const seconds = integer(parameters.retry_after) ?? 1;
    return fail('busy', 'rate_limited', { retryAfterMs: boundRetryAfter(seconds * 1000) });
  }
  if (status === 409) return fail('lost', /webhook/i.test(description) ? 'webhook_active' : 'conflict');
  if (status === 413) return fail('rejected', 'too_large');
  if (status >= 400 && status < 500) {
    const [, code = 'rejected_by_channel'] = REJECTIONS.find(([text]) => text.test(description)) ?? [];
    return fail('rejected', code, { migratedTo: integer(parameters.migrate_to_chat_id) });
  }
  if (isSafe) return fail('busy', 'channel_unavailable');
  return fail('unknown', 'no_answer');
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs?: number;
}

export interface BotApi {
  /** @returns its `result`, unchecked. @throws DriverError */
  call<M extends Method>(method: M, params: Params<M>, options: CallOptions): Promise<Json>;
  /**
   * The same with a file in the field `field`, streamed.
   * @param params those that are not strings are sent as JSON
   */
  upload<M extends Method>(
    method: M,
    params: Omit<Params<M>, keyof Params<M> & string> & Record<string, unknown>,
    field: string,
    file: OutboundFile,
    signal: AbortSignal,
  ): Promise<Json>;
  /** @param path `file_path` of `getFile` */
  fileUrl(path: string): string;
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns a file name with an extension, from which Telegram derives some types. */
function getFileName({ fileName, mimeType, type }: OutboundFile): string {
  const name = (fileName ?? '').replaceAll(/[\p{C}/\\]+/gu, '_').trim();
  if (name !== '') return name;
  const [, ending = 'bin'] = /\/(?:x-)?([a-z\d]{2,10})$/.exec(mimeType) ?? [];
  return `${type}.${ending}`;
}

export function createBotApi(
  egress: Pick<Egress, 'request' | 'dispatcher'>,
  { apiRoot, token }: { apiRoot: string; token: string },
): BotApi {
  const defaults = {
    title: 'Telegram',
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER,
    classify: (answer: ApiAnswer, { isSafe }: { isSafe: boolean }) => toError(answer, isSafe, token),
  };
  const client = createApiClient(egress, defaults);
  const sendFile = createUpload(egress, defaults);
  const url = (method: Method): string => `${apiRoot}/bot${token}/${method}`;
  const getResult = ({ json }: ApiAnswer): Json => (json as { result?: Json }).result ?? null;

  return {
    async call(method, params, { signal, timeoutMs }) {
      const answer = await client.call({
        method: 'POST',
        url: url(method),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
        isSafe: SAFE.has(method),
        isLongPoll: method === 'getUpdates',
        signal,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      return getResult(answer);
    },
    async upload(method, params, field, file, signal) {
      const given = Object.entries(params).filter(([, value]) => value !== undefined);
      const answer = await sendFile({
        url: url(method),
        fields: Object.fromEntries(given.map(([name, value]) => [name, toText(value)])),
        file: {
          field,
          fileName: getFileName(file),
          mimeType: file.mimeType,
          size: file.size,
          open: file.open,
        },
        timeoutMs: UPLOAD_TIMEOUT_MS,
        isSafe: SAFE.has(method),
        signal,
      });
      return getResult(answer);
    },
    fileUrl: (path) => `${apiRoot}/file/bot${token}/${path}`,
  };
}
