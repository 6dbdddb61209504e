/** Columns of the table of contacts. */
import { Text } from '@mantine/core';
import type { Contact } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import ui from '../../ui/ui.module.css';
import { contactName } from './contact-text.ts';
import classes from './contacts.module.css';

const SHOWN = 2;

export const CONTACT_COLUMNS: Column<Contact>[] = [
  {
    key: 'name',
    title: 'Name',
    render: (contact) => (
      <Text truncate className={classes.name} dir="auto" title={contactName(contact)}>
        {contactName(contact)}
      </Text>
    ),
  },
  {
    key: 'addresses',
    title: 'Addresses',
    render: ({ identities }) => (
      <Text truncate className={`${ui.mono} ${classes.name}`}>
        {identities.length === 0
          ? '–'
          : identities
              .slice(0, SHOWN)
              .map(({ address }) => address)
              .join(', ')}
        {identities.length > SHOWN && ` +${identities.length - SHOWN}`}
      </Text>
    ),
  },
  {
    key: 'blocked',
    title: 'Blocked',
    from: 'medium',
    width: 110,
    render: ({ blocked }) => (blocked ? <StateDot tone="bad">blocked</StateDot> : '–'),
  },
  {
    key: 'created_at',
    title: 'Made',
    from: 'medium',
    width: 140,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
