/** Sample outputs of steps in a rule test; recognizable as samples. */
import { exampleId } from '../../../core/api/id-schema.ts';
import { sampleAnswer } from '../questions/ask-model.ts';
import type { ActionObject } from './rule-action.schema.ts';
import type { PreparedStep } from './step-input.ts';

/** Returns a sample with the shape of the real output. */
export function sampleOutput(
  action: ActionObject,
  prepared: Exclude<PreparedStep, { outcome: 'skipped' }>,
  baseUrl: string,
): Record<string, unknown> {
  switch (action.type) {
    case 'send_message':
      return { message_id: exampleId('message'), status: 'queued' };
    case 'create_link': {
      const made =
        prepared.outcome === 'ready' && prepared.step.type === 'create_link' ? prepared.step.input : null;
      const short = `${action.domain === null ? baseUrl : `https://${action.domain}`}/${made?.slug ?? 'sample'}`;
      return { id: exampleId('link'), short_url: short, url: made?.url ?? 'https://example.com/sample' };
    }
    case 'call_webhook':
      return { status: 200, body: { sample: true } };
    default:
      return { text: sampleAnswer(action.model), reasoning: null };
  }
}
