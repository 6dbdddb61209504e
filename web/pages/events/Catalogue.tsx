/** Every type of event that there is, with a sample of each. */
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { eventTypesQuery } from '../../api/events.ts';
import type { EventType } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import ui from '../../ui/ui.module.css';

const route = getRouteApi('/w/$workspace/events');

const COLUMNS: Column<EventType>[] = [
  { key: 'id', title: 'Type', render: ({ id }) => <span className={ui.mono}>{id}</span> },
  { key: 'description', title: 'Told when', from: 'medium', render: ({ description }) => description },
  { key: 'scope', title: 'Seen with', render: ({ scope }) => <span className={ui.mono}>{scope}</span> },
];

export function Catalogue() {
  const { workspace } = useWorkspace();
  const { type } = route.useSearch();
  const navigate = route.useNavigate();
  const types = useQuery(eventTypesQuery(workspace.id));
  const select = (id: string | undefined) =>
    void navigate({ search: { tab: 'catalogue', type: id }, replace: true });
  return (
    <>
      <DataTable
        label="Types of events"
        list={types}
        columns={COLUMNS}
        selected={type}
        onSelect={select}
        empty={<Text c="dimmed">Your role sees no events.</Text>}
      />
      <OnceOpened opened={type !== undefined}>
        <SideSheet
          record={types.data?.find(({ id }) => id === type)}
          ids={types.data?.map(({ id }) => id) ?? []}
          title={({ id }) => <span className={ui.mono}>{id}</span>}
          onSelect={select}
        >
          {(one) => (
            <Stack>
              <Text>{one.description}</Text>
              <Facts
                rows={[
                  ['Surface', one.surface.replaceAll('_', ' ')],
                  ['Scope', <span className={ui.mono}>{one.scope}</span>],
                ]}
              />
              <Title order={3}>Sample</Title>
              <JsonView value={one.sample} maxHeight={360} />
              <Title order={3}>Schema</Title>
              <JsonView value={one.schema} maxHeight={360} />
              <AsCurl call={{ method: 'GET', path: `/events?type=${one.id}&limit=3` }} />
            </Stack>
          )}
        </SideSheet>
      </OnceOpened>
    </>
  );
}
