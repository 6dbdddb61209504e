/** The action `ask_model`: runs outside transactions, with a timeout and a limit on the stored output. */
import { storableText } from '../../../../platform/db/storable-text.ts';
import type { ModelsPort } from '../../ports.ts';
import type { StepInputs } from '../step-input.ts';
import { failed, toOutcome, type StepOutcome } from './outcome.ts';

const TIMEOUT_MS = 60_000;
const MAX_ANSWER = 64 * 1024;

/**
 * Calls the model.
 * @param ruleId public ID, to which the usage is attributed
 * @throws the reason of `signal` if aborted
 */
export async function askModel(
  models: ModelsPort,
  workspaceId: string,
  ruleId: string,
  { model, system, prompt, max_tokens: maxTokens }: StepInputs['ask_model'],
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<StepOutcome> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const question = { model, system, prompt, maxTokens };
  try {
    return await toOutcome(async () => {
      const { text } = await models.ask(workspaceId, ruleId, question, AbortSignal.any([signal, deadline]));
      return { text: storableText(text.slice(0, MAX_ANSWER)) };
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.aborted) throw error;
    return failed(
      { code: 'timeout', detail: `The model did not answer within ${timeoutMs / 1000} s.` },
      true,
    );
  }
}
