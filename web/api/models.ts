/** AI models, and model calls with streamed responses. */
import { queryOptions } from '@tanstack/react-query';
import { get, send } from './call.ts';
import { t } from '../copy/text.ts';
import { ensureOk, fetchOrProblem, WORKSPACE_HEADER } from './client.ts';
import { readEventStream } from './sse.ts';

export const modelsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'models'],
    queryFn: ({ signal }) => send(workspaceId, get('/models'), { signal }).then((list) => list.data),
    staleTime: 60_000,
  });

const MAX_OPTIONS = 50;

/** Gets the models whose ID contains a text, as options of a filter. */
export const modelOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'models', 'options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { data } = await send(workspaceId, get('/models'), { signal });
    return data
      .filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()))
      .slice(0, MAX_OPTIONS)
      .map(({ id }) => ({ value: id, label: id }));
  },
});

export interface ToolCall {
  id: string;
  name: string;
  /** JSON, as the model writes it. */
  arguments: string;
}

export interface ChatUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number | null } | null;
}

export interface ChatChunk {
  choices?: {
    delta?: {
      content?: string | null;
      tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
  }[];
  usage?: ChatUsage | null;
  error?: { message?: string };
}

/** Header that names the model that answered: of a route, one of its attempts. */
const MODEL_HEADER = 'Fairlead-Model';

/**
 * Streams a chat completion.
 * @param body without `stream`
 * @param onChunk called with each chunk
 * @returns ID of the model that answered, if the server names it
 * @throws ApiProblem where the call is refused; Error where the stream ends with an error; an AbortError where `signal`
 * aborts it
 */
export async function streamChat(
  workspaceId: string,
  body: object,
  onChunk: (chunk: ChatChunk) => void,
  signal: AbortSignal,
): Promise<string | null> {
  const response = await fetchOrProblem('/api/v1/chat/completions', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json', [WORKSPACE_HEADER]: workspaceId },
    body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
    signal,
  });
  const model = (await ensureOk(response)).headers.get(MODEL_HEADER);
  for await (const { data } of readEventStream(response)) {
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as ChatChunk;
    if (chunk.error) throw new Error(chunk.error.message ?? t('The model provider failed.'));
    onChunk(chunk);
  }
  return model;
}
