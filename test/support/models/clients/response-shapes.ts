/** Responses in OpenAI's shapes: the answer that a request asks for, whole and as events. */
import { OBJECT, WEATHER, WORDS } from './chat-shapes.ts';
import type { RequestBody } from './client-provider.ts';

const USAGE = {
  input_tokens: 17,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 26,
};

type Item = Record<string, unknown>;

const toCall = (nth: number): Item => ({
  id: `fc_${nth}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${nth}`,
  name: 'get_weather',
  arguments: WEATHER,
});
const toMessage = (part: object): Item => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [part],
});
const toText = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text });

function getOutput({ model, input, tools, text }: RequestBody): Item[] {
  const isCalled = Array.isArray(input) && input.some(({ type }) => type === 'function_call_output');
  if (tools?.length && !isCalled) return [toCall(1), toCall(2)];
  if (model === 'refusal') return [toMessage({ type: 'refusal', refusal: 'I can’t help with that.' })];
  const said = text?.format?.type?.startsWith('json') ? OBJECT : WORDS.join('');
  const message = toMessage(toText(model === 'incomplete' ? said.slice(0, 9) : said));
  const summary = [{ type: 'summary_text', text: 'Let me think.' }];
  return model === 'reasoning' ? [{ id: 'rs_1', type: 'reasoning', summary }, message] : [message];
}

function toResponse(body: RequestBody, status: string, output: Item[]): Item {
  const isFailed = status === 'failed';
  return {
    id: 'resp_Abc',
    object: 'response',
    created_at: 1_767_225_600,
    status,
    background: false,
    error: isFailed ? { code: 'server_error', message: 'The model failed.' } : null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: body.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: null, summary: null },
    service_tier: 'default',
    store: true,
    temperature: 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: body.tools ?? [],
    top_p: 1,
    truncation: 'disabled',
    usage: status === 'in_progress' || isFailed ? null : USAGE,
    user: null,
    metadata: body.metadata ?? {},
  };
}

const getStatus = ({ model }: RequestBody): string =>
  model === 'failed' || model === 'incomplete' ? model : 'completed';

export function getDocument(body: RequestBody): object {
  const status = getStatus(body);
  return toResponse(body, status, status === 'failed' ? [] : getOutput(body));
}

type Event = { type: string } & Item;
const toFrame = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function getMessageEvents(item: Item, place: object): Event[] {
  const [part] = item['content'] as Item[];
  const at = { ...place, item_id: item['id'], content_index: 0 };
  const isRefusal = part!['type'] === 'refusal';
  const whole = String(isRefusal ? part!['refusal'] : part!['text']);
  const kind = isRefusal ? 'refusal' : 'output_text';
  const empty = isRefusal ? { ...part, refusal: '' } : { ...part, text: '' };
  const logprobs = isRefusal ? {} : { logprobs: [] };
  return [
    { type: 'response.content_part.added', ...at, part: empty },
    ...(whole.match(/\s*\S+/gu) ?? []).map((delta) => ({
      type: `response.${kind}.delta`,
      ...at,
      delta,
      ...logprobs,
    })),
    { type: `response.${kind}.done`, ...at, [isRefusal ? 'refusal' : 'text']: whole, ...logprobs },
    { type: 'response.content_part.done', ...at, part },
  ];
}

function getItemEvents(item: Item, output_index: number): Event[] {
  const place = { output_index };
  const at = { ...place, item_id: item['id'] };
  const added = (change: object): Event => ({
    type: 'response.output_item.added',
    ...place,
    item: { ...item, ...change },
  });
  const done: Event = { type: 'response.output_item.done', ...place, item };
  if (item['type'] === 'function_call')
    return [
      added({ status: 'in_progress', arguments: '' }),
      ...['{"city"', ':"Oslo"}'].map((delta) => ({
        type: 'response.function_call_arguments.delta',
        ...at,
        delta,
      })),
      { type: 'response.function_call_arguments.done', ...at, name: item['name'], arguments: WEATHER },
      done,
    ];
  if (item['type'] === 'reasoning') {
    const part = { type: 'summary_text', text: 'Let me think.' };
    const summary = { ...at, summary_index: 0 };
    return [
      added({ summary: [] }),
      { type: 'response.reasoning_summary_part.added', ...summary, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...summary, delta: part.text },
      { type: 'response.reasoning_summary_text.done', ...summary, text: part.text },
      { type: 'response.reasoning_summary_part.done', ...summary, part },
      done,
    ];
  }
  return [added({ status: 'in_progress', content: [] }), ...getMessageEvents(item, place), done];
}

export function getFrames(body: RequestBody): string[] {
  const status = getStatus(body);
  const begun = toResponse(body, 'in_progress', []);
  const items = status === 'failed' ? [] : getOutput(body);
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap(getItemEvents),
    { type: `response.${status}`, response: toResponse(body, status, items) },
  ];
  return events.map((event, sequence_number) => toFrame({ ...event, sequence_number }));
}

export const getErrorFrame = (error: Record<string, unknown>): string =>
  toFrame({ type: 'error', code: error['code'], message: error['message'], param: null, sequence_number: 9 });
