/** The contacts page: search, filters, list and import. */
import { Button } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type ContactFilter, contactQuery, contactsQuery, refreshContacts } from '../../api/contacts.ts';
import { useLiveEvents } from '../../api/live-events.ts';
import type { Contact } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import type { Filter } from '../../patterns/list/filter.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { instanceFilter } from '../instances/instance-filter.ts';
import { type ContactAction, contactActions } from './contact-actions.ts';
import { ContactButtons } from './ContactButtons.tsx';
import { CONTACT_COLUMNS } from './contact-columns.tsx';
import { ContactSheet } from './ContactSheet.tsx';
import { contactName } from './contact-text.ts';

const ContactDialog = lazily(() => import('./ContactDialog.tsx'), 'ContactDialog');
const ContactDialogs = lazily(() => import('./ContactDialogs.tsx'), 'ContactDialogs');
const ImportProgress = lazily(() => import('../../patterns/ImportProgress.tsx'), 'ImportProgress');
const CheckDialog = lazily(() => import('./CheckDialog.tsx'), 'CheckDialog');
const ImportDialog = lazily(() => import('./ImportDialog.tsx'), 'ImportDialog');

const route = getRouteApi('/w/$workspace/contacts');
const REFRESH_DELAY_MS = 250;

interface Search {
  q?: string;
  address?: string;
  instance?: string;
  blocked?: true;
}

const getFilter = ({ q, address, instance, blocked }: Search): ContactFilter => ({
  ...(q !== undefined && { search: q }),
  ...(address !== undefined && { address }),
  ...(instance !== undefined && { instance_id: instance }),
  ...(blocked && { blocked }),
});

const filtersFor = (workspaceId: string): Filter[] => [
  { kind: 'text', key: 'address', label: t('Address'), placeholder: t('Starts with') },
  instanceFilter(workspaceId),
  { kind: 'flag', key: 'blocked', label: t('Blocked') },
];

export function Contacts() {
  const { workspace } = useWorkspace();
  const writes = useCan('contacts:write');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const filter = getFilter(search);
  const list = useInfiniteQuery(contactsQuery(workspace.id, filter));
  const [acting, setActing] = useState<{ contact: Contact; action: ContactAction | null } | null>(null);
  const refresh = useDebouncedCallback(() => void refreshContacts(client, workspace.id), REFRESH_DELAY_MS);
  useLiveEvents(workspace.id, 'contact.*', refresh);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const close = () => setActing((before) => before && { ...before, action: null });
  const done = (change: Partial<typeof search>) => {
    close();
    void refreshContacts(client, workspace.id);
    go(change);
  };
  const actions = contactActions((contact, action) => setActing({ contact, action }));
  const create = writes && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create contact')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="contacts"
        title={t('Contacts')}
        description={t('People you message, with their addresses on each instance.')}
        buttons={
          <ContactButtons
            filter={filter}
            isEmpty={list.data?.length === 0}
            onCheck={() => go({ check: true })}
            onImport={() => go({ import: true })}
          >
            {create}
          </ContactButtons>
        }
        notice={
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
        }
        search={t('Search by name')}
        filters={filtersFor(workspace.id)}
        list={list}
        columns={CONTACT_COLUMNS}
        selected={search.id}
        link={sheetLink()}
        rowLabel={contactName}
        actions={actions}
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
      <RecordSheet
        rows={list.data}
        single={(id) => contactQuery(workspace.id, id)}
        title={contactName}
        busy={acting?.action != null}
      >
        {(contact) => <ContactSheet contact={contact} actions={actions} />}
      </RecordSheet>
      <OnceOpened opened={acting !== null}>
        {acting && (
          <ContactDialogs
            key={acting.contact.id}
            contact={acting.contact}
            action={acting.action}
            onClose={close}
            onDone={(isDeleted) => done(isDeleted ? { id: undefined } : {})}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <ContactDialog
          opened={search.create === true}
          contact={null}
          onClose={() => go({ create: undefined })}
          onDone={({ id }) => done({ create: undefined, id })}
        />
      </OnceOpened>
      <OnceOpened opened={search.check === true}>
        <CheckDialog opened={search.check === true} onClose={() => go({ check: undefined })} />
      </OnceOpened>
      <OnceOpened opened={search.import === true}>
        <ImportDialog
          opened={search.import === true}
          onClose={() => go({ import: undefined })}
          onStarted={({ id }) => go({ import: undefined, job: id })}
        />
      </OnceOpened>
    </>
  );
}
