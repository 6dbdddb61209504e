/** A model as the API shows it. */
import type { Static } from 'typebox';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { ModelInfo, Price } from '../contract/model-catalog.ts';
import type { Model } from './model.schema.ts';

const PER_MILLION = 1_000_000;

/** USD per million tokens, from billionths of a USD per token. Rounded, because it was multiplied before. */
const toUsd = (nano: number): number => Number((nano / 1000).toPrecision(12));

const presentPrice = ({ input, output, cachedInput, cacheWrite, cacheWrite1h, request, search }: Price) => ({
  input: toUsd(input),
  output: toUsd(output),
  cached_input: toUsd(cachedInput),
  cache_write: cacheWrite === undefined ? null : toUsd(cacheWrite),
  cache_write_1h: cacheWrite1h === undefined ? null : toUsd(cacheWrite1h),
  request: request === undefined ? null : toUsd(request / PER_MILLION),
  search: search === undefined ? null : toUsd(search / PER_MILLION),
});

export const presentModel = ({ providerId, price, created, ...model }: ModelInfo): Static<typeof Model> => ({
  ...model,
  object: 'model',
  created: Math.floor(created.getTime() / 1000),
  provider_id: providerId === null ? null : publicId('model_provider', providerId),
  pricing: price && presentPrice(price),
});
