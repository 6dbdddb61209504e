/** What is drawn over time, in the same colours everywhere. */
export type SeriesName = 'people' | 'bots' | 'before';

export interface Series {
  name: SeriesName;
  label: string;
  /** Readable on the light ground and the dark one. */
  color: string;
  strokeDasharray?: string;
}

/** The first is drawn first, so that people stand over all else. */
export const SERIES: Series[] = [
  { name: 'before', label: 'People, period before', color: 'var(--chart-before)', strokeDasharray: '4 4' },
  { name: 'bots', label: 'Bots', color: 'var(--chart-bots)' },
  { name: 'people', label: 'People', color: 'var(--chart-people)' },
];

/** Pixels. */
export const CHART_HEIGHT = 240;
