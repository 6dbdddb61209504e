/** Columns of the table of contacts. */
import { Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { Contact } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { PersonMark } from '../../design/PersonMark.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { Status } from '../../design/Status.tsx';
import ui from '../../design/ui.module.css';
import { contactName } from './contact-text.ts';
import classes from './contacts.module.css';

const MAX_ADDRESSES = 2;

export const CONTACT_COLUMNS: Column<Contact>[] = [
  {
    key: 'name',
    fixed: true,
    title: t('Name'),
    render: (contact) => (
      <span className={classes.person}>
        <PersonMark
          name={contactName(contact)}
          address={contact.identities[0]?.address ?? contact.id}
          size={24}
        />
        <Text truncate className={classes.name} dir="auto" title={contactName(contact)}>
          {contactName(contact)}
        </Text>
      </span>
    ),
  },
  {
    key: 'addresses',
    title: t('Addresses'),
    render: ({ identities }) => (
      <Text truncate className={`${ui.mono} ${classes.name}`}>
        {identities.length === 0
          ? '–'
          : identities
              .slice(0, MAX_ADDRESSES)
              .map(({ address }) => address)
              .join(', ')}
        {identities.length > MAX_ADDRESSES && ` +${identities.length - MAX_ADDRESSES}`}
      </Text>
    ),
  },
  {
    key: 'blocked',
    title: t('Blocked'),
    from: 'medium',
    width: 110,
    render: ({ blocked }) => (blocked ? <Status tone="bad">{t('Blocked')}</Status> : '–'),
  },
  {
    key: 'created_at',
    title: t('Created'),
    from: 'medium',
    width: 140,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
