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

/** Returns the first addresses as text, empty without any. */
function getAddresses({ identities }: Contact): string {
  const more = identities.length - MAX_ADDRESSES;
  const first = identities.slice(0, MAX_ADDRESSES).map(({ address }) => address);
  return `${first.join(', ')}${more > 0 ? ` +${more}` : ''}`;
}

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
        <span className={classes.name}>
          <Text truncate dir="auto" title={contactName(contact)}>
            {contactName(contact)}
          </Text>
          {getAddresses(contact) !== contactName(contact) && (
            <Text size="xs" c="dimmed" truncate className={ui.narrowOnly}>
              {getAddresses(contact)}
            </Text>
          )}
        </span>
      </span>
    ),
  },
  {
    key: 'addresses',
    title: t('Addresses'),
    from: 'medium',
    render: (contact) => (
      <Text truncate className={`${ui.mono} ${classes.name}`}>
        {getAddresses(contact) || '–'}
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
