/** How the state of a model provider is shown. */
import type { ModelProvider } from '../../api/types.ts';
import { formatNumber, language, t } from '../../copy/text.ts';
import type { Tone } from '../../design/tone.ts';

type ShownState = ModelProvider['state'] | 'disabled';

const STATES: Record<ShownState, { tone: Tone; label: string }> = {
  active: { tone: 'good', label: t('Active') },
  failing: { tone: 'bad', label: t('Failing') },
  disabled: { tone: 'idle', label: t('Disabled') },
};

export const STATE_OPTIONS = Object.entries(STATES).map(([value, { label }]) => ({ value, label }));

export const getState = ({ enabled, state }: ModelProvider): (typeof STATES)[ShownState] =>
  STATES[enabled ? state : 'disabled'];

const dollars = new Intl.NumberFormat(language, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});

/** "$1.25", "$0.075": a price per million tokens. */
export const formatPrice = (price: number | null | undefined): string =>
  price === null || price === undefined ? '–' : dollars.format(price);

export const formatContext = (tokens: number | null): string =>
  tokens === null ? '–' : formatNumber(tokens);
