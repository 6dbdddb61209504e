/** The run statistics of a rule on one line, and an alert if it was stopped recently. */
import { IconShieldBolt } from '@tabler/icons-react';
import { formatNumber, plural, rich, t } from '../../copy/text.ts';
import type { Rule } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { StateAlert } from '../../patterns/StateAlert.tsx';
import classes from '../publishing/endpoint.module.css';
import { STOP_LABELS } from './rule-text.ts';

export function RuleStats({ rule: { stats, enabled } }: { rule: Rule }) {
  const { matched, skipped, failed, stopped, last_run_at: last } = stats;
  return (
    <span className={classes.about}>
      {!enabled && <StateDot tone="idle">{t('Disabled')}</StateDot>}
      {matched + skipped + stopped === 0 ? (
        <span>{t('No matching events yet')}</span>
      ) : (
        <>
          <span>{plural(matched, { one: '{count} run', other: '{count} runs' })}</span>
          {last !== null && (
            <span>{rich('Last run <time>then</time>', { time: () => <RelativeTime at={last} /> })}</span>
          )}
          {skipped > 0 && <span>{t('{count} filtered out', { count: formatNumber(skipped) })}</span>}
          {failed > 0 && (
            <StateDot tone="bad">{t('{count} failed', { count: formatNumber(failed) })}</StateDot>
          )}
          {stopped > 0 && (
            <StateDot tone="warn">{t('{count} stopped', { count: formatNumber(stopped) })}</StateDot>
          )}
        </>
      )}
    </span>
  );
}

/** Older stops are not shown. */
const RECENT_MS = 24 * 60 * 60 * 1000;

export function LastStop({ rule }: { rule: Rule }) {
  const { last_stopped_as: as, last_stopped_at: at } = rule.stats;
  if (as === null || at === null || Date.parse(rule.updated_at) > Date.parse(at)) return null;
  // oxlint-disable-next-line react/purity -- a day more or less
  if (Date.now() - Date.parse(at) > RECENT_MS) return null;
  return (
    <StateAlert tone="warn" icon={IconShieldBolt} title={STOP_LABELS[as].title}>
      {rich(
        '{description} Last stopped <time>then</time>.',
        { time: () => <RelativeTime at={at} /> },
        { description: STOP_LABELS[as].description },
      )}
    </StateAlert>
  );
}
