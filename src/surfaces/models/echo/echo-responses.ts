/** The responses API of echo. https://platform.openai.com/docs/api-reference/responses */
import type { CallJson } from '../contract/input-size.ts';
import type { EchoStream } from './echo-limits.ts';
import { createReply, getFormatSchema, type Reply } from './echo-reply.ts';
import { countTokens, getText, splitText } from './echo-text.ts';

interface Item {
  type?: unknown;
  role?: unknown;
  content?: unknown;
}

const getItems = ({ input }: CallJson): Item[] => {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  return Array.isArray(input) ? (input as (Item | null)[]).filter((item) => item !== null) : [];
};

const getToolNames = ({ tools }: CallJson): unknown[] =>
  Array.isArray(tools) ? (tools as ({ name?: unknown } | null)[]).map((tool) => tool?.name) : [];

function replyToResponse(body: CallJson): { reply: Reply; usage: object } {
  const items = getItems(body);
  const reply = createReply({
    text: getText(items.findLast(({ role }) => role === 'user')?.content),
    tools: getToolNames(body),
    schema: getFormatSchema((body['text'] as { format?: unknown } | null | undefined)?.format),
    isAfterTool: items.at(-1)?.type === 'function_call_output',
    maxTokens: body['max_output_tokens'],
  });
  const input_tokens = items.reduce(
    (sum, { content }) => sum + countTokens(getText(content)),
    countTokens(getText(body['instructions'])),
  );
  const usage = {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: reply.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + reply.outputTokens,
  };
  return { reply, usage };
}

interface Head {
  id: string;
  created: number;
  model: string;
}

/** Returns the members of a response that repeat its request, as JSON without braces. */
const toRepeated = (body: CallJson): string =>
  JSON.stringify({
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    metadata: body['metadata'] ?? {},
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body['top_p'] ?? 1,
  }).slice(1, -1);

function toResponse(
  repeated: string,
  { id, created, model }: Head,
  state: { status: string; output: object[]; usage: object | null; isCut: boolean },
): string {
  const own = {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status: state.status,
    background: false,
    error: null,
    incomplete_details: state.isCut ? { reason: 'max_output_tokens' } : null,
    model,
    output: state.output,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    truncation: 'disabled',
    usage: state.usage,
    user: null,
  };
  return `${JSON.stringify(own).slice(0, -1)},${repeated}}`;
}

const toPart = (text: string): object => ({ type: 'output_text', annotations: [], logprobs: [], text });

function toItem({ toolCall, text }: Reply, id: string, isDone: boolean): object {
  const status = isDone ? 'completed' : 'in_progress';
  if (toolCall) {
    const { name, arguments: given } = toolCall;
    return {
      id: `fc_${id}`,
      type: 'function_call',
      status,
      arguments: isDone ? given : '',
      call_id: `call_${id}`,
      name,
    };
  }
  return {
    id: `msg_${id}`,
    type: 'message',
    status,
    role: 'assistant',
    content: isDone ? [toPart(text)] : [],
  };
}

interface Replied {
  reply: Reply;
  usage: object;
  repeated: string;
}

const toFinal = ({ reply, usage, repeated }: Replied, head: Head): string =>
  toResponse(repeated, head, {
    status: reply.isCut ? 'incomplete' : 'completed',
    output: [toItem(reply, head.id, true)],
    usage,
    isCut: reply.isCut,
  });

const toReplied = (body: CallJson): Replied => ({ ...replyToResponse(body), repeated: toRepeated(body) });

/** Returns JSON. */
export const toModelResponse = (body: CallJson, head: Head): string => toFinal(toReplied(body), head);

export function toResponseStream(body: CallJson, head: Head): EchoStream {
  const replied = toReplied(body);
  const { text, toolCall } = replied.reply;
  return {
    heldCharacters: text.length + (toolCall?.arguments.length ?? 0) + replied.repeated.length,
    frames: toFrames(replied, head),
  };
}

/** In the order of the responses API. */
function* toFrames(replied: Replied, head: Head): Generator<string> {
  const { reply } = replied;
  const { id } = head;
  let sequence = 0;
  /** @param more JSON of a further member, with its name */
  const event = (type: string, members: object, more = ''): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...members }).slice(0, -1)}${more}}\n\n`;
  const ofResponse = (type: string, response: string): string => event(type, {}, `,"response":${response}`);
  const begun = { status: 'in_progress', output: [], usage: null, isCut: false };
  for (const type of ['response.created', 'response.in_progress'])
    yield ofResponse(type, toResponse(replied.repeated, head, begun));
  yield event('response.output_item.added', { output_index: 0, item: toItem(reply, id, false) });
  if (reply.toolCall) {
    const at = { item_id: `fc_${id}`, output_index: 0 };
    const { arguments: given, name } = reply.toolCall;
    for (const delta of splitText(given))
      yield event('response.function_call_arguments.delta', { ...at, delta });
    yield event('response.function_call_arguments.done', { ...at, name, arguments: given });
  } else {
    const at = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
    yield event('response.content_part.added', { ...at, part: toPart('') });
    for (const delta of splitText(reply.text))
      yield event('response.output_text.delta', { ...at, delta, logprobs: [] });
    yield event('response.output_text.done', { ...at, text: reply.text, logprobs: [] });
    yield event('response.content_part.done', { ...at, part: toPart(reply.text) });
  }
  yield event('response.output_item.done', { output_index: 0, item: toItem(reply, id, true) });
  yield ofResponse(reply.isCut ? 'response.incomplete' : 'response.completed', toFinal(replied, head));
}
