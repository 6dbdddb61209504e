/** Parts of the tokens of a call that providers tell apart, by the names that rows and the API have for them. */
import Type from 'typebox';
import type { TokenUsage } from './call-ledger.ts';

const Tokens = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

/** Fields of the API. A part that the provider doesn't report is 0. */
export const TOKEN_DETAIL_FIELDS = {
  cache_write_tokens: Tokens('Input tokens that the provider wrote to its cache, part of `input_tokens`.', 0),
  cache_write_1h_tokens: Tokens(
    'Tokens of `cache_write_tokens` that the cache keeps for an hour, not for five minutes.',
    0,
  ),
  reasoning_tokens: Tokens('Output tokens of reasoning, part of `output_tokens`.', 64),
  audio_tokens: Tokens('Audio tokens, part of `input_tokens` and `output_tokens`.', 0),
  image_tokens: Tokens('Image tokens, part of `input_tokens` and `output_tokens`.', 0),
};

type TokenDetail = keyof typeof TOKEN_DETAIL_FIELDS;
export type TokenDetails = Record<TokenDetail, number>;

const IN_USAGE = {
  cache_write_tokens: 'cacheWrites',
  cache_write_1h_tokens: 'cacheWrites1h',
  reasoning_tokens: 'reasoning',
  audio_tokens: 'audio',
  image_tokens: 'image',
} as const satisfies Record<TokenDetail, keyof TokenUsage>;

export const TOKEN_DETAILS = Object.keys(IN_USAGE) as TokenDetail[];

/** Reads each part. */
export const mapTokenDetails = (read: (name: TokenDetail) => number): TokenDetails =>
  Object.fromEntries(TOKEN_DETAILS.map((name) => [name, read(name)])) as TokenDetails;

/** Returns the parts of usage. */
export const toTokenDetails = (usage: TokenUsage): TokenDetails =>
  mapTokenDetails((name) => usage[IN_USAGE[name]] ?? 0);
