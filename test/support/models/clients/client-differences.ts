/** Where a call through Fairlead differs on purpose, as docs/model-calls.md says. */
import type { Outcome } from './client-outcome.ts';

interface Difference {
  /** Which libraries and calls, as `openai-7: chat stream`. */
  calls: RegExp;
  /** What the library returns or throws through Fairlead contains it. */
  shows: string;
}

export const DIFFERENCES: Difference[] = [
  // The stream reports its usage to Fairlead, and these calls don't ask for it.
  { calls: /^openai-.*: chat stream$|^@openrouter.*: stream with raw chunks$/, shows: '"usage":null' },
  { calls: / page as error$/, shows: 'The model provider responded with status 502.' },
  { calls: / text as error$/, shows: 'The model provider responded with status 503: no healthy upstream' },
  { calls: / error in a success$/, shows: 'The provider says 503' },
  { calls: /tream that is empty$/, shows: 'model_provider_error' },
  {
    calls: /tream that breaks off$/,
    shows: 'The remote server closed the connection before its response was complete.',
  },
  { calls: / in the background$/, shows: 'background' },
];

/** Removes what Fairlead adds to calls of streams that don't ask for their usage. */
export function withoutUsageOption(through: Outcome, direct: Outcome): Outcome {
  return {
    ...through,
    received: through.received.map((call, nth) => {
      const { path, body } = call;
      const asked = direct.received[nth]?.body.stream_options;
      if (path !== '/chat/completions' || !body.stream || asked) return call;
      const { stream_options: _, ...rest } = body;
      return { path, body: rest };
    }),
  };
}
