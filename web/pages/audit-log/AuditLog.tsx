import { CloseButton, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconHistory } from '@tabler/icons-react';
import { useState } from 'react';
import { auditLogQuery } from '../../api/audit-log.ts';
import { membersQuery } from '../../api/members.ts';
import type { AuditEntry } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { Id } from '../../ui/Id.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { AuditSheet } from './AuditSheet.tsx';

const route = getRouteApi('/w/$workspace/audit-log');

const DAY_MS = 86_400_000;
const SPANS = [
  { value: '', label: 'All' },
  { value: '1', label: '24 h' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

const COLUMNS: Column<AuditEntry>[] = [
  {
    key: 'action',
    title: 'What',
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
    title: 'Who',
    from: 'medium',
    render: ({ actor }) => actor.name ?? actor.type,
  },
  {
    key: 'target',
    title: 'To what',
    from: 'wide',
    render: ({ target }) => (target.id ? <Id id={target.id} short /> : '–'),
  },
  {
    key: 'ip',
    title: 'From',
    from: 'medium',
    render: ({ ip }) => <span className={ui.mono}>{ip ?? '–'}</span>,
  },
  { key: 'created_at', title: 'When', render: (entry) => <RelativeTime at={entry.created_at} /> },
];

export function AuditLog() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const { actor, target, since, id } = search;
  const navigate = route.useNavigate();
  const { data: members = [] } = useInfiniteQuery(membersQuery(workspace.id));
  const [openedAt] = useState(Date.now);
  const after = since && new Date(openedAt - Number(since) * DAY_MS).toISOString();
  const entries = useInfiniteQuery(
    auditLogQuery(workspace.id, {
      ...(actor && { actor_id: actor }),
      ...(target && { target_id: target }),
      ...(after && { created_after: after }),
    }),
  );
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const filtered = actor !== undefined || target !== undefined || since !== undefined;
  return (
    <>
      <PageHeader title="Audit log" description="Who changed what, and from where.">
        <NativeSelect
          size="xs"
          aria-label="Who"
          w={190}
          data={[
            { value: '', label: 'Everybody' },
            ...members.map((member) => ({
              value: member.id,
              label: member.name ?? member.email ?? member.id,
            })),
          ]}
          value={actor ?? ''}
          onChange={({ currentTarget }) => go({ actor: currentTarget.value || undefined })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Since"
          data={SPANS}
          value={since ?? ''}
          onChange={(value) => go({ since: value || undefined })}
        />
      </PageHeader>
      {target && (
        <Group gap={6} mb="xs">
          <Text c="dimmed">Done to</Text>
          <Id id={target} />
          <CloseButton size="sm" aria-label="Show all" onClick={() => go({ target: undefined })} />
        </Group>
      )}
      <DataTable
        label="Audit log"
        list={entries}
        columns={COLUMNS}
        selected={id}
        onSelect={(chosen) => go({ id: chosen })}
        empty={
          filtered ? (
            <Text c="dimmed" py="xl" ta="center">
              Nothing matches these filters.
            </Text>
          ) : (
            <EmptyList icon={IconHistory} title="Nothing yet" call={{ method: 'GET', path: '/audit-log' }}>
              Each change by a person or a key leaves an entry here.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={id !== undefined}>
        <SideSheet
          record={entries.data?.find((entry) => entry.id === id)}
          ids={entries.data?.map((entry) => entry.id) ?? []}
          title={(entry) => <span className={ui.mono}>{entry.action}</span>}
          onSelect={(chosen) => go({ id: chosen })}
        >
          {(entry) => <AuditSheet entry={entry} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
