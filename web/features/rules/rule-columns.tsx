/** Columns of the rule list. */
import { Switch, Text } from '@mantine/core';
import { formatNumber, t } from '../../copy/text.ts';
import type { Rule } from '../../api/types.ts';
import { RunHealth } from '../../patterns/RunHealth.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { summarizeActions, STOP_LABELS } from './rule-text.ts';
import classes from './rules.module.css';

const MAX_SHOWN = 2;

/** The last problem since the rule was changed, or its health. */
function Health({ rule, none }: { rule: Rule; none?: React.ReactNode }) {
  const { enabled, stats, updated_at: updated } = rule;
  const { last_failed_at: failed, last_stopped_at: stopped, last_stopped_as: as, matched } = stats;
  const isCurrent = (at: string | null): at is string => at !== null && Date.parse(at) > Date.parse(updated);
  if (enabled && isCurrent(stopped) && as !== null && (!isCurrent(failed) || stopped > failed))
    return (
      <Status tone="warn">
        <span title={STOP_LABELS[as].description}>{STOP_LABELS[as].title}</span>
      </Status>
    );
  const failedAt = isCurrent(failed) ? failed : null;
  return <RunHealth enabled={enabled} failedAt={failedAt} hasRun={matched > 0} none={none} />;
}

/** @param onSwitch undefined if the user may not enable or disable rules */
export const ruleColumns = (
  onSwitch: ((rule: Rule, enabled: boolean) => void) | undefined,
): Column<Rule>[] => [
  {
    key: 'name',
    fixed: true,
    title: t('Rule'),
    render: (rule) => (
      <div className={classes.name}>
        <Text fw={500} truncate dir="auto">
          {rule.name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {summarizeActions(rule)}
        </Text>
        <div className={ui.narrowOnly}>
          <Health rule={rule} />
        </div>
      </div>
    ),
  },
  {
    key: 'events',
    title: t('Trigger'),
    from: 'wide',
    render: ({ events, filter }) => (
      <div className={classes.events} title={[...events, filter].filter(Boolean).join('\n')}>
        <span className={ui.mono}>{events.slice(0, MAX_SHOWN).join(', ')}</span>
        {events.length > MAX_SHOWN && <Text span inherit c="dimmed">{` +${events.length - MAX_SHOWN}`}</Text>}
        {filter !== null && (
          <Text span inherit c="dimmed">
            {' '}
            {t('(filtered)')}
          </Text>
        )}
      </div>
    ),
  },
  { key: 'health', title: t('Health'), from: 'medium', render: (rule) => <Health rule={rule} none="–" /> },
  {
    key: 'runs',
    title: t('Runs'),
    align: 'right',
    width: 84,
    from: 'medium',
    render: ({ stats }) => formatNumber(stats.matched),
  },
  {
    key: 'last',
    title: t('Last run'),
    from: 'medium',
    width: 120,
    render: ({ stats }) => <RelativeTime at={stats.last_run_at} none={t('Never')} />,
  },
  {
    key: 'enabled',
    title: t('Enabled'),
    width: 76,
    render: (rule) => (
      <span role="presentation" onClick={(event) => event.stopPropagation()}>
        <Switch
          size="xs"
          checked={rule.enabled}
          disabled={!onSwitch}
          aria-label={t('Enabled: {name}', { name: rule.name })}
          onChange={({ currentTarget }) => onSwitch?.(rule, currentTarget.checked)}
        />
      </span>
    ),
  },
];
