/** Chat completions of echo. https://platform.openai.com/docs/api-reference/chat */
import type { CallJson } from '../contract/input-size.ts';
import type { EchoStream } from './echo-limits.ts';
import { createReply, getFormatSchema, type Reply } from './echo-reply.ts';
import { countTokens, getText, splitText } from './echo-text.ts';

interface Message {
  role?: unknown;
  content?: unknown;
}

const getMessages = ({ messages }: CallJson): Message[] =>
  Array.isArray(messages) ? (messages as (Message | null)[]).filter((message) => message !== null) : [];

const getToolNames = ({ tools }: CallJson): unknown[] =>
  Array.isArray(tools)
    ? (tools as ({ function?: { name?: unknown } | null } | null)[]).map((tool) => tool?.function?.name)
    : [];

function replyToChat(body: CallJson): { reply: Reply; usage: object } {
  const messages = getMessages(body);
  const reply = createReply({
    text: getText(messages.findLast(({ role }) => role === 'user')?.content),
    tools: getToolNames(body),
    schema: getFormatSchema(body['response_format']),
    isAfterTool: messages.at(-1)?.role === 'tool',
    maxTokens: body['max_completion_tokens'] ?? body['max_tokens'],
  });
  const prompt_tokens = messages.reduce((sum, { content }) => sum + countTokens(getText(content)), 0);
  const completion_tokens = reply.outputTokens;
  return {
    reply,
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function getFinishReason({ toolCall, isCut }: Reply): string {
  if (toolCall) return 'tool_calls';
  return isCut ? 'length' : 'stop';
}

const toToolCall = ({ name, arguments: given }: NonNullable<Reply['toolCall']>, id: string) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name, arguments: given },
});

interface Head {
  id: string;
  created: number;
  model: string;
}

/** Returns JSON. */
export function toCompletion(body: CallJson, head: Head): string {
  const { reply, usage } = replyToChat(body);
  const message = reply.toolCall
    ? { role: 'assistant', content: null, refusal: null, tool_calls: [toToolCall(reply.toolCall, head.id)] }
    : { role: 'assistant', content: reply.text, refusal: null };
  const choice = { index: 0, message, logprobs: null, finish_reason: getFinishReason(reply) };
  return JSON.stringify({
    ...head,
    id: `chatcmpl-${head.id}`,
    system_fingerprint: null,
    object: 'chat.completion',
    choices: [choice],
    usage,
  });
}

export function toCompletionStream(body: CallJson, head: Head): EchoStream {
  const { reply, usage } = replyToChat(body);
  const shown = body.stream_options?.include_usage === true ? usage : null;
  return {
    heldCharacters: reply.text.length + (reply.toolCall?.arguments.length ?? 0),
    frames: toFrames(reply, shown, head),
  };
}

/** @param usage null if it isn't shown */
function* toFrames(reply: Reply, usage: object | null, head: Head): Generator<string> {
  const common = {
    ...head,
    id: `chatcmpl-${head.id}`,
    system_fingerprint: null,
    object: 'chat.completion.chunk',
  };
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({
      ...common,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(usage ? { usage: null } : {}),
    })}\n\n`;
  if (reply.toolCall) {
    const call = toToolCall(reply.toolCall, head.id);
    const begun = { ...call, index: 0, function: { ...call.function, arguments: '' } };
    yield chunk({ role: 'assistant', content: null, tool_calls: [begun] }, null);
    for (const piece of splitText(call.function.arguments))
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }, null);
  } else {
    yield chunk({ role: 'assistant', content: '' }, null);
    for (const piece of splitText(reply.text)) yield chunk({ content: piece }, null);
  }
  yield chunk({}, getFinishReason(reply));
  if (usage) yield `data: ${JSON.stringify({ ...common, choices: [], usage })}\n\n`;
  yield 'data: [DONE]\n\n';
}
