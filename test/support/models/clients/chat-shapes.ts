/** Chat completions in OpenAI's shapes: the answer that a request asks for, whole and in frames. */
import type { RequestBody } from './client-provider.ts';

export const WORDS = ['Hello', ' from', ' the', ' other', ' side', ' 灯台 🚢'];
export const OBJECT = '{"city":"Oslo","degrees":12}';
export const WEATHER = '{"city":"Oslo"}';
const CREATED = 1_767_225_600;

const USAGE = {
  prompt_tokens: 17,
  completion_tokens: 9,
  total_tokens: 26,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 3,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

const toolCall = (nth: number) => ({
  id: `call_${nth}`,
  type: 'function',
  function: { name: 'get_weather', arguments: WEATHER },
});

interface Said {
  content: string | null;
  refusal: string | null;
  reasoning: string | null;
  calls: ReturnType<typeof toolCall>[];
  finish: string;
}

/** Decides what the model says: it calls a tool that it has no result of, and follows a schema. */
function getSaid(body: RequestBody): Said {
  const said: Said = { content: WORDS.join(''), refusal: null, reasoning: null, calls: [], finish: 'stop' };
  const { model, messages, tools, response_format: format } = body;
  const isCalled = messages.some(({ role }: { role: string }) => role === 'tool');
  if (tools?.length && !isCalled)
    return { ...said, content: null, calls: [toolCall(1), toolCall(2)], finish: 'tool_calls' };
  if (model === 'refusal') return { ...said, content: null, refusal: 'I can’t help with that.' };
  if (model === 'length') return { ...said, content: OBJECT.slice(0, 9), finish: 'length' };
  if (model === 'filtered') return { ...said, content: '', finish: 'content_filter' };
  if (model === 'reasoning') said.reasoning = 'Let me think. ';
  return { ...said, content: format?.type?.startsWith('json') ? OBJECT : said.content };
}

const getLogprobs = (body: RequestBody, content: string | null) =>
  body.logprobs && content
    ? {
        content: [{ token: content, logprob: -0.25, bytes: [...Buffer.from(content)], top_logprobs: [] }],
        refusal: null,
      }
    : null;

const common = (body: RequestBody) => ({
  id: 'chatcmpl-Abc',
  created: CREATED,
  model: body.model,
  service_tier: 'default',
  system_fingerprint: 'fp_44709d6fcb',
});

export function getDocument(body: RequestBody): object {
  const { content, refusal, reasoning, calls, finish } = getSaid(body);
  const message = {
    role: 'assistant',
    content,
    ...(calls.length ? { tool_calls: calls } : {}),
    ...(reasoning === null ? {} : { reasoning_content: reasoning, reasoning }),
    refusal,
    annotations: [],
  };
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({
    index,
    message,
    logprobs: getLogprobs(body, content),
    finish_reason: finish,
  }));
  return { ...common(body), object: 'chat.completion', choices, usage: USAGE };
}

const toFrame = (data: object | string): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export function getFrames(body: RequestBody): string[] {
  const { content, refusal, reasoning, calls, finish } = getSaid(body);
  const hasUsage = body.stream_options?.include_usage === true;
  const chunk = (delta: object, finish_reason: string | null = null, logprobs: unknown = null): string =>
    toFrame({
      ...common(body),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs, finish_reason }],
      ...(hasUsage ? { usage: null } : {}),
    });
  const pieces = (content ?? '').match(/\s*\S+/gu) ?? [];
  return [
    chunk({ role: 'assistant', content: content === null ? null : '', refusal: null }),
    ...(reasoning === null ? [] : [chunk({ reasoning_content: reasoning, reasoning })]),
    ...(refusal === null ? [] : [chunk({ refusal })]),
    ...pieces.map((piece) => chunk({ content: piece }, null, getLogprobs(body, piece))),
    ...calls.flatMap(({ id, type, function: { name } }, index) => [
      chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...['{"city"', ':"Oslo"}'].map((part) =>
        chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
      ),
    ]),
    chunk({}, finish),
    ...(hasUsage
      ? [toFrame({ ...common(body), object: 'chat.completion.chunk', choices: [], usage: USAGE })]
      : []),
    toFrame('[DONE]'),
  ];
}

export const getErrorFrame = (error: object): string => toFrame({ error });
