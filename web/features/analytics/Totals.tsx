/** Totals of the range, in a comparison each with the change from the previous period. */
import { Skeleton } from '@mantine/core';
import { formatNumber, language, t } from '../../copy/text.ts';
import type { Analytics } from '../../api/analytics.ts';
import ui from '../../design/ui.module.css';
import classes from './analytics.module.css';

type Sums = Analytics['totals'];

const TILES: { key: keyof Sums; label: string; tip: string }[] = [
  { key: 'clicks', label: t('Clicks'), tip: t('Clicks by people') },
  {
    key: 'unique_clicks',
    label: t('Unique clicks'),
    tip: t('Each visitor counts once per link and UTC day'),
  },
  {
    key: 'bot_clicks',
    label: t('Bots'),
    tip: t('Clicks by bots and link previews, not included in the other numbers'),
  },
];

const percent = new Intl.NumberFormat(language, {
  style: 'percent',
  maximumSignificantDigits: 2,
  signDisplay: 'exceptZero',
});

/** "+12% from 1,071" */
function changeText(now: number, before: number): string {
  if (before === 0) return t('None in the previous period');
  return t('{change} from {before}', {
    change: percent.format((now - before) / before),
    before: formatNumber(before),
  });
}

interface TotalsProps {
  answer: Analytics | undefined;
  /** Whether the previous period is asked for; the answer may lack it even then. */
  compared: boolean;
}

export function Totals({ answer, compared }: TotalsProps) {
  return (
    <dl className={`${ui.tiles} ${classes.totals}`}>
      {TILES.map(({ key, label, tip }) => (
        <div key={key} className={ui.tile}>
          <dt data-tip={tip}>{label}</dt>
          <dd>
            {answer ? formatNumber(answer.totals[key]) : <Skeleton h={20} w={60} my={4} />}
            {answer && compared && (
              <span className={classes.change}>
                {answer.previous
                  ? changeText(answer.totals[key], answer.previous.totals[key])
                  : t('No data for the previous period')}
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
