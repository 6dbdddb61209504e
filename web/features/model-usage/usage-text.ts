/** Numbers of usage, as shown. */
import { formatNumber, language, t } from '../../copy/text.ts';
import { formatDuration } from '../webhooks/delivery-text.ts';
import type { ModelCall, ModelUsageTotals } from '../../api/types.ts';
import type { Tone } from '../../design/tone.ts';

const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });

/** "812K": many tokens in few letters. */
export const formatTokens = (tokens: number): string =>
  tokens < 10_000 ? formatNumber(tokens) : compact.format(tokens);

const withDecimals = (digits: number) =>
  new Intl.NumberFormat(language, { style: 'currency', currency: 'USD', minimumFractionDigits: digits });

/**
 * Returns a formatter for all costs of a view, which then have the same digits: cents, or four decimals if the whole view
 * costs less than a dollar. A cost that would round to zero is "<$0.01", none is "$0".
 */
export function costFormat(total: number): (usd: number) => string {
  const digits = total === 0 || total >= 1 ? 2 : 4;
  const least = 10 ** -digits;
  const format = withDecimals(digits);
  const zero = withDecimals(0).format(0);
  return (usd) => {
    if (usd === 0) return zero;
    return usd < least ? `<${format.format(least)}` : format.format(usd);
  };
}

/** Marks the cost if the price of some calls is not known. */
export const formatCost = (
  { cost_usd: cost, unpriced_calls: unpriced }: Pick<ModelUsageTotals, 'cost_usd' | 'unpriced_calls'>,
  format: (usd: number) => string,
): string => (unpriced > 0 ? t('{cost} or more', { cost: format(cost) }) : format(cost));

export const formatLatency = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));

export const OUTCOMES: Record<ModelCall['outcome'], { tone: Tone; label: string }> = {
  succeeded: { tone: 'good', label: t('Succeeded') },
  failed: { tone: 'bad', label: t('Failed') },
  canceled: { tone: 'idle', label: t('Canceled') },
  interrupted: { tone: 'warn', label: t('Interrupted') },
};
