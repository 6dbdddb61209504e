/**
 * Interface of a model provider: lists models and executes calls. The built-in `fairlead` implements it; external
 * providers (any OpenAI-compatible URL) do as well.
 */
export interface Model {
  /** `provider/model`. */
  id: string;
  created: Date;
  owned_by: string;
  context_length: number | null;
  modalities: { input: string[]; output: string[] } | null;
  capabilities: string[];
}

export interface TokenUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface CallContext {
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
  /** W3C traceparent to propagate, or null. */
  traceparent: string | null;
}

export interface CompletionAnswer {
  /** The JSON response, or its event stream as received. */
  content: { kind: 'json'; body: object } | { kind: 'stream'; chunks: AsyncIterable<string | Uint8Array> };
  /** Known after the content was read completely. */
  usage: () => TokenUsage | null;
}

export interface ChatRequest {
  model: string;
  messages: { role: string; content?: unknown }[];
  stream?: boolean | null;
  stream_options?: { include_usage?: boolean | null } | null;
  [more: string]: unknown;
}

export interface ModelProvider {
  /** First part of its model IDs. */
  id: string;
  listModels(workspaceId: string): Promise<Model[]>;
  /** @throws Problem model_provider_error, unprocessable */
  chat(request: ChatRequest, context: CallContext): Promise<CompletionAnswer>;
}
