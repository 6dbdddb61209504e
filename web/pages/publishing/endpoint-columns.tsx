/** Columns of the list of publishing endpoints. */
import { Switch, Text } from '@mantine/core';
import type { Destination, PublishingEndpoint } from '../../api/types.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import ui from '../../ui/ui.module.css';
import { authWord } from './publishing-text.ts';
import classes from './publishing.module.css';

const SHOWN = 2;

/** Whom a destination goes to, for a line of a list. */
const recipientOf = ({ to, contact_id: contact, chat_id: chat, group_id: group }: Destination): string => {
  if (to !== null) return to;
  return contact !== null ? 'a contact' : chat !== null ? 'a chat' : group !== null ? 'a group' : '…';
};

interface Options {
  /** By id; an instance that is not known has none. */
  instanceNames: ReadonlyMap<string, string>;
  /** Absent where the reader may not write. */
  onSwitch: ((endpoint: PublishingEndpoint, enabled: boolean) => void) | undefined;
}

export const endpointColumns = ({ instanceNames, onSwitch }: Options): Column<PublishingEndpoint>[] => [
  {
    key: 'name',
    title: 'Endpoint',
    render: ({ name, auth, last_received_at: last }) => (
      <div className={classes.name}>
        <Text fw={500} truncate dir="auto">
          {name}
        </Text>
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            {authWord(auth)} · <RelativeTime at={last} none="nothing yet" />
          </Text>
        </div>
      </div>
    ),
  },
  { key: 'auth', title: 'Senders', from: 'medium', render: ({ auth }) => authWord(auth) },
  {
    key: 'destinations',
    title: 'Destinations',
    from: 'wide',
    render: ({ destinations }) => <Destinations items={destinations} names={instanceNames} />,
  },
  {
    key: 'received',
    title: 'Received',
    align: 'right',
    width: 90,
    from: 'medium',
    render: ({ received }) => received.toLocaleString('en'),
  },
  {
    key: 'last',
    title: 'Last received',
    from: 'medium',
    width: 130,
    render: ({ last_received_at: at }) => <RelativeTime at={at} none="never" />,
  },
  {
    key: 'enabled',
    title: 'Enabled',
    width: 76,
    render: (endpoint) => (
      <span role="presentation" onClick={(event) => event.stopPropagation()}>
        <Switch
          size="xs"
          checked={endpoint.enabled}
          disabled={!onSwitch}
          aria-label={`Enabled: ${endpoint.name}`}
          onChange={({ currentTarget }) => onSwitch?.(endpoint, currentTarget.checked)}
        />
      </span>
    ),
  },
];

function Destinations({ items, names }: { items: Destination[]; names: ReadonlyMap<string, string> }) {
  const lines = items.map((one) => `${names.get(one.instance_id) ?? 'an instance'} → ${recipientOf(one)}`);
  const more = lines.length - SHOWN;
  return (
    <div className={classes.destinations} title={lines.join('\n')} dir="auto">
      {lines.slice(0, SHOWN).join(', ')}
      {more > 0 && <Text span inherit c="dimmed">{` +${more}`}</Text>}
    </div>
  );
}
