/** Lists the status changes of an instance, newest first. */
import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { getInstance, stateHistoryQuery } from '../../api/instances.ts';
import type { EventObject } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import type { Column } from '../../patterns/table/column.ts';
import { DataTable } from '../../patterns/table/DataTable.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { reasonLabel } from './instance-text.ts';
import { InstanceState } from './InstanceState.tsx';
import classes from './instance.module.css';

/** Shows the channel's error if this change was caused by one. */
function Detail({ event }: { event: EventObject }) {
  const instance = getInstance(event);
  const failed = instance?.state === 'failed' || instance?.state === 'reconnecting';
  return (
    <Text truncate className={classes.detail} c="dimmed" title={failed ? instance.last_error?.detail : ''}>
      {(failed && instance.last_error?.detail) || '–'}
    </Text>
  );
}

const COLUMNS: Column<EventObject>[] = [
  {
    key: 'state',
    title: t('Status'),
    render: (event) => {
      const instance = getInstance(event);
      return instance ? <InstanceState state={instance.state} /> : '–';
    },
  },
  {
    key: 'reason',
    title: t('Reason'),
    render: (event) => reasonLabel(getInstance(event)?.state_reason ?? null) ?? '–',
  },
  {
    key: 'detail',
    title: t('Channel error'),
    from: 'medium',
    render: (event) => <Detail event={event} />,
  },
  { key: 'at', title: t('Time'), width: 130, render: ({ created_at: at }) => <RelativeTime at={at} /> },
];

export function StateHistory({ instanceId }: { instanceId: string }) {
  const { workspace } = useWorkspace();
  const events = useCan('events:read');
  const history = useInfiniteQuery({ ...stateHistoryQuery(workspace.id, instanceId), enabled: events });
  if (!events) return <Text c="dimmed">{t("Your role can't view events.")}</Text>;
  return (
    <DataTable
      label={t('History')}
      list={history}
      columns={COLUMNS}
      empty={
        <EmptyList
          icon={IconHistory}
          title={t('No status changes yet')}
          call={{ method: 'GET', path: `/events?type=instance.state_changed&resource_id=${instanceId}` }}
        >
          {t('Status changes appear here for 30 days.')}
        </EmptyList>
      }
    />
  );
}
