/** The series of the click chart, with their colors. */
import { t } from '../../copy/text.ts';
import { CHART_COLORS } from '../../design/chart-colors.ts';

export type SeriesName = 'people' | 'bots' | 'before';

interface Series {
  name: SeriesName;
  label: string;
  color: string;
}

/** From the bottom of a bar to its top; the previous period is a mark across it. */
export const SERIES: Series[] = [
  { name: 'people', label: t('People'), color: CHART_COLORS.main },
  { name: 'bots', label: t('Bots'), color: CHART_COLORS.muted },
  { name: 'before', label: t('People, previous period'), color: CHART_COLORS.before },
];

/** Pixels. */
export const CHART_HEIGHT = 240;
