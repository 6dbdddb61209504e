/** Amounts and windows of budgets, as shown. */
import type { Budget } from '../../api/types.ts';
import { formatNumber, language, plural, t } from '../../copy/text.ts';

export type BudgetUnit = 'usd' | 'tokens' | 'calls';

export const UNIT_OPTIONS: { value: BudgetUnit; label: string }[] = [
  { value: 'usd', label: t('US dollars') },
  { value: 'tokens', label: t('Tokens') },
  { value: 'calls', label: t('Calls') },
];

export const WINDOW_LABELS: Record<Budget['window'], string> = {
  day: t('Daily'),
  month: t('Monthly'),
  total: t('Total'),
};

export const RESERVATION_LABELS: Record<Budget['reservation'], string> = {
  worst_case: t('Worst case'),
  typical: t('Typical use'),
};

export interface Limit {
  unit: BudgetUnit;
  amount: number;
}

/** Returns the unit and the amount of a limit. */
export function getLimit({ limit }: Pick<Budget, 'limit'>): Limit {
  if ('usd' in limit) return { unit: 'usd', amount: limit.usd };
  if ('tokens' in limit) return { unit: 'tokens', amount: limit.tokens };
  return { unit: 'calls', amount: limit.calls };
}

const dollars = new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' });
const decimals = new Intl.NumberFormat(language, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});
const fractions = new Intl.NumberFormat(language, {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 2,
});

const MAX_FRACTION = 0.001;

/** "$12.50"; below a dollar up to four decimals: "$0.0107"; the smallest keep two digits: "$0.00042". */
export function formatUsd(usd: number): string {
  const amount = Math.abs(usd);
  if (amount === 0 || amount >= 1) return dollars.format(usd);
  return (amount < MAX_FRACTION ? fractions : decimals).format(usd);
}

/** "$12.50", "1,200 tokens", "10 calls" */
export function formatAmount(amount: number, unit: BudgetUnit): string {
  if (unit === 'usd') return formatUsd(amount);
  return unit === 'tokens'
    ? plural(amount, { one: '{count} token', other: '{count} tokens' })
    : plural(amount, { one: '{count} call', other: '{count} calls' });
}

/** "$12.50 of $50.00", "3 of 10 calls" */
export const formatUsed = (used: number, { unit, amount }: Limit): string =>
  t('{used} of {limit}', {
    used: unit === 'usd' ? formatUsd(used) : formatNumber(used),
    limit: formatAmount(amount, unit),
  });

export interface Shares {
  used: number;
  reserved: number;
  tone: 'good' | 'warn' | 'bad';
}

const WARNS_AT = 80;

/** Returns the parts of a budget that are used and reserved, in percent, never more than 100 together. */
export function getShares(budget: Pick<Budget, 'limit' | 'used' | 'reserved' | 'remaining'>): Shares {
  const { amount } = getLimit(budget);
  const percent = (part: number) => (amount === 0 ? 100 : Math.min(100, (part / amount) * 100));
  const used = percent(budget.used);
  const tone = budget.remaining === 0 ? 'bad' : used >= WARNS_AT ? 'warn' : 'good';
  return { used, reserved: Math.min(100 - used, percent(budget.reserved)), tone };
}
