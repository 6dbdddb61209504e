/** Filters clicks: as parameters of the API, and for the clicks of the event stream. */
import type { Click, ClickFilter } from '../../api/analytics.ts';
import type { EventObject } from '../../api/types.ts';
import type { Dimension } from '../analytics/analytics-params.ts';
import { type AnalyticsSearch, getFilters } from '../analytics/analytics-search.ts';

export interface ClickSearch extends AnalyticsSearch {
  bot?: 'people' | 'bots';
}

export const getClickFilter = (search: ClickSearch): ClickFilter => ({
  ...getFilters(search),
  bot: search.bot && search.bot === 'bots',
});

function valueOf(click: Click, dimension: Dimension): string {
  if (dimension === 'city')
    return click.city === null ? '' : [click.city, click.country].filter(Boolean).join(', ');
  if (dimension.startsWith('utm_'))
    return click.utm[dimension.slice('utm_'.length) as keyof Click['utm']] ?? '';
  return click[dimension as Exclude<Dimension, `utm_${string}`>] ?? '';
}

export const matches = (click: Click, search: ClickSearch): boolean =>
  (search.bot === undefined || click.bot === (search.bot === 'bots')) &&
  Object.entries(getFilters(search)).every(([name, value]) => valueOf(click, name as Dimension) === value);

/** Returns the click of an event; null if it's on another link. */
export function getClick(event: EventObject, linkId: string): Click | null {
  const { click } = event.data as { click?: Click };
  return click?.link_id === linkId ? click : null;
}
