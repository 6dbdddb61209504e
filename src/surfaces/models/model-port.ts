/** Implements the `ModelsPort` of automation: calls a model on behalf of a rule. */
import type { ReadUnit } from '../../core/unit-of-work.ts';
import { Problem } from '../../platform/http/problem.ts';
import { countUsage, findModel, listModels, type ProvidersOf } from './model.service.ts';

interface Question {
  model: string;
  system: string | null;
  prompt: string;
  maxTokens: number | null;
}

const unreadable = (): Problem => new Problem('model_provider_error', "The model's response has no text.");

/**
 * Returns the text of a completion.
 * @throws Problem model_provider_error
 */
function getText(body: object): string {
  const { choices } = body as { choices?: { message?: { content?: unknown } }[] };
  const content = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof content !== 'string') throw unreadable();
  return content;
}

export const createModelPort = ({
  read,
  providersOf: getProviders,
}: {
  read: ReadUnit;
  providersOf: ProvidersOf;
}) => ({
  async exists(workspaceId: string, model: string): Promise<boolean> {
    const models = await listModels(getProviders, workspaceId);
    return models.some(({ id }) => id === model);
  },
  /** @throws Problem not_found, model_provider_error */
  async ask(
    workspaceId: string,
    actorId: string,
    { model, system, prompt, maxTokens }: Question,
    signal: AbortSignal,
  ): Promise<{ text: string }> {
    const { provider } = await findModel(getProviders, workspaceId, model);
    const told = system === null ? [] : [{ role: 'system', content: system }];
    const messages = [...told, { role: 'user', content: prompt }];
    const limit = maxTokens === null ? {} : { max_tokens: maxTokens };
    const answer = await provider.chat({ model, messages, ...limit }, { signal, traceparent: null });
    if (answer.content.kind !== 'json') throw unreadable();
    const text = getText(answer.content.body);
    await countUsage(read, workspaceId, actorId, model, answer.usage());
    return { text };
  },
});
