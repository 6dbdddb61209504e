/** Clicks over time, drawn and as a table. */
import { Skeleton, UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Analytics } from '../../api/analytics.ts';
import { Accordion } from '../../ui/Accordion.tsx';
import { numberOf } from '../links/link-text.ts';
import { intervalLabels, rangeSaid } from './interval-text.ts';
import { CHART_HEIGHT, SERIES, type SeriesName } from './series.ts';
import classes from './analytics.module.css';

const ClicksArea = lazy(() => import('./ClicksArea.tsx'));

interface ClicksOverTimeProps {
  answer: Analytics;
  /** Whether the period before is drawn too. */
  compared: boolean;
}

export function ClicksOverTime({ answer, compared }: ClicksOverTimeProps) {
  const { interval, time_zone: zone, from, to, totals, data, previous } = answer;
  const [hidden, setHidden] = useState<SeriesName[]>([]);
  const labels = useMemo(
    () => intervalLabels(interval ?? 'day', zone, Date.parse(to) - Date.parse(from)),
    [interval, zone, from, to],
  );
  const there = SERIES.filter(({ name }) => name !== 'before' || (compared && previous !== null));
  const shown = there.map(({ name }) => name).filter((name) => !hidden.includes(name));
  return (
    <div className={classes.card}>
      <div className={classes.cardHead}>
        <span className={classes.dimmed}>{rangeSaid(answer, zone)}</span>
        <div className={classes.legend} role="group" aria-label="Shown">
          {there.toReversed().map(({ name, label, color }) => (
            <UnstyledButton
              key={name}
              className={classes.legendItem}
              aria-pressed={!hidden.includes(name)}
              onClick={() =>
                setHidden(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name])
              }
            >
              <span className={classes.swatch} style={{ background: color }} aria-hidden />
              {label}
            </UnstyledButton>
          ))}
        </div>
      </div>
      <div
        role="img"
        className={classes.drawing}
        aria-label={`Clicks over time, ${rangeSaid(answer, zone)}: ${numberOf(totals.clicks)} of people, ${numberOf(totals.bot_clicks)} of bots. The numbers are in the table below.`}
      >
        <Suspense fallback={<Skeleton h={CHART_HEIGHT} />}>
          <ClicksArea items={data} shown={shown} shortLabel={labels.short} longLabel={labels.long} />
        </Suspense>
      </div>
      <Accordion title="As a table">
        <Numbers answer={answer} compared={compared && previous !== null} label={labels.long} />
      </Accordion>
    </div>
  );
}

interface NumbersProps {
  answer: Analytics;
  compared: boolean;
  label: (start: string) => string;
}

/** The newest first. */
function Numbers({ answer, compared, label }: NumbersProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long table is scrolled by keys
    <div className={classes.numbers} tabIndex={0} role="region" aria-label="Clicks over time, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">{answer.interval?.replace('_', ' ') ?? 'When'}</th>
            <th scope="col">People</th>
            <th scope="col">Unique</th>
            <th scope="col">Bots</th>
            {compared && <th scope="col">People before</th>}
          </tr>
        </thead>
        <tbody>
          {answer.data
            .toReversed()
            .map(({ start, clicks, unique_clicks: unique, bot_clicks: bots, previous }) => (
              <tr key={start}>
                <th scope="row">{label(start ?? '')}</th>
                <td>{numberOf(clicks)}</td>
                <td>{unique === null ? '–' : numberOf(unique)}</td>
                <td>{bots === null ? '–' : numberOf(bots)}</td>
                {compared && <td>{previous ? numberOf(previous.clicks) : '–'}</td>}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}
