/**
 * What a model provider is to Fairlead: it lists models and performs calls. The built-in `fairlead` is one; outside
 * providers (any OpenAI-compatible address) join by this interface.
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
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
  /** W3C traceparent to carry on, or null. */
  traceparent: string | null;
}

export interface CompletionAnswer {
  /** The answer's JSON, or its event stream as it comes. */
  content: { kind: 'json'; body: object } | { kind: 'stream'; chunks: AsyncIterable<string | Uint8Array> };
  /** Known when the content has been read to its end. */
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
  /** First part of its models' ids. */
  id: string;
  listModels(workspaceId: string): Promise<Model[]>;
  /** @throws Problem model_provider_error, unprocessable */
  chat(request: ChatRequest, context: CallContext): Promise<CompletionAnswer>;
}
