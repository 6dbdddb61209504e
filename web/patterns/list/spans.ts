import { t } from '../../copy/text.ts';
import type { FilterOption } from './filter.ts';

/** Values of a span filter: days, or hours with an `h`. */
export const SPANS: readonly FilterOption[] = [
  { value: '1h', label: t('Last hour') },
  { value: '1', label: t('Last 24 hours') },
  { value: '7', label: t('Last 7 days') },
  { value: '30', label: t('Last 30 days') },
  { value: '90', label: t('Last 90 days') },
];
