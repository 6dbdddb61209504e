/** A model as the API shows it. */
import type { Static } from 'typebox';
import { publicId } from '../../../platform/http/ids.ts';
import type { ModelInfo, Price } from './model-catalog.ts';
import type { Model } from './model.schema.ts';

/** USD per million tokens, from billionths of a USD per token. Rounded, because it was multiplied before. */
const toUsd = (nano: number): number => Number((nano / 1000).toPrecision(12));

const presentPrice = ({ input, output, cachedInput }: Price) => ({
  input: toUsd(input),
  output: toUsd(output),
  cached_input: toUsd(cachedInput),
});

export const presentModel = ({ providerId, price, created, ...model }: ModelInfo): Static<typeof Model> => ({
  ...model,
  object: 'model',
  created: Math.floor(created.getTime() / 1000),
  provider_id: providerId === null ? null : publicId('model_provider', providerId),
  pricing: price && presentPrice(price),
});
