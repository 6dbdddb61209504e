/** Numbers of usage, as shown. */
import { formatNumber, language, t } from '../../copy/text.ts';
import { formatUsd } from '../budgets/budget-text.ts';
import { formatDuration } from '../../design/duration-text.ts';
import type { ModelCall, ModelUsageTotals } from '../../api/types.ts';
import type { Tone } from '../../design/tone.ts';

const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });

/** "812K": many tokens in few letters. */
export const formatTokens = (tokens: number): string =>
  tokens < 10_000 ? formatNumber(tokens) : compact.format(tokens);

/** Marks the cost if the price of some calls is not known. */
export function formatCost(totals: Pick<ModelUsageTotals, 'cost_usd' | 'unpriced_calls'>): string {
  const cost = formatUsd(totals.cost_usd);
  return totals.unpriced_calls > 0 ? t('{cost} or more', { cost }) : cost;
}

export const formatLatency = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));

type TokenDetail =
  | 'cached_tokens'
  | 'cache_write_tokens'
  | 'cache_write_1h_tokens'
  | 'reasoning_tokens'
  | 'audio_tokens'
  | 'image_tokens';

const TOKEN_DETAILS: Record<TokenDetail, string> = {
  cached_tokens: t('Cached tokens'),
  cache_write_tokens: t('Cache write tokens'),
  cache_write_1h_tokens: t('Cache write tokens, 1 h'),
  reasoning_tokens: t('Reasoning tokens'),
  audio_tokens: t('Audio tokens'),
  image_tokens: t('Image tokens'),
};

/** Names of the parts of tokens that are not zero, and their counts. */
export const listTokenDetails = (counts: Record<TokenDetail, number>): [label: string, count: number][] =>
  (Object.keys(TOKEN_DETAILS) as TokenDetail[])
    .filter((name) => counts[name] > 0)
    .map((name) => [TOKEN_DETAILS[name], counts[name]]);

export const OUTCOMES: Record<ModelCall['outcome'], { tone: Tone; label: string }> = {
  succeeded: { tone: 'good', label: t('Succeeded') },
  failed: { tone: 'bad', label: t('Failed') },
  canceled: { tone: 'idle', label: t('Canceled') },
  interrupted: { tone: 'warn', label: t('Interrupted') },
};

/** Returns "HTTP 503" for `http_503`, the code of an error response of a provider; other codes unchanged. */
export const formatCode = (code: string): string => code.replace(/^http_(?=\d{3}$)/, 'HTTP ');

/** "openai/gpt-5: HTTP 503" for `openai/gpt-5:http_503`. IDs of models may have colons too. */
export function formatAttempt(attempt: string): string {
  const at = attempt.lastIndexOf(':');
  const code = attempt.slice(at + 1);
  return `${attempt.slice(0, at)}: ${code === 'ok' ? t('succeeded') : formatCode(code)}`;
}
