/** The event catalog: description, scope, schema, and sample of every event type. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconWebhook } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import { eventTypeQuery, eventTypesQuery } from '../../api/events.ts';
import type { EventType } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { ButtonLink } from '../../design/links.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import ui from '../../design/ui.module.css';
import { searchTypes, surfaceName } from './event-filter.ts';

const route = getRouteApi('/w/$workspace/events');

/** Lets a long type name wrap after its noun. */
const typeName = (id: string) => {
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
    fixed: true,
    title: t('Type'),
    render: ({ id, description }) => (
      <>
        {id.includes('.') ? typeName(id) : <span className={ui.mono}>{id}</span>}
        <Text size="xs" component="div" c="dimmed" className={ui.narrowOnly}>
          {description}
        </Text>
      </>
    ),
  },
  { key: 'description', title: t('Description'), from: 'medium', render: ({ description }) => description },
  {
    key: 'surface',
    title: t('Category'),
    from: 'wide',
    width: 140,
    render: ({ surface }) => surfaceName(surface),
  },
  {
    key: 'scope',
    title: t('Scope'),
    from: 'medium',
    render: ({ scope }) => <span className={ui.mono}>{scope}</span>,
  },
];

export function EventCatalog() {
  const { workspace } = useWorkspace();
  const { type, q = '' } = route.useSearch();
  const types = useQuery(eventTypesQuery(workspace.id));
  const found = types.data && searchTypes(types.data, q);
  return (
    <>
      <ResourceList
        part
        name="event-types"
        title={t('Event types')}
        list={{ ...types, data: found }}
        columns={COLUMNS}
        selected={type}
        link={sheetLink('type')}
        search={t('Search event types')}
        empty={
          <Text c="dimmed" py="xl" ta="center">
            {t("You don't have permission to read events.")}
          </Text>
        }
      />
      <RecordSheet
        param="type"
        // A linked type opens although the search doesn't find it.
        rows={found?.some(({ id }) => id === type) ? found : types.data}
        title={({ id }) => <span className={ui.mono}>{id}</span>}
      >
        {(one) => <TypeSheet type={one} />}
      </RecordSheet>
    </>
  );
}

function TypeSheet({ type }: { type: EventType }) {
  const { workspace } = useWorkspace();
  const mayCreate = useCan('webhooks:write');
  const { data: details } = useQuery(eventTypeQuery(workspace.id, type.id));
  return (
    <Stack>
      {mayCreate && !type.stream_only && (
        <Group>
          <ButtonLink
            size="xs"
            variant="default"
            leftSection={<IconWebhook size={14} />}
            to="/w/$workspace/webhooks"
            params={{ workspace: workspace.slug }}
            search={{ create: true, subscribe: type.id }}
          >
            {t('Create webhook')}
          </ButtonLink>
        </Group>
      )}
      <Text>{type.description}</Text>
      <DescriptionList
        rows={[
          [t('Category'), surfaceName(type.surface)],
          [t('Scope'), <span className={ui.mono}>{type.scope}</span>],
          type.stream_only
            ? [t('Delivery'), t('Event stream only. Not in the log and not sent to webhooks.')]
            : null,
        ]}
      />
      <Title order={3}>{t('Sample')}</Title>
      {details && <JsonView value={details.sample} maxHeight={360} />}
      <Title order={3}>{t('Schema')}</Title>
      {details && <JsonView value={details.schema} maxHeight={360} />}
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
