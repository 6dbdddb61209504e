/** Messages, clicks, deliveries and API errors of the range, each with its change and its course. */
import { Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { activityQuery } from '../../api/requests.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, language, plural, t } from '../../copy/text.ts';
import { CHART_COLORS } from '../../design/chart-colors.ts';
import { FailedList } from '../../patterns/ListStates.tsx';
import {
  currentInterval,
  rangeLabels,
  type RangeName,
  getRange,
} from '../../patterns/activity/activity-range.ts';
import { Bars } from '../../patterns/activity/Bars.tsx';
import { activityRange, type Measure, getMeasures } from './activity.ts';
import { useFromClock } from '../../design/time.ts';
import classes from './dashboard.module.css';

const EVERY_MS = 30_000;

/** Where a tile leads, and the scope that its page needs. */
const PAGES: Record<Measure['key'], { link: LinkProps; scope: string }> = {
  messages: { link: { to: '/w/$workspace/messages' }, scope: 'messages:read' },
  clicks: { link: { to: '/w/$workspace/analytics' }, scope: 'links:read' },
  deliveries: { link: { to: '/w/$workspace/webhooks' }, scope: 'webhooks:read' },
  errors: { link: { to: '/w/$workspace/requests', search: { errors: true } }, scope: 'audit:read' },
};

const percent = new Intl.NumberFormat(language, {
  style: 'percent',
  maximumSignificantDigits: 2,
  signDisplay: 'exceptZero',
});

function changeText({ total, before }: Measure): string {
  if (before === null) return '';
  if (before === 0) return total === 0 ? t('No change') : t('Up from 0');
  return t('{change} from {before}', {
    change: percent.format((total - before) / before),
    before: formatNumber(before),
  });
}

export function ActivityTiles({ range: name }: { range: RangeName | undefined }) {
  const { workspace, scopes } = useWorkspace();
  const range = getRange(name);
  const current = useFromClock((now) => currentInterval(range, now));
  const { data, error, refetch } = useQuery({
    ...activityQuery(workspace.id, activityRange(range, current)),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
  if (error && !data) return <FailedList error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton className={classes.loading} mb={28} />;
  const labels = rangeLabels(range);
  return (
    <dl className={classes.tiles}>
      {getMeasures(range, data.data).map((measure) => {
        const { key, label, total } = measure;
        const failures = (measure.failed ?? []).reduce((sum, value) => sum + value, 0);
        const { link, scope } = PAGES[key];
        return (
          <div key={key} className={classes.tile}>
            <dt>
              {scopes.includes(scope) ? (
                <Link
                  {...(link as { to: '.' })}
                  params={{ workspace: workspace.slug } as never}
                  className={classes.tileLink}
                >
                  {label}
                </Link>
              ) : (
                label
              )}
            </dt>
            <dd>
              <div>
                {formatNumber(total)}{' '}
                {measure.of !== null && measure.of > 0 && (
                  <span>
                    {plural(measure.of, { one: 'of {count} request', other: 'of {count} requests' })}
                  </span>
                )}
                {key !== 'errors' && failures > 0 && (
                  <span className={classes.failures}>
                    {key === 'deliveries'
                      ? plural(failures, {
                          one: '{count} failed attempt',
                          other: '{count} failed attempts',
                        })
                      : t('{count} failed', { count: formatNumber(failures) })}
                  </span>
                )}
                <div className={classes.change}>{changeText(measure)}</div>
              </div>
              <Bars course={measure} labels={labels} color={CHART_COLORS.main} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
