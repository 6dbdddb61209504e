import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconHistory } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazily } from '../../patterns/lazily.ts';
import { auditEntryQuery, auditLogExportPath, auditLogQuery } from '../../api/audit-log.ts';
import type { AuditEntry } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { ExportButton } from '../../patterns/ExportButton.tsx';
import { type Filter, spanStart } from '../../patterns/list/filter.ts';
import { memberFilter } from '../../patterns/list/lookups.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { apiKeyFilter } from '../../patterns/list/key-filter.ts';
import { TargetName, TYPE_OPTIONS } from './TargetName.tsx';

const AuditSheet = lazily(() => import('./AuditSheet.tsx'), 'AuditSheet');

const route = getRouteApi('/w/$workspace/audit-log');

const COLUMNS: Column<AuditEntry>[] = [
  {
    key: 'action',
    title: t('Action'),
    fixed: true,
    render: ({ action, actor }) => (
      <>
        <span className={ui.mono}>{action}</span>
        <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
          {actor.name ?? actor.type}
        </Text>
      </>
    ),
  },
  {
    key: 'actor',
    title: t('Actor'),
    from: 'medium',
    render: ({ actor }) => actor.name ?? actor.type,
  },
  {
    key: 'target',
    title: t('Object'),
    from: 'wide',
    render: (entry) => <TargetName entry={entry} />,
  },
  {
    key: 'ip',
    title: t('IP address'),
    from: 'medium',
    render: ({ ip }) => <span className={ui.mono}>{ip ?? '–'}</span>,
  },
  { key: 'created_at', title: t('Time'), render: (entry) => <RelativeTime at={entry.created_at} /> },
];

export function AuditLog() {
  const { workspace } = useWorkspace();
  const { action, actor, key, type, target, since } = route.useSearch();
  const readsKeys = useCan('api_keys:read');
  const readsMembers = useCan('members:read');
  const [openedAt] = useState(Date.now);
  const filter = {
    action,
    actor_id: actor ?? key,
    target_type: type,
    target_id: target,
    created_after: since && spanStart(since, openedAt),
  };
  const filters: Filter[] = [
    { key: 'action', kind: 'text', label: t('Action'), placeholder: 'api_keys.create' },
    ...(readsMembers ? [memberFilter(workspace.id, 'actor', t('Member'))] : []),
    ...(readsKeys ? [apiKeyFilter(workspace.id)] : []),
    { key: 'type', kind: 'choice', label: t('Object type'), options: TYPE_OPTIONS },
    { key: 'target', kind: 'text', label: t('Object'), placeholder: t('ID') },
    { key: 'since', kind: 'span', label: t('Time') },
  ];
  return (
    <ListPage
      name="audit-log"
      title={t('Audit log')}
      description={t('Changes made in this workspace by members and API keys.')}
      buttons={<ExportButton path={auditLogExportPath(filter)} fileName="audit-log.csv" />}
      filters={filters}
      list={useInfiniteQuery(auditLogQuery(workspace.id, filter))}
      columns={COLUMNS}
      rowLabel={(entry) => entry.action}
      single={(id) => auditEntryQuery(workspace.id, id)}
      sheetTitle={(entry) => <span className={ui.mono}>{entry.action}</span>}
      sheet={(entry) => (
        <Suspense>
          <AuditSheet entry={entry} />
        </Suspense>
      )}
      empty={
        <EmptyList
          icon={IconHistory}
          title={t('No entries yet')}
          call={{ method: 'GET', path: '/audit-log' }}
        >
          {t('The audit log records each change made by a member or an API key.')}
        </EmptyList>
      }
    />
  );
}
