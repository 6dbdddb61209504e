/** Merges another contact, found by name, into this one. */
import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/call.ts';
import { contactsQuery, mergeContacts } from '../../api/contacts.ts';
import { fieldProblem } from '../../api/problem.ts';
import type { Contact } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { contactName } from './contact-text.ts';
import classes from './contacts.module.css';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

type MergeDialogProps = RecordDialogProps<Contact, Contact>;

const MAX_RESULTS = 8;
const SEARCH_DELAY_MS = 250;

export function MergeDialog({ opened, object: contact, onClose, onDone }: MergeDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={t('Merge another contact into {name}', { name: contactName(contact) })}
    >
      <MergeForm contact={contact} onDone={onDone} />
    </FormDialog>
  );
}

function MergeForm({ contact, onDone }: Pick<MergeDialogProps, 'onDone'> & { contact: Contact }) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS);
  const { data } = useInfiniteQuery(contactsQuery(workspace.id, search === '' ? {} : { search }));
  const found = data?.filter(({ id }) => id !== contact.id).slice(0, MAX_RESULTS);
  const form = useApiForm(
    { contact_id: '' },
    async ({ contact_id: id }) => {
      if (id === '') throw fieldProblem('/contact_id', t('Select a contact.'));
      return send(workspace.id, mergeContacts(contact.id, id));
    },
    onDone,
  );
  const other = form.values.contact_id;
  return (
    <FormBody form={form} submit={t('Merge')} danger call={mergeContacts(contact.id, other || 'con_…')}>
      <Text>
        {t(
          "{name} gets the addresses, chats and messages of the other contact, which is then deleted. This can't be undone.",
          { name: contactName(contact) },
        )}
      </Text>
      <TextInput
        label={t('Other contact')}
        placeholder={t('Search by name')}
        data-autofocus
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Radio.Group
        aria-label={t('Contacts')}
        value={other}
        onChange={(id) => form.set('contact_id', id)}
        error={form.error('contact_id')}
      >
        <Stack gap="xs">
          {found?.map((one) => (
            <Radio
              key={one.id}
              value={one.id}
              label={
                <span className={classes.person}>
                  <PersonMark
                    name={contactName(one)}
                    address={one.identities[0]?.address ?? one.id}
                    size={20}
                  />
                  {contactName(one)}
                </span>
              }
              description={one.identities.map(({ address }) => address).join(', ')}
            />
          ))}
        </Stack>
      </Radio.Group>
      {found?.length === 0 && <Text c="dimmed">{t('No other contacts found.')}</Text>}
    </FormBody>
  );
}
