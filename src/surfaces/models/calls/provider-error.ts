/** Reads errors as model providers report them: in OpenAI's shape, in shapes of their own, as text, and within a success. */
import { tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import type { CallOperation } from '../contract/upstream.ts';

const MAX_DETAIL = 500;
const MAX_DEPTH = 4;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Whether a field `error` reports one. Some providers always send the field, empty. */
export const isError = (error: unknown): boolean =>
  typeof error === 'string' ? error !== '' : error !== null && typeof error === 'object';

/** Finds the message in an error of any shape; several are joined, such as those of invalid fields. */
function findMessage(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const messages = value.slice(0, 10).flatMap((item) => findMessage(item, depth + 1) ?? []);
    return messages.length ? messages.join('; ') : null;
  }
  const { error, errors, message, detail, msg, choices } = value as Json;
  for (const part of [error, message, detail, msg, errors, choices]) {
    const found = findMessage(part, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

export interface ReadError {
  /** The error in OpenAI's shape, if the body has it. */
  error: Json | null;
  /** The provider's reason, shortened; null if it gives none or sends an HTML page. */
  message: string | null;
}

/** Reads the body of an error. */
export function readErrorBody(body: Buffer): ReadError {
  // Undefined if the body is not JSON, such as the HTML page of a proxy.
  const value = tryParseForeignJson(body);
  const error = isObject(value) && isObject(value['error']) ? value['error'] : null;
  const text = value === undefined ? body.toString().trim() : null;
  const message = text === null ? findMessage(value) : text === '' || text.startsWith('<') ? null : text;
  return { error, message: message?.slice(0, MAX_DETAIL) ?? null };
}

/** Codes and sentences of providers for input that is longer than the context of the model. */
const CONTEXT_LENGTH =
  /context[\s_-]?(?:length|window|size)[\s_-]?(?:is[\s_-])?exceed|exceed[^.]{0,60}context[\s_-]?(?:length|window|size)|exceed_context_size|(?:maximum|max) (?:context|model|sequence) length|(?:prompt|input) is too long|input token count[^.]{0,60}exceeds|exceeds the maximum (?:number of )?(?:input )?tokens|reduce the length of the (?:messages|prompt|input)/i;

/** Whether a rejection says that the input is longer than the context of the model. */
export const isContextLength = (status: number, body: Buffer): boolean =>
  (status === 400 || status === 413 || status === 422) && CONTEXT_LENGTH.test(body.toString());

/** The error in a complete document with status 200. */
export type DocumentFault =
  /** An error. @param status that the provider means by it */
  | { kind: 'error'; status: number }
  /** An answer without content. */
  | { kind: 'empty' }
  /** A response in OpenAI's shape that says that it failed. */
  | { kind: 'failed' };

const BAD_GATEWAY = 502;

/** Returns the HTTP status that an error names, as OpenRouter's `code`; 502 for none. */
function getStatus({ error, code, status }: Json): number {
  const own = isObject(error) ? [error['code'], error['status']] : [];
  const named = [...own, code, status].map(Number).find((value) => value >= 400 && value < 600);
  return named !== undefined && Number.isInteger(named) ? named : BAD_GATEWAY;
}

/** The array that a complete answer has, which must not be empty. */
const CONTENT: Record<CallOperation, string> = {
  'chat/completions': 'choices',
  responses: 'output',
  embeddings: 'data',
};

/**
 * Finds out whether a document with status 200 is an answer.
 * @param document null if it is no JSON object
 */
export function findFault(operation: CallOperation, document: Json | null): DocumentFault | null {
  if (document === null || Array.isArray(document)) return { kind: 'error', status: BAD_GATEWAY };
  const { error, object, status } = document;
  const content = document[CONTENT[operation]];
  if (object === 'response') {
    if (status === 'failed') return { kind: 'failed' };
    return status === 'completed' && Array.isArray(content) && content.length === 0
      ? { kind: 'empty' }
      : null;
  }
  const isBare = content === undefined && findMessage(document) !== null;
  if (isError(error) || object === 'error' || isBare) return { kind: 'error', status: getStatus(document) };
  if (operation === 'chat/completions' && Array.isArray(content)) {
    const failed = content.find((choice) => isObject(choice) && isError(choice['error'])) as Json | undefined;
    if (failed) return { kind: 'error', status: getStatus(failed) };
  }
  return content === null || (Array.isArray(content) && content.length === 0) ? { kind: 'empty' } : null;
}
