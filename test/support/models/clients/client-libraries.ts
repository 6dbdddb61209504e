/**
 * The client libraries that are compared with and without Fairlead. tools/package.json names `@modelcontextprotocol/client`
 * because `@openai/agents` doesn't load without this optional dependency.
 */
import { importTool, hasTool } from '../model-tools.ts';
import { type Agents, getAgentsCalls } from './agents-calls.ts';
import { type Ai, type AiModels, getAiCalls } from './ai-calls.ts';
import type { ClientCalls, Place } from './client-outcome.ts';
import { getLangChainCalls, type LangChain } from './langchain-calls.ts';
import { getOpenAiCalls, type OpenAiModule } from './openai-calls.ts';

export interface ClientLibrary {
  /** As in tools/package.json. */
  name: string;
  /** The part of its API, if it has several. */
  api?: string;
  load(): Promise<ClientCalls>;
}

type AiProvider = ((name: string) => unknown) & {
  chat(name: string): unknown;
  responses(name: string): unknown;
  embeddingModel(name: string): unknown;
  textEmbeddingModel(name: string): unknown;
};
type AiFactories = Record<string, (options: object) => AiProvider>;

/** @param getModels returns the models of the package's provider */
const getAiLibrary = (
  name: string,
  factory: string,
  getModels: (provider: AiProvider) => AiModels,
  api?: string,
): ClientLibrary => ({
  name,
  ...(api ? { api } : {}),
  async load() {
    const ai = await importTool<Ai>('ai', 'dist/index.js');
    const create = (await importTool<AiFactories>(name, 'dist/index.js'))[factory]!;
    const connect = ({ url, apiKey }: Place): AiModels =>
      getModels(
        create({ name: 'test', baseURL: url, apiKey, includeUsage: true, supportsStructuredOutputs: true }),
      );
    return getAiCalls(ai, connect);
  },
});

export const CLIENT_LIBRARIES: ClientLibrary[] = [
  ...['openai-4', 'openai-6', 'openai-7'].map((name) => ({
    name,
    load: async () => getOpenAiCalls(await importTool<OpenAiModule>(name, 'index.mjs'), name === 'openai-4'),
  })),
  getAiLibrary('@ai-sdk/openai-compatible', 'createOpenAICompatible', (provider) => ({
    language: (name) => provider(name),
    embedding: (name) => provider.embeddingModel(name),
  })),
  getAiLibrary(
    '@ai-sdk/openai',
    'createOpenAI',
    (provider) => ({
      language: (name) => provider.chat(name),
      embedding: (name) => provider.embeddingModel(name),
    }),
    'chat',
  ),
  getAiLibrary(
    '@ai-sdk/openai',
    'createOpenAI',
    (provider) => ({ language: (name) => provider.responses(name), embedding: null }),
    'responses',
  ),
  getAiLibrary('@openrouter/ai-sdk-provider', 'createOpenRouter', (provider) => ({
    language: (name) => provider.chat(name),
    embedding: (name) => provider.textEmbeddingModel(name),
  })),
  ...['chat', 'responses'].map((api) => ({
    name: '@langchain/openai',
    api,
    load: async () =>
      getLangChainCalls(
        await importTool<LangChain>('@langchain/openai', 'dist/index.js'),
        api === 'responses',
      ),
  })),
  ...['chat', 'responses'].map((api) => ({
    name: '@openai/agents',
    api,
    load: async () =>
      getAgentsCalls(await importTool<Agents>('@openai/agents', 'dist/index.mjs'), api === 'responses'),
  })),
];

export const HAS_CLIENT_LIBRARIES = CLIENT_LIBRARIES.every(({ name }) => hasTool(name));
