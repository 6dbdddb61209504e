/**
 * `fairlead/echo`: responds with the last user message, so that a first call works on a new installation without
 * third-party keys. Shapes: https://platform.openai.com/docs/api-reference/chat
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  CallContext,
  ChatRequest,
  CompletionAnswer,
  Model,
  ModelProvider,
  TokenUsage,
} from './provider.ts';

const CHARACTERS_A_TOKEN = 4;
const MAX_IN_WORDS = 20_000;
const MAX_PIECES = 1_000;
/** Delay between chunks, so that a stream is visible as with a real model. */
const PACE_MS = 5;
const RELEASED = new Date('2026-01-01T00:00:00Z');

const ECHO: Model = {
  id: 'fairlead/echo',
  created: RELEASED,
  owned_by: 'fairlead',
  context_length: 32_768,
  modalities: { input: ['text'], output: ['text'] },
  capabilities: ['chat', 'streaming'],
};

/** Returns the text of a message: a string, or the text parts of a list. */
function getText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { type?: string; text?: unknown }) =>
      part?.type === 'text' && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

const tokensIn = (text: string): number => Math.ceil(text.length / CHARACTERS_A_TOKEN);

function getUsage({ messages }: ChatRequest, answer: string): TokenUsage {
  const prompt_tokens = messages.reduce((sum, { content }) => sum + tokensIn(getText(content)), 0);
  const completion_tokens = tokensIn(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

const frame = (value: object | '[DONE]'): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;

/**
 * Splits a text into words with their leading space, or a long text into some thousand equal chunks that never split a
 * character.
 */
function* splitText(text: string): Generator<string> {
  if (text.length <= MAX_IN_WORDS) {
    yield* text.match(/\s*\S+\s*?|\s+$/g) ?? [];
    return;
  }
  const size = Math.ceil(text.length / MAX_PIECES);
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = Math.min(at + size, text.length);
    if (isLowSurrogate(text.charCodeAt(end))) end++;
    yield text.slice(at, end);
  }
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

async function* getStream(
  request: ChatRequest,
  head: object,
  answer: string,
  usage: TokenUsage,
  { signal, paceMs }: CallContext & { paceMs: number },
): AsyncGenerator<string> {
  const withUsage = request.stream_options?.include_usage === true;
  const chunk = (delta: object, finish_reason: string | null): string =>
    frame({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(withUsage ? { usage: null } : {}),
    });
  yield chunk({ role: 'assistant', content: '' }, null);
  for (const piece of splitText(answer)) {
    if (signal.aborted) return;
    yield chunk({ content: piece }, null);
    if (paceMs) await delay(paceMs);
  }
  yield chunk({}, 'stop');
  if (withUsage) yield frame({ ...head, object: 'chat.completion.chunk', choices: [], usage });
  yield frame('[DONE]');
}

/**
 * Creates the provider.
 * @param options.paceMs milliseconds between chunks of a stream
 */
export function createEchoProvider({ paceMs = PACE_MS, clock = () => new Date() } = {}): ModelProvider {
  return {
    id: 'fairlead',
    listModels: async () => [ECHO],
    async chat(request, context): Promise<CompletionAnswer> {
      const answer = getText(request.messages.findLast(({ role }) => role === 'user')?.content);
      const usage = getUsage(request, answer);
      const head = {
        id: `chatcmpl-${randomBytes(12).toString('hex')}`,
        created: Math.floor(clock().getTime() / 1000),
        model: request.model,
        system_fingerprint: null,
      };
      if (request.stream)
        return {
          content: {
            kind: 'stream',
            chunks: getStream(request, head, answer, usage, { ...context, paceMs }),
          },
          usage: () => usage,
        };
      const message = { role: 'assistant', content: answer, refusal: null };
      const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
      return {
        content: { kind: 'json', body: { ...head, object: 'chat.completion', choices, usage } },
        usage: () => usage,
      };
    },
  };
}
