/** What the model provider of benchmarks streams: chunks of the size that OpenAI's have, and usage at the end. */
const frame = (delta: object, rest: object): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
    object: 'chat.completion.chunk',
    created: 1_741_570_283,
    model: 'stream',
    service_tier: 'default',
    system_fingerprint: 'fp_fc9f1d7035',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
    ...rest,
  })}\n\n`;

export const CHUNK = Buffer.from(frame({ content: ' word' }, { usage: null }));
const usage = { prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 };
export const END = Buffer.from(`${frame({}, { choices: [], usage })}data: [DONE]\n\n`);

/** A completion that is not streamed. */
export const DOCUMENT = JSON.stringify({
  id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
  object: 'chat.completion',
  created: 1_741_570_283,
  model: 'stream',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello! How can I assist you today?',
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 },
  service_tier: 'default',
});
