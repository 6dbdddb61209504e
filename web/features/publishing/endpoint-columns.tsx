/** Columns of the endpoint list. */
import { Switch, Text } from '@mantine/core';
import { formatNumber, plural, t } from '../../copy/text.ts';
import type { Destination, PublishingEndpoint } from '../../api/types.ts';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import ui from '../../design/ui.module.css';
import { Health } from './Health.tsx';
import { authLabel } from './publishing-text.ts';
import classes from './publishing.module.css';

const MAX_SHOWN = 2;

/** Returns the recipient of a destination as short text. */
const recipientLabel = ({ to, contact_id: contact, chat_id: chat, group_id: group }: Destination): string => {
  if (to !== null) return to;
  return contact !== null ? t('contact') : chat !== null ? t('chat') : group !== null ? t('group') : '…';
};

interface Options {
  /** Instance ID → name; may lack instances. */
  instanceNames: ReadonlyMap<string, string>;
  /** Undefined if the user may not enable or disable endpoints. */
  onSwitch: ((endpoint: PublishingEndpoint, enabled: boolean) => void) | undefined;
}

export const endpointColumns = ({ instanceNames, onSwitch }: Options): Column<PublishingEndpoint>[] => [
  {
    key: 'name',
    fixed: true,
    title: t('Endpoint'),
    render: (endpoint) => (
      <div className={classes.name}>
        <Text fw={500} truncate dir="auto">
          {endpoint.name}
        </Text>
        <div className={ui.narrowOnly}>
          <Text size="xs" component="div" c="dimmed">
            {authLabel(endpoint.auth)} ·{' '}
            {endpoint.received === 0
              ? t('No requests yet')
              : plural(endpoint.received, { one: '{count} request', other: '{count} requests' })}
          </Text>
          {endpoint.last_received_at !== null && (
            <Text size="xs" component="div" c="dimmed">
              <RelativeTime at={endpoint.last_received_at} />
            </Text>
          )}
          <Health endpoint={endpoint} />
        </div>
      </div>
    ),
  },
  { key: 'auth', title: t('Authentication'), from: 'medium', render: ({ auth }) => authLabel(auth) },
  {
    key: 'destinations',
    title: t('Destinations'),
    from: 'wide',
    render: ({ destinations }) => <Destinations items={destinations} names={instanceNames} />,
  },
  {
    key: 'health',
    title: t('Health'),
    from: 'medium',
    render: (endpoint) => <Health endpoint={endpoint} none="–" />,
  },
  {
    key: 'received',
    title: t('Received'),
    align: 'right',
    width: 90,
    from: 'widest',
    render: ({ received }) => formatNumber(received),
  },
  {
    key: 'last',
    title: t('Last received'),
    from: 'medium',
    width: 130,
    render: ({ last_received_at: at }) => <RelativeTime at={at} none={t('Never')} />,
  },
  {
    key: 'enabled',
    title: t('Enabled'),
    width: 76,
    render: (endpoint) => (
      <span role="presentation" onClick={(event) => event.stopPropagation()}>
        <Switch
          size="xs"
          checked={endpoint.enabled}
          disabled={!onSwitch}
          aria-label={t('Enabled: {name}', { name: endpoint.name })}
          onChange={({ currentTarget }) => onSwitch?.(endpoint, currentTarget.checked)}
        />
      </span>
    ),
  },
];

function Destinations({ items, names }: { items: Destination[]; names: ReadonlyMap<string, string> }) {
  const lines = items.map(
    (one) => `${names.get(one.instance_id) ?? t('Unknown instance')} → ${recipientLabel(one)}`,
  );
  const more = lines.length - MAX_SHOWN;
  return (
    <div className={classes.destinations} title={lines.join('\n')} dir="auto">
      {lines.slice(0, MAX_SHOWN).join(', ')}
      {more > 0 && <Text span inherit c="dimmed">{` +${more}`}</Text>}
    </div>
  );
}
