/** Chooses echo's reply to a conversation: a tool call, a JSON document, or the text itself. */
import {
  DEFAULT_JSON_BOUNDS,
  type JsonBounds,
  tryParseForeignJson,
} from '../../../platform/json/foreign-json.ts';
import { createJsonSample } from './json-sample.ts';
import { countTokens, cutText } from './echo-text.ts';

export interface Reply {
  text: string;
  toolCall: { name: string; arguments: string } | null;
  /** Whether `max_tokens` cut the text. */
  isCut: boolean;
  outputTokens: number;
}

/** `call NAME {json}` as the last user message, without the space around it. Linear in its length. */
const CALL = /^call\s+([\w.-]{1,64})(?:\s*(\{[\s\S]*\}))?$/;
/** Longer arguments are passed on as written: how much work they would be is not known before. */
const ARGUMENTS: JsonBounds = { ...DEFAULT_JSON_BOUNDS, bytes: 64 * 1024 };

function readArguments(text: string | undefined): string {
  if (text === undefined) return '{}';
  const value = tryParseForeignJson(text, ARGUMENTS);
  // Sent as written, as a model would.
  return value === undefined ? text : JSON.stringify(value);
}

/**
 * @param tools names of the functions that can be called
 * @param schema JSON Schema of the response; null for text
 * @param isAfterTool whether the conversation ends with the result of a tool call
 */
export function createReply({
  text,
  tools,
  schema,
  isAfterTool,
  maxTokens,
}: {
  text: string;
  tools: readonly unknown[];
  schema: unknown;
  isAfterTool: boolean;
  maxTokens: unknown;
}): Reply {
  const [, asked, given] = (!isAfterTool && tools.length > 0 && CALL.exec(text.trim())) || [];
  const name = tools.find((tool) => tool === asked);
  if (typeof name === 'string') {
    const call = { name, arguments: readArguments(given) };
    return { text: '', toolCall: call, isCut: false, outputTokens: countTokens(call.arguments) };
  }
  const whole = schema === null ? text : JSON.stringify(createJsonSample(schema, text));
  const { text: cut, isCut } = cutText(whole, maxTokens);
  return { text: cut, toolCall: null, isCut, outputTokens: countTokens(cut) };
}

/** The schema of a response format; null for text. An object without a schema has the text in one field. */
export function getFormatSchema(format: unknown): unknown {
  const {
    type,
    json_schema: nested,
    schema,
  } = (format ?? {}) as {
    type?: unknown;
    json_schema?: { schema?: unknown } | null;
    schema?: unknown;
  };
  if (type === 'json_object') return { type: 'object', properties: { text: { type: 'string' } } };
  return type === 'json_schema' ? (nested?.schema ?? schema ?? {}) : null;
}
