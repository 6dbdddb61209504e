/** Sums of the range, each beside that of the period before. */
import { Skeleton } from '@mantine/core';
import type { Analytics } from '../../api/analytics.ts';
import ui from '../../ui/ui.module.css';
import { numberOf } from '../links/link-text.ts';
import classes from './analytics.module.css';

type Sums = Analytics['totals'];

const TILES: { key: keyof Sums; label: string; tip: string }[] = [
  { key: 'clicks', label: 'Clicks', tip: 'Visits of people' },
  { key: 'unique_clicks', label: 'Unique clicks', tip: 'The first of each visitor on a link on a UTC day' },
  { key: 'bot_clicks', label: 'Bots', tip: 'Visits of bots and preview fetchers; in no other number' },
];

const percent = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumSignificantDigits: 2,
  signDisplay: 'exceptZero',
});

/** "+12% from 1,071" */
function changeSaid(now: number, before: number): string {
  if (before === 0) return 'none before';
  return `${percent.format((now - before) / before)} from ${numberOf(before)}`;
}

export function Totals({ answer }: { answer: Analytics | undefined }) {
  return (
    <dl className={`${ui.tiles} ${classes.totals}`}>
      {TILES.map(({ key, label, tip }) => (
        <div key={key} className={ui.tile}>
          <dt data-tip={tip}>{label}</dt>
          <dd>
            {answer ? numberOf(answer.totals[key]) : <Skeleton h={20} w={60} my={4} />}
            {answer && (
              <span className={classes.change}>
                {answer.previous
                  ? changeSaid(answer.totals[key], answer.previous.totals[key])
                  : 'no longer known before'}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
