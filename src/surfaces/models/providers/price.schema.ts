/** Prices in USD per million tokens, as the API shows them. */
import Type, { type Static } from 'typebox';
import { Nullable, Strict } from '../../../platform/http/schema.ts';

const MAX_PRICE = 1_000_000;

const amount = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: MAX_PRICE, description, examples: [example] });

const CachedInput = Nullable(Type.Number({ minimum: 0, maximum: MAX_PRICE }), {
  description: 'Per million input tokens that the provider read from its cache; null for the price of input.',
  examples: [0.125],
});

export const ModelPrice = Type.Object(
  {
    input: amount('Per million input tokens.', 1.25),
    output: amount('Per million output tokens.', 10),
    cached_input: CachedInput,
  },
  { title: 'ModelPrice', description: 'Price in USD per million tokens.' },
);

export const ModelPriceInput = Strict(
  {
    input: amount('Per million input tokens.', 1.25),
    output: amount('Per million output tokens.', 10),
    cached_input: Type.Optional(CachedInput),
  },
  { description: 'Price in USD per million tokens.' },
);

export type ModelPriceObject = Static<typeof ModelPrice>;
