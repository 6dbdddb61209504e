import { Button, Group, NativeSelect, Switch, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus, IconUpload, IconUsers } from '@tabler/icons-react';
import { lazy, useState } from 'react';
import {
  type ContactFilter,
  contactQuery,
  contactsQuery,
  exportPath,
  refreshContacts,
} from '../../api/contacts.ts';
import { instancesQuery } from '../../api/instances.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { useCan, useWorkspace } from '../../shell/workspace-context.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { ExportButton } from '../../ui/ExportButton.tsx';
import { OnceOpened, SideSheet } from '../../ui/lazy-dialogs.tsx';
import { EmptyList } from '../../ui/ListStates.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { CONTACT_COLUMNS } from './contact-columns.tsx';
import { ContactDialogs } from './ContactDialogs.tsx';
import { type ContactAction, ContactSheet } from './ContactSheet.tsx';
import { contactName } from './contact-text.ts';

const ContactDialog = lazy(async () => ({ default: (await import('./ContactDialog.tsx')).ContactDialog }));
const ImportProgress = lazy(async () => ({
  default: (await import('../../ui/ImportProgress.tsx')).ImportProgress,
}));
const ImportDialog = lazy(async () => ({ default: (await import('./ImportDialog.tsx')).ImportDialog }));

const route = getRouteApi('/w/$workspace/contacts');
const TYPED_MS = 250;

interface Search {
  q?: string;
  by?: 'address';
  instance?: string;
  blocked?: true;
}

const filterOf = ({ q, by, instance, blocked }: Search): ContactFilter => ({
  ...(q !== undefined && { [by ?? 'name']: q }),
  ...(instance !== undefined && { instance_id: instance }),
  ...(blocked && { blocked }),
});

export function Contacts() {
  const { workspace } = useWorkspace();
  const writes = useCan('contacts:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const filter = filterOf(search);
  const list = useInfiniteQuery(contactsQuery(workspace.id, filter));
  const listed = list.data?.find(({ id }) => id === search.id);
  // One that a link names need not be in the list.
  const single = useQuery({
    ...contactQuery(workspace.id, search.id ?? ''),
    enabled: search.id !== undefined && !listed && list.data !== undefined,
  });
  const opened = search.id === undefined ? undefined : (listed ?? single.data);
  const [action, setAction] = useState<ContactAction | null>(null);
  const [importing, setImporting] = useState(false);
  const refresh = useDebouncedCallback(() => void refreshContacts(client, workspace.id), TYPED_MS);
  useLiveEvents(workspace.id, 'contact.*', refresh);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const done = (change: Partial<typeof search>) => {
    setAction(null);
    void refreshContacts(client, workspace.id);
    go(change);
  };
  const isFiltered = Object.keys(filter).length > 0;
  const none = !isFiltered && list.data?.length === 0;
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      Create contact
    </Button>
  );
  return (
    <>
      <PageHeader title="Contacts" description="People, and their addresses on your channels.">
        {writes && (
          <Button variant="default" leftSection={<IconUpload size={16} />} onClick={() => setImporting(true)}>
            Import
          </Button>
        )}
        {!none && <ExportButton path={exportPath(filter)} fileName="contacts.csv" />}
        {create}
      </PageHeader>
      <OnceOpened opened={search.job !== undefined}>
        {search.job !== undefined && (
          <ImportProgress
            key={search.job}
            jobId={search.job}
            onOver={() => void refreshContacts(client, workspace.id)}
            onClose={() => go({ job: undefined })}
          />
        )}
      </OnceOpened>
      {!none && <Filters search={search} go={go} />}
      <DataTable
        label="Contacts"
        list={list}
        columns={CONTACT_COLUMNS}
        selected={search.id}
        onSelect={(id) => go({ id })}
        empty={
          isFiltered ? (
            <Text c="dimmed" py="xl" ta="center">
              No contact matches.
            </Text>
          ) : (
            <EmptyList
              icon={IconUsers}
              title="No contacts yet"
              action={create}
              call={{ method: 'POST', path: '/contacts', body: { name: 'Alice Meyer' } }}
            >
              Whoever writes to one of your channels becomes one, and so does whom you write to. You can also
              bring them along as CSV.
            </EmptyList>
          )
        }
      />
      <OnceOpened opened={opened !== undefined}>
        <SideSheet
          record={opened}
          ids={list.data?.map(({ id }) => id) ?? []}
          title={contactName}
          busy={action !== null}
          onSelect={(id) => go({ id })}
        >
          {(contact) => (
            <>
              <ContactSheet contact={contact} onAction={setAction} />
              <ContactDialogs
                key={contact.id}
                contact={contact}
                action={action}
                onClose={() => setAction(null)}
                onDone={(isGone) => done(isGone ? { id: undefined } : {})}
              />
            </>
          )}
        </SideSheet>
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <ContactDialog
          opened={search.create === true}
          contact={null}
          onClose={() => go({ create: undefined })}
          onDone={({ id }) => done({ create: undefined, id })}
        />
      </OnceOpened>
      <OnceOpened opened={importing}>
        <ImportDialog
          opened={importing}
          onClose={() => setImporting(false)}
          onStarted={({ id }) => {
            setImporting(false);
            go({ job: id });
          }}
        />
      </OnceOpened>
    </>
  );
}

interface FiltersProps {
  search: Search;
  go: (change: { [K in keyof Search]?: Search[K] | undefined }) => void;
}

function Filters({ search, go }: FiltersProps) {
  const { workspace } = useWorkspace();
  const { data: instances = [] } = useInfiniteQuery(instancesQuery(workspace.id));
  return (
    <Group gap="sm" mb="sm">
      <Group gap={6} wrap="nowrap">
        <NativeSelect
          size="xs"
          aria-label="Search by"
          data={[
            { value: '', label: 'Name' },
            { value: 'address', label: 'Address' },
          ]}
          value={search.by ?? ''}
          onChange={({ currentTarget }) =>
            go({ by: currentTarget.value === 'address' ? 'address' : undefined })
          }
        />
        <SearchField
          aria-label="Search contacts"
          placeholder="Begins with"
          query={search.q}
          onSearch={(q) => go({ q })}
        />
      </Group>
      {instances.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label="Channel"
          data={[
            { value: '', label: 'All channels' },
            ...instances.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={search.instance ?? ''}
          onChange={({ currentTarget }) => go({ instance: currentTarget.value || undefined })}
        />
      )}
      <Switch
        size="xs"
        label="Blocked only"
        checked={search.blocked ?? false}
        onChange={({ currentTarget }) => go({ blocked: currentTarget.checked || undefined })}
      />
    </Group>
  );
}
