/** Clicks over time, as a chart and as a table. */
import { UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatNumber, t } from '../../copy/text.ts';
import type { Analytics } from '../../api/analytics.ts';
import { Accordion } from '../../design/Accordion.tsx';
import { BarChart } from '../../design/BarChart.tsx';
import { formatRange, intervalLabels } from '../../design/interval-text.ts';
import { CHART_HEIGHT, SERIES, type SeriesName } from './series.ts';
import atoms from '../../design/atoms.module.css';
import classes from './analytics.module.css';

interface ClicksOverTimeProps {
  answer: Analytics;
}

export function ClicksOverTime({ answer }: ClicksOverTimeProps) {
  const { interval, time_zone: zone, from, to, totals, data, previous } = answer;
  const [hidden, setHidden] = useState<SeriesName[]>([]);
  const labels = useMemo(
    () => intervalLabels(interval ?? 'day', zone, Date.parse(to) - Date.parse(from)),
    [interval, zone, from, to],
  );
  const there = SERIES.filter(({ name }) => name !== 'before' || previous !== null);
  const values: Record<SeriesName, number[]> = {
    people: data.map(({ clicks }) => clicks),
    bots: data.map(({ bot_clicks: bots }) => bots ?? 0),
    before: data.map((item) => item.previous?.clicks ?? 0),
  };
  const shown = there
    .filter(({ name }) => !hidden.includes(name))
    .map((one) => ({ ...one, values: values[one.name] }));
  return (
    <div className={classes.card}>
      <div className={classes.cardHead}>
        <span className={classes.dimmed}>{formatRange(answer, zone)}</span>
        <div className={classes.legend} role="group" aria-label={t('Chart series')}>
          {there.map(({ name, label, color }) => (
            <UnstyledButton
              key={name}
              className={classes.legendItem}
              aria-pressed={!hidden.includes(name)}
              onClick={() =>
                setHidden(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name])
              }
            >
              <span
                className={`${classes.swatch} ${atoms.swatch}`}
                style={{ background: color }}
                aria-hidden
              />
              {label}
            </UnstyledButton>
          ))}
        </div>
      </div>
      <BarChart
        className={classes.drawing}
        label={t(
          'Clicks over time, {range}: {clicks} by people, {bots} by bots. The table below has the numbers.',
          {
            range: formatRange(answer, zone),
            clicks: formatNumber(totals.clicks),
            bots: formatNumber(totals.bot_clicks),
          },
        )}
        height={CHART_HEIGHT}
        starts={data.map(({ start }) => start ?? '')}
        series={shown.filter(({ name }) => name !== 'before')}
        mark={shown.find(({ name }) => name === 'before')}
        labels={labels}
      />
      <Accordion title={t('View as table')}>
        <Numbers answer={answer} label={labels.long} />
      </Accordion>
    </div>
  );
}

interface NumbersProps {
  answer: Analytics;
  label: (start: string) => string;
}

/** The table, newest interval first. */
function Numbers({ answer, label }: NumbersProps) {
  const compared = answer.previous !== null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long table is scrolled by keys
    <div className={classes.numbers} tabIndex={0} role="region" aria-label={t('Clicks over time as a table')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Time')}</th>
            <th scope="col">{t('People')}</th>
            <th scope="col">{t('Unique')}</th>
            <th scope="col">{t('Bots')}</th>
            {compared && <th scope="col">{t('People, previous period')}</th>}
          </tr>
        </thead>
        <tbody>
          {answer.data
            .toReversed()
            .map(({ start, clicks, unique_clicks: unique, bot_clicks: bots, previous }) => (
              <tr key={start}>
                <th scope="row">{label(start ?? '')}</th>
                <td>{formatNumber(clicks)}</td>
                <td>{unique === null ? '–' : formatNumber(unique)}</td>
                <td>{bots === null ? '–' : formatNumber(bots)}</td>
                {compared && <td>{previous ? formatNumber(previous.clicks) : '–'}</td>}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
