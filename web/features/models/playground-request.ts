/** Converts the conversation and settings of the playground to a request, and to code. */
import type { ChatUsage, ToolCall } from '../../api/models.ts';
import type { ModelPrice } from '../../api/types.ts';
import { t } from '../../copy/text.ts';

export interface Settings {
  system: string;
  /** Empty for the default of the model. */
  temperature: string;
  max_tokens: string;
  /** JSON: an array of tools; empty for none. */
  tools: string;
}

export const NO_SETTINGS: Settings = { system: '', temperature: '', max_tokens: '', tools: '' };

export interface Turn {
  role: 'user' | 'assistant';
  text: string;
  /** Data URLs. */
  images: readonly string[];
  /** That the model asks for. */
  toolCalls: readonly ToolCall[];
}

export type ChatBody = Record<string, unknown> & { messages: object[] };

/** @returns the tools, undefined for none, or the error as a sentence */
export function readTools(text: string): { tools: object[] | undefined } | { error: string } {
  if (text.trim() === '') return { tools: undefined };
  let tools: unknown;
  try {
    tools = JSON.parse(text);
  } catch (error) {
    return { error: t('Not valid JSON: {reason}', { reason: error instanceof Error ? error.message : '' }) };
  }
  const isTool = (one: unknown): boolean => typeof one === 'object' && one !== null && 'type' in one;
  if (!Array.isArray(tools) || tools.length === 0 || !tools.every(isTool))
    return { error: t('Must be an array of tools, each with a type.') };
  return { tools: tools as object[] };
}

/** Returns the messages of a turn: a message after tool calls is their result. */
function toMessages(turn: Turn, before: Turn | undefined): object[] {
  const { role, text, images, toolCalls } = turn;
  if (role === 'assistant')
    return [
      {
        role,
        content: text,
        ...(toolCalls.length > 0 && {
          tool_calls: toolCalls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }),
      },
    ];
  if (before && before.toolCalls.length > 0)
    return before.toolCalls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: text }));
  if (images.length === 0) return [{ role, content: text }];
  const parts = images.map((url) => ({ type: 'image_url', image_url: { url } }));
  return [{ role, content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }];
}

export function toRequest(settings: Settings, turns: readonly Turn[]): ChatBody {
  const read = readTools(settings.tools);
  const tools = 'tools' in read ? read.tools : undefined;
  const system = settings.system.trim();
  return {
    ...(settings.temperature !== '' && { temperature: Number(settings.temperature) }),
    ...(settings.max_tokens !== '' && { max_tokens: Number(settings.max_tokens) }),
    ...(tools && { tools }),
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.flatMap((turn, at) => toMessages(turn, turns[at - 1])),
    ],
  };
}

const MAX_SHOWN_URL = 48;

/** Returns a request to be shown: data of images is cut. */
export const shortened = <T>(body: T): T =>
  JSON.parse(
    JSON.stringify(body, (_key, value: unknown) =>
      typeof value === 'string' && value.startsWith('data:') && value.length > MAX_SHOWN_URL
        ? `${value.slice(0, MAX_SHOWN_URL)}…`
        : value,
    ),
  ) as T;

/** Returns the cost in USD; null if the price or the tokens are not known. */
export function getCost(usage: ChatUsage | null, price: ModelPrice | null | undefined): number | null {
  if (!usage || !price) return null;
  const input = usage.prompt_tokens ?? 0;
  const cached = Math.min(input, usage.prompt_tokens_details?.cached_tokens ?? 0);
  const output = usage.completion_tokens ?? 0;
  const cachedPrice = price.cached_input ?? price.input;
  const tokens = (input - cached) * price.input + cached * cachedPrice + output * price.output;
  return tokens / 1_000_000 + (price.request ?? 0);
}

/** Writes JSON as JavaScript does: names without quotes where they need none. */
const javaScript = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');

/** Writes JSON as Python does. */
export function python(value: unknown, by = ''): string {
  const deeper = `${by}    `;
  const list = (parts: string[], open: string, close: string) =>
    parts.length === 0 ? open + close : `${open}\n${deeper}${parts.join(`,\n${deeper}`)},\n${by}${close}`;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return list(
      value.map((one) => python(one, deeper)),
      '[',
      ']',
    );
  if (typeof value === 'object')
    return list(
      Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${python(part, deeper)}`),
      '{',
      '}',
    );
  return JSON.stringify(value);
}

/** @param origin address of this server */
export function nodeCode(body: ChatBody & { model: string }, origin: string): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/api/v1',
  apiKey: process.env.FAIRLEAD_API_KEY,
});

const stream = await client.chat.completions.create(${javaScript({ ...body, stream: true })});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');
}`;
}

/** @param origin address of this server */
export function pythonCode(body: ChatBody & { model: string }, origin: string): string {
  const named = Object.entries({ ...body, stream: true })
    .map(([name, value]) => `    ${name}=${python(value, '    ')},`)
    .join('\n');
  return `import os

from openai import OpenAI

client = OpenAI(
    base_url="${origin}/api/v1",
    api_key=os.environ["FAIRLEAD_API_KEY"],
)

stream = client.chat.completions.create(
${named}
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`;
}
