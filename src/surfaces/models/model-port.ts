/** Implements the `ModelsPort` of automation: calls a model on behalf of a rule, like `POST /chat/completions`. */
import { tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import { LRUCache } from 'lru-cache';
import { Problem } from '../../platform/http/problem.ts';
import { toCallBody } from './contract/call-body.ts';
import type { CallOutput } from './contract/call-output.ts';
import type { Calls } from './calls/call.service.ts';
import { readErrorBody } from './calls/provider-error.ts';
import type { ModelCatalog } from './contract/model-catalog.ts';

/** A rule keeps less than this of a response. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Question {
  model: string;
  system: string | null;
  prompt: string;
  maxTokens: number | null;
}

/** Collects a response in memory. */
function createCollector(signal: AbortSignal): CallOutput & { status(): number; body(): Buffer } {
  const parts: Uint8Array[] = [];
  const tooLarge = new AbortController();
  let size = 0;
  let status = 0;
  return {
    signal: AbortSignal.any([signal, tooLarge.signal]),
    async open(given) {
      status = given;
    },
    async write(chunk) {
      size += chunk.length;
      if (size <= MAX_BYTES) parts.push(chunk);
      else tooLarge.abort(new Problem('model_provider_error', "The model's response is too large."));
      return !signal.aborted && !tooLarge.signal.aborted;
    },
    end() {},
    cut() {
      tooLarge.abort(new Problem('model_provider_error', "The model's response is incomplete."));
    },
    status: () => status,
    body() {
      tooLarge.signal.throwIfAborted();
      return Buffer.concat(parts);
    },
  };
}

const unreadable = (): Problem => new Problem('model_provider_error', "The model's response has no text.");

type Json = Record<string, unknown>;
const toObject = (value: unknown): Json =>
  value !== null && typeof value === 'object' ? (value as Json) : {};

/** Reads a text, or the texts in a list of parts; other parts, such as `thinking`, are left out. */
function readText(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part) => {
    const { type, text } = toObject(part);
    return typeof text === 'string' && (type === 'text' || type === 'output_text') ? [text] : [];
  });
  return texts.length ? texts.join('') : null;
}

const BEGIN = '<think>';
const END = '</think>';

/** Splits off the model's reasoning before its answer. The chat template of some models has the beginning. */
function splitThoughts(text: string): { thoughts: string | null; answer: string } {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  const isFirst = begin !== -1 && text.slice(0, begin).trim() === '';
  if (end === -1 && isFirst)
    throw new Problem('model_provider_error', 'The model reached its limit of tokens before it answered.');
  if (end === -1 || !(begin === -1 || (isFirst && begin < end))) return { thoughts: null, answer: text };
  const thoughts = text.slice(isFirst ? begin + BEGIN.length : 0, end).trim();
  return { thoughts: thoughts || null, answer: text.slice(end + END.length).trimStart() };
}

export interface Answer {
  text: string;
  /** The model's reasoning before its answer; null if there is none. */
  reasoning: string | null;
}

/** @throws Problem with the provider's status and message for an error */
function readAnswer(status: number, body: Buffer): Answer {
  if (status >= 400) {
    const message = readErrorBody(body).message ?? 'no details';
    const detail = `The model provider responded with status ${status}: ${message}`;
    throw new Problem('model_provider_error', detail, { status });
  }
  const { choices } = toObject(tryParseForeignJson(body));
  const { message } = toObject(Array.isArray(choices) ? choices[0] : null);
  const { content, reasoning_content: given, reasoning } = toObject(message);
  const text = readText(content);
  if (text === null) throw unreadable();
  const { thoughts, answer } = splitThoughts(text);
  return { text: answer, reasoning: readText(given) ?? readText(reasoning) ?? thoughts };
}

/** Whether a provider takes the limit of tokens only by its new name. */
const refusesMaxTokens = (status: number, body: Buffer): boolean =>
  status === 400 && body.includes('max_tokens') && body.includes('max_completion_tokens');

/** Models that take `max_completion_tokens` alone, by workspace. */
const withNewLimit = new LRUCache<string, true>({ max: 1_000, ttl: 3_600_000 });

export const createModelPort = ({ catalog, calls }: { catalog: ModelCatalog; calls: Calls }) => ({
  async exists(workspaceId: string, model: string): Promise<boolean> {
    try {
      await catalog.resolve(workspaceId, model);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return false;
      throw error;
    }
  },
  /** @throws Problem as `POST /chat/completions` does; the signal's reason if it aborts */
  async ask(
    workspaceId: string,
    actorId: string,
    { model, system, prompt, maxTokens }: Question,
    signal: AbortSignal,
  ): Promise<Answer> {
    const instructions = system === null ? [] : [{ role: 'system', content: system }];
    const messages = [...instructions, { role: 'user', content: prompt }];
    const call = async (limit: object): Promise<{ status: number; body: Buffer }> => {
      const body = toCallBody('chat/completions', { model, messages, ...limit });
      const output = createCollector(signal);
      const actor = { workspaceId, id: actorId };
      await calls.run({ actor, operation: 'chat/completions', body, query: '', traceparent: null }, output);
      signal.throwIfAborted();
      return { status: output.status(), body: output.body() };
    };
    const key = `${workspaceId} ${model}`;
    const isKnown = withNewLimit.has(key);
    const newLimit = { max_completion_tokens: maxTokens };
    let response = await call(maxTokens === null ? {} : isKnown ? newLimit : { max_tokens: maxTokens });
    if (maxTokens !== null && !isKnown && refusesMaxTokens(response.status, response.body)) {
      withNewLimit.set(key, true);
      response = await call(newLimit);
    }
    return readAnswer(response.status, response.body);
  },
});
