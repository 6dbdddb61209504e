/**
 * Kinds of model providers: presets of the URL, the authentication, and the supported features. All of them use
 * OpenAI's formats.
 */
import type { CallOperation } from '../contract/upstream.ts';

export const PROVIDER_KINDS = [
  'openai_compatible',
  'openai',
  'anthropic',
  'gemini',
  'openrouter',
  'groq',
  'mistral',
  'deepseek',
  'ollama',
  'lm_studio',
  'vllm',
  'llama_cpp',
  'litellm',
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

export interface KindPreset {
  name: string;
  description: string;
  /** Null if each installation has its own. */
  baseUrl: string | null;
  /** Whether calls without an API key fail. */
  needsKey: boolean;
  /** Page where users create keys; null if there is none. */
  keysUrl: string | null;
  operations: readonly CallOperation[];
  /** Whether it usually runs on the operator's own machines: its models cost nothing unless a price is set. */
  isLocal: boolean;
  /** How it handles fields that name further models, as in model-catalog.ts; omitted if it ignores them. */
  modelFields?: 'checked' | 'refused';
  /** How the model list is read, if not as `GET {base_url}/models` with the key as bearer token. */
  list?: {
    /** With its question mark. */
    query?: string;
    /** Header of the key, sent in place of `Authorization`. */
    keyHeader?: string;
    headers?: Record<string, string>;
    /** Beginning of listed IDs that is not part of a model's name. */
    idPrefix?: string;
  };
}

const ALL = ['chat/completions', 'responses', 'embeddings'] as const;

export const PRESETS: Record<ProviderKind, KindPreset> = {
  openai_compatible: {
    name: 'OpenAI-compatible',
    description: 'Any server with an OpenAI-compatible API.',
    baseUrl: null,
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: false,
    modelFields: 'refused',
  },
  openai: {
    name: 'OpenAI',
    description: "OpenAI's GPT and embedding models.",
    baseUrl: 'https://api.openai.com/v1',
    needsKey: true,
    keysUrl: 'https://platform.openai.com/api-keys',
    operations: ALL,
    isLocal: false,
  },
  anthropic: {
    name: 'Anthropic',
    description: "Claude models, through Anthropic's OpenAI-compatible API.",
    baseUrl: 'https://api.anthropic.com/v1',
    needsKey: true,
    keysUrl: 'https://console.anthropic.com/settings/keys',
    operations: ['chat/completions'],
    isLocal: false,
    list: {
      query: '?limit=1000',
      keyHeader: 'x-api-key',
      headers: { 'anthropic-version': '2023-06-01' },
    },
  },
  gemini: {
    name: 'Google Gemini',
    description: "Gemini models, through Google AI's OpenAI-compatible API.",
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    needsKey: true,
    keysUrl: 'https://aistudio.google.com/apikey',
    operations: ['chat/completions', 'embeddings'],
    isLocal: false,
    list: { idPrefix: 'models/' },
  },
  openrouter: {
    name: 'OpenRouter',
    description: 'Models from many vendors behind one key. Prices come from its model list.',
    baseUrl: 'https://openrouter.ai/api/v1',
    needsKey: true,
    keysUrl: 'https://openrouter.ai/settings/keys',
    operations: ALL,
    isLocal: false,
    modelFields: 'checked',
  },
  groq: {
    name: 'Groq',
    description: 'Open models on Groq hardware.',
    baseUrl: 'https://api.groq.com/openai/v1',
    needsKey: true,
    keysUrl: 'https://console.groq.com/keys',
    operations: ['chat/completions', 'responses'],
    isLocal: false,
  },
  mistral: {
    name: 'Mistral',
    description: "Mistral AI's models.",
    baseUrl: 'https://api.mistral.ai/v1',
    needsKey: true,
    keysUrl: 'https://console.mistral.ai/api-keys',
    operations: ['chat/completions', 'embeddings'],
    isLocal: false,
  },
  deepseek: {
    name: 'DeepSeek',
    description: "DeepSeek's models.",
    baseUrl: 'https://api.deepseek.com/v1',
    needsKey: true,
    keysUrl: 'https://platform.deepseek.com/api_keys',
    operations: ['chat/completions'],
    isLocal: false,
  },
  ollama: {
    name: 'Ollama',
    description: 'Models that Ollama runs on your own machine.',
    baseUrl: 'http://localhost:11434/v1',
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: true,
  },
  lm_studio: {
    name: 'LM Studio',
    description: 'Models that LM Studio runs on your own machine.',
    baseUrl: 'http://localhost:1234/v1',
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: true,
  },
  vllm: {
    name: 'vLLM',
    description: 'Models on your own machine, run by vLLM.',
    baseUrl: 'http://localhost:8000/v1',
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: true,
  },
  llama_cpp: {
    name: 'llama.cpp',
    description: 'A model on your own machine, run by llama-server.',
    baseUrl: 'http://localhost:8080/v1',
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: true,
  },
  litellm: {
    name: 'LiteLLM',
    description: 'Models behind your own LiteLLM proxy.',
    baseUrl: 'http://localhost:4000/v1',
    needsKey: false,
    keysUrl: null,
    operations: ALL,
    isLocal: false,
    modelFields: 'refused',
  },
};
