/** Columns of the list of clicks. */
import { Text } from '@mantine/core';
import type { Click } from '../../api/analytics.ts';
import type { Column } from '../../ui/DataTable.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { StateDot } from '../../ui/StateDot.tsx';
import { valueName } from '../analytics/dimensions.ts';
import classes from './link.module.css';

/** Where somebody was: "Berlin, Germany". */
export const placeOf = ({ city, country }: Click): string | null =>
  country === null && city === null
    ? null
    : [city, country === null ? null : valueName('country', country)].filter(Boolean).join(', ');

/** What somebody came with: "Safari on iOS, Phone". */
function agentOf({ browser, os, device }: Click): string | null {
  const by = [browser, os === null ? null : valueName('os', os)].filter(Boolean).join(' on ');
  const all = [by, device === null ? null : valueName('device', device)].filter(Boolean).join(', ');
  return all === '' ? null : all;
}

const orNone = (text: string | null, none: string) =>
  text === null ? (
    <Text span c="dimmed">
      {none}
    </Text>
  ) : (
    <bdi>{text}</bdi>
  );

export const CLICK_COLUMNS: Column<Click>[] = [
  {
    key: 'created_at',
    title: 'When',
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'bot',
    title: 'Who',
    width: 90,
    render: ({ bot }) => <StateDot tone={bot ? 'idle' : 'live'}>{bot ? 'bot' : 'person'}</StateDot>,
  },
  { key: 'place', title: 'Where', render: (click) => orNone(placeOf(click), 'not known') },
  { key: 'agent', title: 'With', from: 'medium', render: (click) => orNone(agentOf(click), 'not known') },
  {
    key: 'referrer',
    title: 'From',
    from: 'medium',
    render: ({ referrer }) => <span className={classes.breaks}>{orNone(referrer, 'direct')}</span>,
  },
  {
    key: 'language',
    title: 'Language',
    from: 'wide',
    width: 110,
    render: ({ language }) => orNone(language === null ? null : valueName('language', language), '–'),
  },
  {
    key: 'campaign',
    title: 'Campaign',
    from: 'widest',
    render: ({ utm }) => <span className={classes.breaks}>{orNone(utm.campaign, '–')}</span>,
  },
];
