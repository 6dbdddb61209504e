/** Every type of event that there is: when it is told, who sees it, its schema and a sample; and subscribing to it. */
import { Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconSearch, IconWebhook } from '@tabler/icons-react';
import { eventTypesQuery } from '../../api/events.ts';
import type { EventType } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { ButtonLink } from '../../ui/links.tsx';
import { DataTable, type Column } from '../../ui/DataTable.tsx';
import { DescriptionList } from '../../ui/DescriptionList.tsx';
import { JsonView } from '../../ui/JsonView.tsx';
import ui from '../../ui/ui.module.css';
import { searchTypes, surfaceName } from './event-filter.ts';

const route = getRouteApi('/w/$workspace/events');

/** A long name may break behind its noun. */
const nameOf = (id: string) => {
  const [noun = '', ...rest] = id.split('.');
  return (
    <span className={ui.mono}>
      {noun}.<wbr />
      {rest.join('.')}
    </span>
  );
};

const COLUMNS: Column<EventType>[] = [
  {
    key: 'id',
    title: 'Type',
    render: ({ id }) => (id.includes('.') ? nameOf(id) : <span className={ui.mono}>{id}</span>),
  },
  { key: 'description', title: 'Told when', from: 'medium', render: ({ description }) => description },
  {
    key: 'surface',
    title: 'Surface',
    from: 'wide',
    width: 140,
    render: ({ surface }) => surfaceName(surface),
  },
  { key: 'scope', title: 'Seen with', render: ({ scope }) => <span className={ui.mono}>{scope}</span> },
];

export function Catalogue() {
  const { workspace } = useWorkspace();
  const { type, search = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const types = useQuery(eventTypesQuery(workspace.id));
  const found = types.data && searchTypes(types.data, search);
  const go = (change: { type?: string | undefined; search?: string | undefined }) =>
    void navigate({
      search: (before) => ({ ...before, tab: 'catalogue' as const, ...change }),
      replace: true,
    });
  return (
    <>
      <Group mb="sm">
        <TextInput
          size="xs"
          w={280}
          aria-label="Search the catalogue"
          placeholder="Search types, meanings, scopes"
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={({ currentTarget }) => go({ search: currentTarget.value || undefined })}
        />
      </Group>
      <DataTable
        label="Types of events"
        list={{ ...types, data: found }}
        columns={COLUMNS}
        selected={type}
        onSelect={(id) => go({ type: id })}
        empty={
          <Text c="dimmed" py="xl" ta="center">
            {search === '' ? 'Your role sees no events.' : 'No type has these words.'}
          </Text>
        }
      />
      <OnceOpened opened={type !== undefined}>
        <SideSheet
          record={types.data?.find(({ id }) => id === type)}
          ids={found?.map(({ id }) => id) ?? []}
          title={({ id }) => <span className={ui.mono}>{id}</span>}
          onSelect={(id) => go({ type: id })}
        >
          {(one) => <TypeSheet type={one} />}
        </SideSheet>
      </OnceOpened>
    </>
  );
}

function TypeSheet({ type }: { type: EventType }) {
  const { workspace } = useWorkspace();
  const subscribes = useCan('webhooks:write');
  return (
    <Stack>
      {subscribes && !type.stream_only && (
        <Group>
          <ButtonLink
            size="xs"
            variant="default"
            leftSection={<IconWebhook size={14} />}
            to="/w/$workspace/webhooks"
            params={{ workspace: workspace.slug }}
            search={{ create: true, subscribe: type.id }}
          >
            Subscribe a webhook
          </ButtonLink>
        </Group>
      )}
      <Text>{type.description}</Text>
      <DescriptionList
        rows={[
          ['Surface', surfaceName(type.surface)],
          ['Scope', <span className={ui.mono}>{type.scope}</span>],
          type.stream_only ? ['Told', 'on the event stream alone: not in the log, and to no webhook'] : null,
        ]}
      />
      <Title order={3}>Sample</Title>
      <JsonView value={type.sample} maxHeight={360} />
      <Title order={3}>Schema</Title>
      <JsonView value={type.schema} maxHeight={360} />
      <AsCurl
        call={
          type.stream_only
            ? { method: 'GET', path: `/events/stream?type=${type.id}`, stream: true }
            : { method: 'GET', path: `/events?type=${type.id}&limit=3` }
        }
      />
    </Stack>
  );
}
