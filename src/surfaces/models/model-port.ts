/** Implements the `ModelsPort` of automation: calls a model on behalf of a rule, like `POST /chat/completions`. */
import { tryParseForeignJson } from '../../platform/json/foreign-json.ts';
import { Problem } from '../../platform/http/problem.ts';
import { toCallBody } from './calls/call-body.ts';
import type { CallOutput } from './calls/call-output.ts';
import type { Calls } from './calls/call.service.ts';
import type { ModelCatalog } from './catalog/model-catalog.ts';

/** A rule keeps less than this of a response. */
const MAX_BYTES = 4 * 1024 * 1024;

interface Question {
  model: string;
  system: string | null;
  prompt: string;
  maxTokens: number | null;
}

/** Collects a response in memory. */
function createCollector(signal: AbortSignal): CallOutput & { status(): number; text(): string } {
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
    text() {
      tooLarge.signal.throwIfAborted();
      return Buffer.concat(parts).toString();
    },
  };
}

const unreadable = (): Problem => new Problem('model_provider_error', "The model's response has no text.");

interface Completion {
  choices?: { message?: { content?: unknown } }[];
  error?: { message?: unknown };
}

function parse(text: string): Completion {
  const value = tryParseForeignJson(text);
  if (value === undefined) throw unreadable();
  return value ?? {};
}

/** @throws Problem with the provider's status and message for an error */
function getText(status: number, text: string): string {
  const { choices, error } = parse(text);
  if (status >= 400 || error) {
    const message = typeof error?.message === 'string' ? error.message.slice(0, 500) : 'no details';
    const detail = `The model provider responded with status ${status}: ${message}`;
    throw new Problem('model_provider_error', detail, status >= 400 ? { status } : {});
  }
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw unreadable();
  return content;
}

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
  ): Promise<{ text: string }> {
    const instructions = system === null ? [] : [{ role: 'system', content: system }];
    const body = toCallBody('chat/completions', {
      model,
      messages: [...instructions, { role: 'user', content: prompt }],
      ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    });
    const output = createCollector(signal);
    const actor = { workspaceId, id: actorId };
    await calls.run({ actor, operation: 'chat/completions', body, query: '', traceparent: null }, output);
    signal.throwIfAborted();
    return { text: getText(output.status(), output.text()) };
  },
});
