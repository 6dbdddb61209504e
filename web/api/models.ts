/** AI models, and a chat with one as its answer comes. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, ensureOk, fetchOrProblem, unwrap, WORKSPACE_HEADER } from './client.ts';
import { readEventStream } from './sse.ts';

export const modelsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'models'],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/models', { signal })).then((list) => list.data),
    staleTime: 60_000,
  });

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
}

interface ChatChunk {
  choices?: { delta?: { content?: string | null } }[];
  error?: { message?: string };
}

/**
 * Streams a chat completion, calling `onText` with each piece of the answer.
 * @throws ApiProblem where the call is refused; an AbortError where `signal` aborts it
 */
export async function streamChat(
  workspaceId: string,
  request: ChatRequest,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetchOrProblem('/api/v1/chat/completions', {
    method: 'POST',
    credentials: 'same-origin',
    headers: { 'Content-Type': 'application/json', [WORKSPACE_HEADER]: workspaceId },
    body: JSON.stringify({ ...request, stream: true }),
    signal,
  });
  for await (const { data } of readEventStream(await ensureOk(response))) {
    if (data === '[DONE]') return;
    const chunk = JSON.parse(data) as ChatChunk;
    if (chunk.error) throw new Error(chunk.error.message ?? 'The model provider failed.');
    const text = chunk.choices?.[0]?.delta?.content;
    if (text) onText(text);
  }
}
