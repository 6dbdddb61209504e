/** Columns of the list of rules. */
import { Switch, Text } from '@mantine/core';
import type { Rule } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { actionsWord, STOP_WORDS } from './rule-text.ts';
import classes from './rules.module.css';

const SHOWN = 2;

/** What went wrong last, if it did and the rule was not changed since. */
function Health({ rule: { stats, updated_at: updated } }: { rule: Rule }) {
  const { last_failed_at: failed, last_stopped_at: stopped, last_stopped_as: as, matched } = stats;
  const isNews = (at: string | null): at is string => at !== null && Date.parse(at) > Date.parse(updated);
  if (isNews(stopped) && as !== null && (!isNews(failed) || stopped > failed))
    return (
      <StateDot tone="warn">
        <span title={STOP_WORDS[as].long}>Stopped by {STOP_WORDS[as].short}</span>
      </StateDot>
    );
  if (isNews(failed))
    return (
      <StateDot tone="bad">
        <span>
          Failed <RelativeTime at={failed} />
        </span>
      </StateDot>
    );
  return matched > 0 ? <StateDot tone="good">Fine</StateDot> : <Text c="dimmed">–</Text>;
}

/** @param onSwitch absent where the reader may not write */
export const ruleColumns = (
  onSwitch: ((rule: Rule, enabled: boolean) => void) | undefined,
): Column<Rule>[] => [
  {
    key: 'name',
    title: 'Rule',
    render: (rule) => (
      <div className={classes.name}>
        <Text fw={500} truncate dir="auto">
          {rule.name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {actionsWord(rule)}
        </Text>
        <div className={ui.narrowOnly}>
          <Health rule={rule} />
        </div>
      </div>
    ),
  },
  {
    key: 'events',
    title: 'When',
    from: 'wide',
    render: ({ events, filter }) => (
      <div className={classes.events} title={[...events, filter].filter(Boolean).join('\n')}>
        <span className={ui.mono}>{events.slice(0, SHOWN).join(', ')}</span>
        {events.length > SHOWN && <Text span inherit c="dimmed">{` +${events.length - SHOWN}`}</Text>}
        {filter !== null && (
          <Text span inherit c="dimmed">
            , filtered
          </Text>
        )}
      </div>
    ),
  },
  { key: 'health', title: 'Health', from: 'medium', render: (rule) => <Health rule={rule} /> },
  {
    key: 'runs',
    title: 'Runs',
    align: 'right',
    width: 84,
    from: 'medium',
    render: ({ stats }) => stats.matched.toLocaleString('en'),
  },
  {
    key: 'last',
    title: 'Last run',
    from: 'medium',
    width: 120,
    render: ({ stats }) => <RelativeTime at={stats.last_run_at} none="never" />,
  },
  {
    key: 'enabled',
    title: 'Enabled',
    width: 76,
    render: (rule) => (
      <span role="presentation" onClick={(event) => event.stopPropagation()}>
        <Switch
          size="xs"
          checked={rule.enabled}
          disabled={!onSwitch}
          aria-label={`Enabled: ${rule.name}`}
          onChange={({ currentTarget }) => onSwitch?.(rule, currentTarget.checked)}
        />
      </span>
    ),
  },
];
