/** The contacts page: search, filters, list and import. */
import { Suspense } from 'react';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { contactQuery, contactsQuery, refreshContacts } from '../../api/contacts.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { instanceFilter } from '../instances/instance-filter.ts';
import { CONTACT_ACTIONS, ContactDialog } from './contact-actions.ts';
import { ContactButtons } from './ContactButtons.tsx';
import { CONTACT_COLUMNS } from './contact-columns.tsx';
import { ContactSheet } from './ContactSheet.tsx';
import { contactName } from './contact-text.ts';

const ImportProgress = lazily(() => import('../../patterns/ImportProgress.tsx'), 'ImportProgress');
const CheckDialog = lazyDialog(() => import('./CheckDialog.tsx'), 'CheckDialog');
const ImportDialog = lazyDialog(() => import('./ImportDialog.tsx'), 'ImportDialog');

const route = getRouteApi('/w/$workspace/contacts');
const REFRESH_DELAY_MS = 250;

const filtersFor = (workspaceId: string): Filter[] => [
  { kind: 'text', key: 'address', label: t('Address'), placeholder: t('Starts with') },
  instanceFilter(workspaceId),
  { kind: 'flag', key: 'blocked', label: t('Blocked') },
];

export function Contacts() {
  const { workspace } = useWorkspace();
  const search = route.useSearch();
  const { q, address, instance, blocked } = search;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const filter = { search: q, address, instance_id: instance, blocked };
  const writes = useCan('contacts:write');
  const list = useInfiniteQuery(contactsQuery(workspace.id, filter));
  const refresh = () => void refreshContacts(client, workspace.id);
  useLiveEvents(workspace.id, 'contact.*', useDebouncedCallback(refresh, REFRESH_DELAY_MS));
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  return (
    <>
      <ListPage
        name="contacts"
        title={t('Contacts')}
        description={t('People you message, with their addresses on each instance.')}
        buttons={(create) => (
          <ContactButtons
            filter={filter}
            isEmpty={list.data?.length === 0}
            onCheck={() => go({ check: true })}
            onImport={() => go({ import: true })}
          >
            {create}
          </ContactButtons>
        )}
        notice={
          <Suspense>
            {' '}
            {search.job !== undefined && (
              <ImportProgress
                key={search.job}
                jobId={search.job}
                onOver={refresh}
                onClose={() => go({ job: undefined })}
              />
            )}
          </Suspense>
        }
        search={t('Search by name')}
        filters={filtersFor(workspace.id)}
        list={list}
        columns={CONTACT_COLUMNS}
        rowLabel={contactName}
        actions={CONTACT_ACTIONS}
        create={{ label: t('Create contact'), scope: 'contacts:write', dialog: ContactDialog }}
        single={(id) => contactQuery(workspace.id, id)}
        sheet={(contact, actions) => <ContactSheet contact={contact} actions={actions} />}
        refresh={refresh}
        example={{ type: 'contact.created', with: { avatar_url: null } }}
        empty={
          <EmptyList
            title={t('No contacts yet')}
            call={{ method: 'POST', path: '/contacts', body: { name: 'Alice Meyer' } }}
          >
            {t(
              'Contacts are added when someone messages you or you message them. You can also import a CSV file.',
            )}
          </EmptyList>
        }
      />
      <CheckDialog opened={writes && search.check === true} onClose={() => go({ check: undefined })} />
      <ImportDialog
        opened={writes && search.import === true}
        onClose={() => go({ import: undefined })}
        onStarted={({ id }) => go({ import: undefined, job: id })}
      />
    </>
  );
}
