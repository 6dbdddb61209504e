/** The action `ask_model`, and `ask_model` of publishing endpoints: runs outside transactions, with a timeout and a limit on the stored output. */
import { storableText } from '../../../platform/db/storable-text.ts';
import type { ModelsPort } from '../ports/ports.ts';
import { failed, toOutcome, type StepOutcome } from '../ports/outcome.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER = 64 * 1024;

/** A question for a model, with its templates rendered. */
export interface Question {
  model: string;
  system: string | null;
  prompt: string;
  max_tokens: number | null;
}

/** The placeholder for a model's answer in tests, which call no model. */
export const sampleAnswer = (model: string): string => `SAMPLE: what ${model} answers`;

/**
 * Calls the model.
 * @param callerId public ID of the rule or endpoint, to which the usage is attributed
 * @throws the reason of `signal` if aborted
 */
export async function askModel(
  models: Pick<ModelsPort, 'ask'>,
  workspaceId: string,
  callerId: string,
  { model, system, prompt, max_tokens: maxTokens }: Question,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<StepOutcome> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const question = { model, system, prompt, maxTokens };
  try {
    return await toOutcome(async () => {
      const both = AbortSignal.any([signal, deadline]);
      const { text, reasoning } = await models.ask(workspaceId, callerId, question, both);
      const toStored = (long: string): string => storableText(long.slice(0, MAX_ANSWER));
      return { text: toStored(text), reasoning: reasoning === null ? null : toStored(reasoning) };
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    return failed(
      { code: 'timeout', detail: `The model did not respond within ${timeoutMs / 1000} s.` },
      true,
    );
  }
}
