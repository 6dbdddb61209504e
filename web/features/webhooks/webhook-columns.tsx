/** Columns of the webhook list. */
import { Switch, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Webhook } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { MiddleCut } from '../../design/MiddleCut.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import { useFromClock } from '../../design/time.ts';
import ui from '../../design/ui.module.css';
import { Age } from './Age.tsx';
import { HealthState } from './HealthState.tsx';
import { LATE_S } from './queue-alert.ts';
import { Sparkline } from './Sparkline.tsx';
import { useHealth } from './use-webhook-list.ts';

const SHOWN = 2;

function Health({ id, part }: { id: string; part: 'state' | 'hours' | 'due' }) {
  const { workspace } = useWorkspace();
  const health = useHealth(workspace.id, id);
  if (!health) return <span>…</span>;
  if (part === 'state') return health.state === 'idle' ? '–' : <HealthState health={health} />;
  if (part === 'hours') return <Sparkline hours={health.hours} />;
  return <OldestWaiting at={health.oldest_due_at} />;
}

function OldestWaiting({ at }: { at: string | null }) {
  const late = useFromClock((now) => at !== null && now - Date.parse(at) > LATE_S * 1000);
  if (at === null) return '–';
  return late ? (
    <StateDot tone="warn">
      <Age since={at} />
    </StateDot>
  ) : (
    <Age since={at} />
  );
}

function Events({ patterns }: { patterns: readonly string[] }) {
  const more = patterns.length - SHOWN;
  return (
    <span className={ui.mono} title={patterns.join('\n')}>
      {patterns.slice(0, SHOWN).join(', ')}
      {more > 0 && <Text span inherit c="dimmed">{` +${more}`}</Text>}
    </span>
  );
}

/** @param onSwitch undefined if the user may not enable or disable webhooks */
export const webhookColumns = (
  onSwitch: ((webhook: Webhook, enabled: boolean) => void) | undefined,
): Column<Webhook>[] => [
  {
    key: 'url',
    fixed: true,
    title: t('Webhook'),
    render: ({ url, description }) => (
      <div className={ui.urlCell}>
        {description && <Text truncate>{description}</Text>}
        <Text {...(description ? { size: 'xs', c: 'dimmed' } : { inherit: true })}>
          <MiddleCut text={url} tail={8} />
        </Text>
      </div>
    ),
  },
  { key: 'health', title: t('Health'), render: ({ id }) => <Health id={id} part="state" /> },
  {
    key: 'events',
    title: t('Events'),
    from: 'wide',
    render: ({ events }) => <Events patterns={events} />,
  },
  {
    key: 'hours',
    title: t('Last 24 hours'),
    from: 'medium',
    width: 150,
    render: ({ id }) => <Health id={id} part="hours" />,
  },
  { key: 'due', title: t('Oldest ready'), from: 'wide', render: ({ id }) => <Health id={id} part="due" /> },
  {
    key: 'enabled',
    title: t('Enabled'),
    width: 76,
    render: (webhook) => (
      <span role="presentation" onClick={(event) => event.stopPropagation()}>
        <Switch
          size="xs"
          checked={webhook.enabled}
          disabled={!onSwitch}
          aria-label={t('Enabled: {name}', { name: webhook.description || webhook.url })}
          onChange={({ currentTarget }) => onSwitch?.(webhook, currentTarget.checked)}
        />
      </span>
    ),
  },
];
