/** Prices in USD per million tokens, as the API shows them. */
import Type, { type Static } from 'typebox';
import { Nullable, Strict } from '../../../platform/http/schema.ts';

export const MAX_PRICE = 1_000_000;

const amount = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: MAX_PRICE, description, examples: [example] });

const optional = (description: string, example: number) =>
  Nullable(Type.Number({ minimum: 0, maximum: MAX_PRICE }), { description, examples: [example] });

const REQUIRED = {
  input: amount('Per million input tokens.', 1.25),
  output: amount('Per million output tokens.', 10),
};
const FURTHER = {
  cached_input: optional(
    'Per million input tokens that the provider read from its cache; null for the price of input.',
    0.125,
  ),
  cache_write: optional(
    'Per million input tokens that the provider wrote to its cache; null for the price of input.',
    1.5625,
  ),
  cache_write_1h: optional(
    'Per million input tokens that the provider wrote to its cache for an hour; null for the price of `cache_write`.',
    2.5,
  ),
  request: optional('For each call that succeeds, in USD, besides its tokens; null for nothing.', 0.005),
  search: optional('For each web search that the provider makes for a call, in USD; null for nothing.', 0.01),
};

export const ModelPrice = Type.Object(
  { ...REQUIRED, ...FURTHER },
  { title: 'ModelPrice', description: 'Price in USD per million tokens.' },
);

export const ModelPriceInput = Strict(
  {
    ...REQUIRED,
    cached_input: Type.Optional(FURTHER.cached_input),
    cache_write: Type.Optional(FURTHER.cache_write),
    cache_write_1h: Type.Optional(FURTHER.cache_write_1h),
    request: Type.Optional(FURTHER.request),
    search: Type.Optional(FURTHER.search),
  },
  { title: 'ModelPriceInput', description: 'Price in USD per million tokens.' },
);

export type ModelPriceObject = Static<typeof ModelPrice>;

/** Returns a price with null for what it leaves out: rows of earlier versions have fewer members. */
export const toWholePrice = (price: Static<typeof ModelPriceInput>): ModelPriceObject => ({
  input: price.input,
  output: price.output,
  cached_input: price.cached_input ?? null,
  cache_write: price.cache_write ?? null,
  cache_write_1h: price.cache_write_1h ?? null,
  request: price.request ?? null,
  search: price.search ?? null,
});
