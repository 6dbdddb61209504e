/** The run statistics of a rule on one line. */
import { formatNumber, plural, rich, t } from '../../copy/text.ts';
import type { Rule } from '../../api/types.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';

export function RuleStats({ rule: { stats, enabled } }: { rule: Rule }) {
  const { matched, skipped, failed, stopped, last_run_at: last } = stats;
  return (
    <span className={ui.facts}>
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
