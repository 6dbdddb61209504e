/** Reads answers of HTTP APIs: bounded, parsed, and classified. */
import { DEFAULT_JSON_BOUNDS, ForeignJsonError, parseForeignJson } from '../../platform/json/foreign-json.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';

export interface ApiAnswer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The body as JSON; undefined if it is not JSON. */
  json: Json | undefined;
}

/** Returns what an answer means: an error, or null if the call was successful. */
export type Classify = (answer: ApiAnswer, call: { isSafe: boolean }) => DriverError | null;

export interface AnswerRules {
  /** Name of the channel in error messages. */
  title: string;
  /** A longer answer is invalid. */
  maxAnswerBytes: number;
  classify: Classify;
}

/** @returns `excess` names the exceeded limit, as the end of a sentence */
function parse(body: Buffer, bytes: number): { json: Json | undefined; excess: string | null } {
  try {
    return { json: parseForeignJson(body, { ...DEFAULT_JSON_BOUNDS, bytes }) as Json, excess: null };
  } catch (error) {
    if (!(error instanceof ForeignJsonError)) throw error;
    // Invalid JSON is reported by the code that needs it.
    return { json: undefined, excess: error.fault === 'invalid' ? null : error.detail };
  }
}

/**
 * Reads an answer.
 * @param given `truncated` if the body is longer than `maxAnswerBytes`
 * @throws DriverError from `classify`; `invalid_answer` if the answer to a successful call exceeds its bounds
 */
export function readAnswer(
  { status, headers, body, truncated }: Omit<ApiAnswer, 'json'> & { truncated: boolean },
  { title, maxAnswerBytes, classify }: AnswerRules,
  isSafe: boolean,
): ApiAnswer {
  const { json, excess } = truncated
    ? { json: undefined, excess: `is larger than ${maxAnswerBytes} bytes` }
    : parse(body, maxAnswerBytes);
  if (excess !== null && status >= 200 && status < 300)
    throw new DriverError(isSafe ? 'lost' : 'unknown', 'invalid_answer', `${title}: the response ${excess}.`);
  const read = { status, headers, body, json };
  const error = classify(read, { isSafe });
  if (error) throw error;
  return read;
}
