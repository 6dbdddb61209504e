/** Columns of the click table. */
import { Text } from '@mantine/core';
import atoms from '../../design/atoms.module.css';
import { t } from '../../copy/text.ts';
import type { Click } from '../../api/analytics.ts';
import type { Column } from '../../patterns/table/column.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { StateDot } from '../../design/StateDot.tsx';
import ui from '../../design/ui.module.css';
import { DIMENSION_TEXTS, valueName } from '../analytics/dimensions.ts';
import { countryFlag } from '../analytics/places.ts';

/** Returns the visitor's location: "Berlin, Germany". */
export const getPlace = ({ city, country }: Click): string | null =>
  country === null && city === null
    ? null
    : [city, country === null ? null : valueName('country', country)].filter(Boolean).join(', ');

/** Returns the visitor's browser, system and device: "Safari on iOS, Phone". */
function getAgent({ browser, os, device }: Click): string | null {
  const system = os === null ? null : valueName('os', os);
  const software =
    browser !== null && system !== null
      ? t('{browser} on {system}', { browser, system })
      : (browser ?? system);
  const all = [software, device === null ? null : valueName('device', device)].filter(Boolean).join(', ');
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

const Place = ({ click }: { click: Click }) => (
  <>
    {click.country !== null && <span aria-hidden>{countryFlag(click.country)} </span>}
    {orNone(getPlace(click), t('Unknown'))}
  </>
);

/** Of a link with targeting rules. */
const Destination = ({ click: { destination_url: url } }: { click: Click }) => (
  <span className={atoms.breaks}>{orNone(url === null ? null : url.replace(/^https?:\/\//, ''), '–')}</span>
);

const DESTINATION: Column<Click> = {
  key: 'destination_url',
  title: DIMENSION_TEXTS.destination_url.one,
  from: 'medium',
  render: (click) => <Destination click={click} />,
};

const COLUMNS: Column<Click>[] = [
  {
    key: 'created_at',
    fixed: true,
    title: t('Time'),
    width: 130,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'bot',
    title: t('Type'),
    width: 90,
    render: ({ bot }) => <StateDot tone={bot ? 'idle' : 'live'}>{bot ? t('Bot') : t('Person')}</StateDot>,
  },
  {
    key: 'place',
    title: t('Location'),
    from: 'medium',
    render: (click) => <Place click={click} />,
  },
  {
    key: 'agent',
    title: t('Device'),
    render: (click) => (
      <>
        {orNone(getAgent(click), t('Unknown'))}
        {(getPlace(click) !== null || click.destination_url !== null) && (
          <Text size="xs" c="dimmed" component="div" className={ui.narrowOnly}>
            {getPlace(click) !== null && <Place click={click} />}
            {click.destination_url !== null && (
              <div>
                <Destination click={click} />
              </div>
            )}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'referrer',
    title: t('Referrer'),
    from: 'medium',
    render: ({ referrer }) => <span className={atoms.breaks}>{orNone(referrer, t('Direct'))}</span>,
  },
  {
    key: 'language',
    title: t('Language'),
    from: 'wide',
    width: 110,
    render: ({ language }) => orNone(language === null ? null : valueName('language', language), '–'),
  },
  {
    key: 'campaign',
    title: t('Campaign'),
    from: 'widest',
    render: ({ utm }) => <span className={atoms.breaks}>{orNone(utm.campaign, '–')}</span>,
  },
];

/** @param hasRules whether the link has targeting rules */
export const clickColumns = (hasRules: boolean): Column<Click>[] =>
  hasRules ? COLUMNS.toSpliced(2, 0, DESTINATION) : COLUMNS;
